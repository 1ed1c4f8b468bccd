/**
 * The etcd requests that the store makes, encoded from the types of the store contract. Field numbers are those of etcd's
 * published API. Responses are in responses.ts.
 */
import type { Compare, KeyRange, StoreOperation, Revision, Transaction } from '../store';
import { WIRE_TYPES, type WireWriter } from '../../../shared/serialization/protobuf/wire';
import { encodeRpcMessage, type RpcMessage } from './rpc-message';

const EMPTY_MESSAGE = encodeRpcMessage(() => undefined);

/** Field numbers of each message. */
const RANGE = { key: 1, end: 2, limit: 3, revision: 4, keysOnly: 8, countOnly: 9 } as const;
const PUT = { key: 1, value: 2, lease: 3 } as const;
const DELETION = { key: 1 } as const;
const TRANSACTION = { compare: 1, success: 2, failure: 3 } as const;
const COMPARE = { result: 1, target: 2, key: 3, createRevision: 5, modRevision: 6 } as const;
const OPERATION = { range: 1, put: 2, deletion: 3 } as const;
const COMPACTION = { revision: 1 } as const;
const LEASE_GRANT = { ttl: 1 } as const;
const LEASE_REQUEST = { id: 1 } as const;
const WATCH = { create: 1, progress: 3 } as const;
const WATCH_CREATE = { key: 1, end: 2, from: 3, fragment: 8 } as const;

/** Value of `Compare.CompareResult` in etcd's rpc.proto; an absent result means EQUAL. */
const GREATER = 1;
/** Values of `Compare.CompareTarget` in etcd's rpc.proto. */
const CREATE_REVISION = 1;
const MOD_REVISION = 2;

/** A read of one key or of a range. */
export interface EtcdRangeRequest {
  readonly start: string;
  /** Absent: only the key `start`. */
  readonly end?: string;
  /** Absent: the newest. */
  readonly revision?: Revision;
  /** Maximum number of keys; absent: unlimited. */
  readonly limit?: number;
  readonly keysOnly?: boolean;
  /** Returns no keys, only their number. */
  readonly countOnly?: boolean;
}

/** A message to a watch stream: starts its watch, or asks for a progress notification. */
export type EtcdWatchRequest =
  | { readonly type: 'create'; readonly range: KeyRange; readonly from: Revision }
  | { readonly type: 'progress' };

/** `RangeRequest`. */
export function encodeRange(request: EtcdRangeRequest): RpcMessage {
  return encodeRpcMessage((writer) => writeRange(writer, request));
}

/** Encodes a txn with a failure branch that reads every compared key. */
export function encodeTransaction({ compare, operations }: Transaction): RpcMessage {
  return encodeRpcMessage((writer) => {
    for (const comparison of compare) writeMessage(writer, TRANSACTION.compare, () => writeComparison(writer, comparison));
    for (const operation of operations) writeOperation(writer, operation);
    for (const { key } of compare)
      writeMessage(writer, TRANSACTION.failure, () =>
        writeMessage(writer, OPERATION.range, () => writer.field(RANGE.key, WIRE_TYPES.bytes).text(key)),
      );
  });
}

/** Encodes a txn of `count` reads that changes nothing; the server refuses it when `count` exceeds its limit. */
export function encodeReadOnlyTransaction(count: number): RpcMessage {
  return encodeRpcMessage((writer) => {
    for (let index = 0; index < count; index++)
      writeMessage(writer, TRANSACTION.success, () =>
        writeMessage(writer, OPERATION.range, () => writeRange(writer, { start: '\0', countOnly: true })),
      );
  });
}

/** `CompactionRequest`. */
export function encodeCompaction(revision: Revision): RpcMessage {
  return encodeRpcMessage((writer) => writeInteger(writer, COMPACTION.revision, revision));
}

/** `LeaseGrantRequest`; the server chooses the ID. */
export function encodeLeaseGrant(ttlSeconds: number): RpcMessage {
  return encodeRpcMessage((writer) => writeInteger(writer, LEASE_GRANT.ttl, ttlSeconds));
}

