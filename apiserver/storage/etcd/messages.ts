/**
 * The etcd messages that the store uses: encodes requests and decodes responses to the types of the store contract.
 * Field numbers are those of etcd's published API. Values in responses are views of the received message.
 */
import { WireReader } from '../../../shared/serialization/protobuf/wire';
import type { Compare, KeyRange, KeyValue, StoreOperation, Revision, Transaction, TransactionResult, StoreEvent } from '../store';
import { RpcWriter, type RpcMessage } from './rpc-writer';

const EMPTY_VALUE = Buffer.alloc(0);
const EMPTY_MESSAGE = new RpcWriter(0).finish();
/** An upper bound of the tags, lengths, numbers and flags of one message and its parents. */
const MESSAGE_OVERHEAD = 64;
/** Maximum UTF-8 bytes of one UTF-16 unit. */
const MAX_BYTES_PER_UNIT = 3;

export interface EtcdRangeRequest {
  readonly start: string;
  /** Absent = only the key `start`. */
  readonly end?: string;
  readonly revision?: Revision;
  readonly limit?: number;
  readonly keysOnly?: boolean;
  readonly countOnly?: boolean;
}

export interface EtcdRangeResponse {
  readonly revision: Revision;
  readonly kvs: KeyValue[];
  readonly more: boolean;
  readonly count: number;
  /** Size of the message in bytes. */
  readonly bytes: number;
}

export interface EtcdWatchResponse {
  readonly revision: Revision;
  /** -1 = the response concerns every watch of the stream. */
  readonly watchId: number;
  readonly created: boolean;
  readonly canceled: boolean;
  readonly compactRevision: Revision;
  readonly cancelReason: string;
  /** More fragments of the same response follow. */
  readonly fragment: boolean;
  readonly events: StoreEvent[];
}

export interface EtcdStatusResponse {
  readonly version: string;
  readonly revision: Revision;
  readonly size: number;
  /** Set while the alarm NOSPACE is raised. */
  readonly spaceError?: string;
}

export type EtcdWatchRequest =
  | { readonly type: 'create'; readonly range: KeyRange; readonly from: Revision }
  | { readonly type: 'progress' };

export function encodeRange(request: EtcdRangeRequest): RpcMessage {
  const writer = new RpcWriter(MESSAGE_OVERHEAD + (request.start.length + (request.end?.length ?? 0)) * MAX_BYTES_PER_UNIT);
  writeRange(writer, request);
  return writer.finish();
}

