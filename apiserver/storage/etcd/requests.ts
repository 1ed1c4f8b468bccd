/**
 * The etcd requests that the store makes, encoded from the types of the store contract. Field numbers are those of etcd's
 * published API. Responses are in responses.ts.
 *
 * {@link RpcWriter} fills its buffer from the end, so the functions here write the last field first, and the content of
 * a nested message before its tag: `close(field, mark)` makes everything written since `mark` the content of `field`.
 */
import type { Compare, KeyRange, StoreOperation, Revision, Transaction } from '../store';
import { RpcWriter, type RpcMessage } from './rpc-writer';

const EMPTY_MESSAGE = new RpcWriter(0).finish();
/** An upper bound of the tags, lengths, numbers and flags of one message and its parents. */
const MESSAGE_OVERHEAD = 64;
/** Maximum UTF-8 bytes of one UTF-16 unit. */
const MAX_BYTES_PER_UNIT = 3;

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
  const writer = new RpcWriter(MESSAGE_OVERHEAD + (request.start.length + (request.end?.length ?? 0)) * MAX_BYTES_PER_UNIT);
  writeRange(writer, request);
  return writer.finish();
}

/** Encodes a txn with a failure branch that reads every compared key. */
export function encodeTransaction({ compare, operations }: Transaction): RpcMessage {
  let capacity = MESSAGE_OVERHEAD;
  for (const { key } of compare) capacity += 2 * (MESSAGE_OVERHEAD + key.length * MAX_BYTES_PER_UNIT);
  for (const operation of operations) {
    capacity += MESSAGE_OVERHEAD + operation.key.length * MAX_BYTES_PER_UNIT + (operation.type === 'put' ? operation.value.length : 0);
  }
  const writer = new RpcWriter(capacity);
  for (let index = compare.length - 1; index >= 0; index--) writeElseRange(writer, compare[index]);
  for (let index = operations.length - 1; index >= 0; index--) writeOperation(writer, operations[index]);
  for (let index = compare.length - 1; index >= 0; index--) writeCompare(writer, compare[index]);
  return writer.finish();
}

/** Encodes a txn of `count` reads that changes nothing; the server refuses it when `count` exceeds its limit. */
export function encodeReadOnlyTransaction(count: number): RpcMessage {
  const writer = new RpcWriter(MESSAGE_OVERHEAD + count * MESSAGE_OVERHEAD);
  for (let index = 0; index < count; index++) {
    const mark = writer.mark;
    writeRange(writer, { start: '\0', countOnly: true });
    writer.close(OPERATION.range, mark);
    writer.close(TRANSACTION.success, mark);
  }
  return writer.finish();
}

/** `CompactionRequest`. */
export function encodeCompaction(revision: Revision): RpcMessage {
  const writer = new RpcWriter(MESSAGE_OVERHEAD);
  writer.uint(COMPACTION.revision, revision);
  return writer.finish();
}

/** `LeaseGrantRequest`; the server chooses the ID. */
export function encodeLeaseGrant(ttlSeconds: number): RpcMessage {
  const writer = new RpcWriter(MESSAGE_OVERHEAD);
  writer.uint(LEASE_GRANT.ttl, ttlSeconds);
  return writer.finish();
}

/** A request with the lease ID as its only field: revocation and keep-alive. */
export function encodeLeaseRequest(lease: string): RpcMessage {
  const writer = new RpcWriter(MESSAGE_OVERHEAD);
  writer.int64(LEASE_REQUEST.id, lease);
  return writer.finish();
}

/** A request without fields, such as `StatusRequest`. */
export function encodeEmpty(): RpcMessage {
  return EMPTY_MESSAGE;
}

/** `WatchRequest`. */
export function encodeWatch(request: EtcdWatchRequest): RpcMessage {
  switch (request.type) {
    case 'create': {
      const writer = new RpcWriter(MESSAGE_OVERHEAD + (request.range.start.length + request.range.end.length) * MAX_BYTES_PER_UNIT);
      const mark = writer.mark;
      writer.flag(WATCH_CREATE.fragment);
      writer.uint(WATCH_CREATE.from, request.from);
      writer.text(WATCH_CREATE.end, request.range.end);
      writer.text(WATCH_CREATE.key, request.range.start);
      writer.close(WATCH.create, mark);
      return writer.finish();
    }
    case 'progress': {
      const writer = new RpcWriter(MESSAGE_OVERHEAD);
      writer.close(WATCH.progress, writer.mark);
      return writer.finish();
    }
  }
}

function writeRange(writer: RpcWriter, request: EtcdRangeRequest): void {
  if (request.countOnly === true) writer.flag(RANGE.countOnly);
  if (request.keysOnly === true) writer.flag(RANGE.keysOnly);
  if (request.revision !== undefined) writer.uint(RANGE.revision, request.revision);
  if (request.limit !== undefined) writer.uint(RANGE.limit, request.limit);
  if (request.end !== undefined) writer.text(RANGE.end, request.end);
  writer.text(RANGE.key, request.start);
}

function writeCompare(writer: RpcWriter, compare: Compare | undefined): void {
  if (compare === undefined) return;
  const mark = writer.mark;
  if ('exists' in compare) {
    // A key exists when its create revision is greater than 0.
    writer.uint(COMPARE.createRevision, 0);
    writer.text(COMPARE.key, compare.key);
    writer.uint(COMPARE.target, CREATE_REVISION);
    writer.uint(COMPARE.result, GREATER);
  } else {
    writer.uint(COMPARE.modRevision, compare.modRevision);
    writer.text(COMPARE.key, compare.key);
    writer.uint(COMPARE.target, MOD_REVISION);
  }
  writer.close(TRANSACTION.compare, mark);
}

function writeOperation(writer: RpcWriter, operation: StoreOperation | undefined): void {
  if (operation === undefined) return;
  const mark = writer.mark;
  switch (operation.type) {
    case 'put':
      if (operation.lease !== undefined) writer.int64(PUT.lease, operation.lease);
      writer.buffer(PUT.value, operation.value);
      writer.text(PUT.key, operation.key);
      writer.close(OPERATION.put, mark);
      break;
    case 'delete':
      writer.text(DELETION.key, operation.key);
      writer.close(OPERATION.deletion, mark);
      break;
  }
  writer.close(TRANSACTION.success, mark);
}

/** The read of a compared key that runs when any comparison of the transaction fails. */
function writeElseRange(writer: RpcWriter, compare: Compare | undefined): void {
  if (compare === undefined) return;
  const mark = writer.mark;
  writer.text(RANGE.key, compare.key);
  writer.close(OPERATION.range, mark);
  writer.close(TRANSACTION.failure, mark);
}