/** A request with the lease ID as its only field: revocation and keep-alive. */
export function encodeLeaseRequest(lease: string): RpcMessage {
  return encodeRpcMessage((writer) => writer.field(LEASE_REQUEST.id, WIRE_TYPES.varint).varint64(BigInt(lease)));
}

/** A request without fields, such as `StatusRequest`. */
export function encodeEmpty(): RpcMessage {
  return EMPTY_MESSAGE;
}

/** `WatchRequest`. */
export function encodeWatch(request: EtcdWatchRequest): RpcMessage {
  return encodeRpcMessage((writer) => {
    if (request.type === 'create') writeMessage(writer, WATCH.create, () => writeWatchCreate(writer, request));
    else writeMessage(writer, WATCH.progress, () => undefined);
  });
}

function writeWatchCreate(writer: WireWriter, { range, from }: Extract<EtcdWatchRequest, { type: 'create' }>): void {
  writer.field(WATCH_CREATE.key, WIRE_TYPES.bytes).text(range.start);
  writer.field(WATCH_CREATE.end, WIRE_TYPES.bytes).text(range.end);
  writeInteger(writer, WATCH_CREATE.from, from);
  writeTrue(writer, WATCH_CREATE.fragment);
}

function writeRange(writer: WireWriter, { start, end, limit, revision, keysOnly, countOnly }: EtcdRangeRequest): void {
  writer.field(RANGE.key, WIRE_TYPES.bytes).text(start);
  if (end !== undefined) writer.field(RANGE.end, WIRE_TYPES.bytes).text(end);
  if (limit !== undefined) writeInteger(writer, RANGE.limit, limit);
  if (revision !== undefined) writeInteger(writer, RANGE.revision, revision);
  if (keysOnly === true) writeTrue(writer, RANGE.keysOnly);
  if (countOnly === true) writeTrue(writer, RANGE.countOnly);
}

function writeComparison(writer: WireWriter, comparison: Compare): void {
  if ('exists' in comparison) {
    // A key exists when its create revision is greater than 0.
    writeInteger(writer, COMPARE.result, GREATER);
    writeInteger(writer, COMPARE.target, CREATE_REVISION);
    writer.field(COMPARE.key, WIRE_TYPES.bytes).text(comparison.key);
    writeInteger(writer, COMPARE.createRevision, 0);
  } else {
    writeInteger(writer, COMPARE.target, MOD_REVISION);
    writer.field(COMPARE.key, WIRE_TYPES.bytes).text(comparison.key);
    writeInteger(writer, COMPARE.modRevision, comparison.modRevision);
  }
}

function writeOperation(writer: WireWriter, operation: StoreOperation): void {
  switch (operation.type) {
    case 'put': {
      const length = operation.value.length;
      writeMessage(
        writer,
        TRANSACTION.success,
        () => writeMessage(writer, OPERATION.put, () => writePut(writer, operation), length),
        length,
      );
      break;
    }
    case 'delete':
      writeMessage(writer, TRANSACTION.success, () =>
        writeMessage(writer, OPERATION.deletion, () => writer.field(DELETION.key, WIRE_TYPES.bytes).text(operation.key)),
      );
      break;
  }
}

function writePut(writer: WireWriter, { key, value, lease }: Extract<StoreOperation, { type: 'put' }>): void {
  writer.field(PUT.key, WIRE_TYPES.bytes).text(key);
  writer.field(PUT.value, WIRE_TYPES.bytes).bytes(value);
  if (lease !== undefined) writer.field(PUT.lease, WIRE_TYPES.varint).varint64(BigInt(lease));
}

/** @param expectedLength of the content; a message of about this length is not moved when its length is written. */
function writeMessage(writer: WireWriter, field: number, write: () => void, expectedLength = 0): void {
  writer.field(field, WIRE_TYPES.bytes).message(write, expectedLength);
}

function writeInteger(writer: WireWriter, field: number, value: number): void {
  writer.field(field, WIRE_TYPES.varint).varint(value);
}

/** Fields that are false are left out. */
function writeTrue(writer: WireWriter, field: number): void {
  writer.field(field, WIRE_TYPES.varint).bool(true);
}