export function decodeRange(bytes: Buffer): EtcdRangeResponse {
  return readRange(new WireReader(bytes), bytes.length);
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

export function decodeTransaction(bytes: Buffer): TransactionResult {
  const reader = new WireReader(bytes);
  let revision = 0;
  let committed = false;
  const current: (KeyValue | undefined)[] = [];
  while (reader.next()) {
    switch (reader.field) {
      case 1:
        revision = readHeader(reader.message());
        break;
      case 2:
        committed = reader.bool();
        break;
      case 3:
        if (committed) reader.skipField();
        else current.push(readElseRange(reader.message()));
        break;
      default:
        reader.skipField();
    }
  }
  return committed ? { committed, revision } : { committed, revision, current };
}

/** Encodes a txn of `count` reads that changes nothing; the server refuses it when `count` exceeds its limit. */
export function encodeReadOnlyTransaction(count: number): RpcMessage {
  const writer = new RpcWriter(MESSAGE_OVERHEAD + count * MESSAGE_OVERHEAD);
  for (let index = 0; index < count; index++) {
    const mark = writer.mark;
    writeRange(writer, { start: '\0', countOnly: true });
    writer.close(1, mark);
    writer.close(2, mark);
  }
  return writer.finish();
}

export function encodeCompaction(revision: Revision): RpcMessage {
  const writer = new RpcWriter(MESSAGE_OVERHEAD);
  writer.uint(1, revision);
  return writer.finish();
}

export function encodeLeaseGrant(ttlSeconds: number): RpcMessage {
  const writer = new RpcWriter(MESSAGE_OVERHEAD);
  writer.uint(1, ttlSeconds);
  return writer.finish();
}

/** A request with the lease ID as its only field: revocation and keep-alive. */
export function encodeLeaseRequest(lease: string): RpcMessage {
  const writer = new RpcWriter(MESSAGE_OVERHEAD);
  writer.int64(1, lease);
  return writer.finish();
}

export interface EtcdLeaseResponse {
  readonly lease: string;
  /** 0 = the lease does not exist. */
  readonly ttlSeconds: number;
}

export function decodeLeaseResponse(bytes: Buffer): EtcdLeaseResponse {
  const reader = new WireReader(bytes);
  let lease = '0';
  let ttlSeconds = 0;
  while (reader.next()) {
    if (reader.field === 2) lease = String(reader.integer());
    else if (reader.field === 3) ttlSeconds = Number(reader.integer());
    else reader.skipField();
  }
  return { lease, ttlSeconds };
}

export function encodeEmpty(): RpcMessage {
  return EMPTY_MESSAGE;
}

/** For responses that carry no data. */
export function ignoreResponse(): true {
  return true;
}

const SPACE_ERROR = 'etcd has raised the alarm NOSPACE: its database exceeds --quota-backend-bytes';

/** Since etcd 3.4 the status contains the alarms of the cluster. */
export function decodeStatus(bytes: Buffer): EtcdStatusResponse {
  const reader = new WireReader(bytes);
  let revision = 0;
  let version = '';
  let size = 0;
  let isFull = false;
  while (reader.next()) {
    if (reader.field === 1) revision = readHeader(reader.message());
    else if (reader.field === 2) version = reader.string();
    else if (reader.field === 3) size = Number(reader.integer());
    else if (reader.field === 8) isFull = reader.string().includes('alarm:NOSPACE') || isFull;
    else reader.skipField();
  }
  return { version, revision, size, ...(isFull && { spaceError: SPACE_ERROR }) };
}

export function encodeWatch(request: EtcdWatchRequest): RpcMessage {
  switch (request.type) {
    case 'create': {
      const writer = new RpcWriter(MESSAGE_OVERHEAD + (request.range.start.length + request.range.end.length) * MAX_BYTES_PER_UNIT);
      const mark = writer.mark;
      writer.flag(8);
      writer.uint(3, request.from);
      writer.text(2, request.range.end);
      writer.text(1, request.range.start);
      writer.close(1, mark);
      return writer.finish();
    }
    case 'progress': {
      const writer = new RpcWriter(MESSAGE_OVERHEAD);
      writer.close(3, writer.mark);
      return writer.finish();
    }
  }
}

export function decodeWatch(bytes: Buffer): EtcdWatchResponse {
  const reader = new WireReader(bytes);
  let revision = 0;
  let watchId = 0;
  let created = false;
  let canceled = false;
  let compactRevision = 0;
  let cancelReason = '';
  let fragment = false;
  const events: StoreEvent[] = [];
  while (reader.next()) {
    switch (reader.field) {
      case 1:
        revision = readHeader(reader.message());
        break;
      case 2:
        watchId = Number(reader.integer());
        break;
      case 3:
        created = reader.bool();
        break;
      case 4:
        canceled = reader.bool();
        break;
      case 5:
        compactRevision = Number(reader.integer());
        break;
      case 6:
        cancelReason = reader.string();
        break;
      case 7:
        fragment = reader.bool();
        break;
      case 11:
        events.push(readEvent(reader.message()));
        break;
      default:
        reader.skipField();
    }
  }
  return { revision, watchId, created, canceled, compactRevision, cancelReason, fragment, events };
}

function writeRange(writer: RpcWriter, request: EtcdRangeRequest): void {
  if (request.countOnly === true) writer.flag(9);
  if (request.keysOnly === true) writer.flag(8);
  if (request.revision !== undefined) writer.uint(4, request.revision);
  if (request.limit !== undefined) writer.uint(3, request.limit);
  if (request.end !== undefined) writer.text(2, request.end);
  writer.text(1, request.start);
}

function writeCompare(writer: RpcWriter, compare: Compare | undefined): void {
  if (compare === undefined) return;
  const mark = writer.mark;
  if ('exists' in compare) {
    // create revision > 0
    writer.uint(5, 0);
    writer.text(3, compare.key);
    writer.uint(2, 1);
    writer.uint(1, 1);
  } else {
    writer.uint(6, compare.modRevision);
    writer.text(3, compare.key);
    writer.uint(2, 2);
  }
  writer.close(1, mark);
}

function writeOperation(writer: RpcWriter, operation: StoreOperation | undefined): void {
  if (operation === undefined) return;
  const mark = writer.mark;
  switch (operation.type) {
    case 'put':
      if (operation.lease !== undefined) writer.int64(3, operation.lease);
      writer.buffer(2, operation.value);
      writer.text(1, operation.key);
      writer.close(2, mark);
      break;
    case 'delete':
      writer.text(1, operation.key);
      writer.close(3, mark);
      break;
  }
  writer.close(2, mark);
}

function writeElseRange(writer: RpcWriter, compare: Compare | undefined): void {
  if (compare === undefined) return;
  const mark = writer.mark;
  writer.text(1, compare.key);
  writer.close(1, mark);
  writer.close(3, mark);
}

function readElseRange(reader: WireReader): KeyValue | undefined {
  let first: KeyValue | undefined;
  while (reader.next()) {
    if (reader.field === 1) [first] = readRange(reader.message(), 0).kvs;
    else reader.skipField();
  }
  return first;
}

function readHeader(reader: WireReader): Revision {
  let revision = 0;
  while (reader.next()) {
    if (reader.field === 3) revision = Number(reader.integer());
    else reader.skipField();
  }
  return revision;
}

function readRange(reader: WireReader, bytes: number): EtcdRangeResponse {
  let revision = 0;
  let more = false;
  let count = 0;
  const kvs: KeyValue[] = [];
  while (reader.next()) {
    switch (reader.field) {
      case 1:
        revision = readHeader(reader.message());
        break;
      case 2:
        kvs.push(readKeyValue(reader.message()));
        break;
      case 3:
        more = reader.bool();
        break;
      case 4:
        count = Number(reader.integer());
        break;
      default:
        reader.skipField();
    }
  }
  return { revision, kvs, more, count, bytes };
}

function readKeyValue(reader: WireReader): KeyValue {
  let key = '';
  let value: Buffer = EMPTY_VALUE;
  let createRevision = 0;
  let modRevision = 0;
  let version = 0;
  while (reader.next()) {
    switch (reader.field) {
      case 1:
        key = reader.string();
        break;
      case 2:
        createRevision = Number(reader.integer());
        break;
      case 3:
        modRevision = Number(reader.integer());
        break;
      case 4:
        version = Number(reader.integer());
        break;
      case 5:
        value = reader.bytes();
        break;
      default:
        reader.skipField();
    }
  }
  return { key, value, createRevision, modRevision, version };
}

function readEvent(reader: WireReader): StoreEvent {
  let deleted = false;
  let kv: KeyValue | undefined;
  while (reader.next()) {
    if (reader.field === 1) deleted = reader.bool();
    else if (reader.field === 2) kv = readKeyValue(reader.message());
    else reader.skipField();
  }
  if (kv === undefined) throw new Error('a watch event without a key');
  const { key, value, modRevision, createRevision } = kv;
  if (deleted) return { type: 'delete', key, revision: modRevision };
  return { type: 'put', key, value, revision: modRevision, created: createRevision === modRevision };
}
