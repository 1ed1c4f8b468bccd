/**
 * The etcd responses that the store receives, decoded to the types of the store contract. Field numbers are those of
 * etcd's published API. Values are views of the received message.
 */
import { WireReader } from '../../../shared/serialization/protobuf/wire';
import type { KeyValue, Revision, TransactionResult, StoreEvent } from '../store';

const EMPTY_VALUE = Buffer.alloc(0);

/** Field numbers of each message. */
const HEADER = { revision: 3 } as const;
const RANGE = { header: 1, kvs: 2, more: 3, count: 4 } as const;
const KEY_VALUE = { key: 1, createRevision: 2, modRevision: 3, version: 4, value: 5 } as const;
const TRANSACTION = { header: 1, succeeded: 2, responses: 3 } as const;
const OPERATION = { range: 1 } as const;
const LEASE = { id: 2, ttl: 3 } as const;
const STATUS = { header: 1, version: 2, size: 3, errors: 8 } as const;
const WATCH = {
  header: 1,
  created: 3,
  canceled: 4,
  compactRevision: 5,
  fragment: 7,
  events: 11,
} as const;
const EVENT = { isDeletion: 1, kv: 2 } as const;

/** One page of a range. */
export interface EtcdRangeResponse {
  /** The store's revision when the page was read. */
  readonly revision: Revision;
  readonly kvs: KeyValue[];
  /** Whether the limit left out keys. */
  readonly more: boolean;
  /** Number of keys from the start of the page to the end of the range. */
  readonly count: number;
  /** Size of the message in bytes. */
  readonly bytes: number;
}

/**
 * A message from a watch stream. It is a confirmation (`created`), an end (`canceled`), or has `events`; a message that is
 * none of these is a progress notification.
 */
export interface EtcdWatchResponse {
  readonly revision: Revision;
  /** Confirms that the watch was created. */
  readonly created: boolean;
  /** The member has ended the watch. */
  readonly canceled: boolean;
  /** With `canceled`: the oldest readable revision when the watch asked for an older one; else 0. */
  readonly compactRevision: Revision;
  /** More fragments of the same response follow. */
  readonly fragment: boolean;
  readonly events: StoreEvent[];
}

/** The state of one member. */
export interface EtcdStatusResponse {
  readonly version: string;
  readonly revision: Revision;
  /** Size of the database in bytes. */
  readonly size: number;
  /** Set while the alarm NOSPACE is raised. */
  readonly spaceError?: string;
}

/** Also the response to a count, which has no keys. */
export function decodeRange(bytes: Buffer): EtcdRangeResponse {
  return readRange(new WireReader(bytes), bytes.length);
}

/**
 * `TxnResponse`; `current` of a refused transaction comes from the reads of its failure branch. Relies on the order in
 * which etcd encodes fields: `succeeded` precedes the responses.
 */
export function decodeTransaction(bytes: Buffer): TransactionResult {
  const reader = new WireReader(bytes);
  let revision = 0;
  let committed = false;
  const current: (KeyValue | undefined)[] = [];
  while (reader.next()) {
    switch (reader.field) {
      case TRANSACTION.header:
        revision = readHeader(reader.message());
        break;
      case TRANSACTION.succeeded:
        committed = reader.bool();
        break;
      case TRANSACTION.responses:
        if (committed) reader.skipField();
        else current.push(readElseRange(reader.message()));
        break;
      default:
        reader.skipField();
    }
  }
  return committed ? { committed, revision } : { committed, revision, current };
}

/** The state of one lease. */
export interface EtcdLeaseResponse {
  readonly lease: string;
  /** 0: the lease does not exist. */
  readonly ttlSeconds: number;
}

/** `LeaseGrantResponse` and `LeaseKeepAliveResponse`, which share these fields. */
export function decodeLeaseResponse(bytes: Buffer): EtcdLeaseResponse {
  const reader = new WireReader(bytes);
  let lease = '0';
  let ttlSeconds = 0;
  while (reader.next()) {
    if (reader.field === LEASE.id) lease = String(reader.integer());
    else if (reader.field === LEASE.ttl) ttlSeconds = Number(reader.integer());
    else reader.skipField();
  }
  return { lease, ttlSeconds };
}

/** The decoder of responses without data that the store needs. */
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
    if (reader.field === STATUS.header) revision = readHeader(reader.message());
    else if (reader.field === STATUS.version) version = reader.string();
    else if (reader.field === STATUS.size) size = Number(reader.integer());
    else if (reader.field === STATUS.errors) isFull = reader.string().includes('alarm:NOSPACE') || isFull;
    else reader.skipField();
  }
  return { version, revision, size, ...(isFull && { spaceError: SPACE_ERROR }) };
}

/** `WatchResponse`; events are in order of revisions. */
export function decodeWatch(bytes: Buffer): EtcdWatchResponse {
  const reader = new WireReader(bytes);
  let revision = 0;
  let created = false;
  let canceled = false;
  let compactRevision = 0;
  let fragment = false;
  const events: StoreEvent[] = [];
  while (reader.next()) {
    switch (reader.field) {
      case WATCH.header:
        revision = readHeader(reader.message());
        break;
      case WATCH.created:
        created = reader.bool();
        break;
      case WATCH.canceled:
        canceled = reader.bool();
        break;
      case WATCH.compactRevision:
        compactRevision = Number(reader.integer());
        break;
      case WATCH.fragment:
        fragment = reader.bool();
        break;
      case WATCH.events:
        events.push(readEvent(reader.message()));
        break;
      default:
        reader.skipField();
    }
  }
  return { revision, created, canceled, compactRevision, fragment, events };
}

/** The result of one read of the failure branch: a range of a single key. */
function readElseRange(reader: WireReader): KeyValue | undefined {
  let first: KeyValue | undefined;
  while (reader.next()) {
    if (reader.field === OPERATION.range) [first] = readRange(reader.message(), 0).kvs;
    else reader.skipField();
  }
  return first;
}

function readHeader(reader: WireReader): Revision {
  let revision = 0;
  while (reader.next()) {
    if (reader.field === HEADER.revision) revision = Number(reader.integer());
    else reader.skipField();
  }
  return revision;
}

/** `bytes` is the size to report; the reads of a transaction, which do not use it, pass 0. */
function readRange(reader: WireReader, bytes: number): EtcdRangeResponse {
  let revision = 0;
  let more = false;
  let count = 0;
  const kvs: KeyValue[] = [];
  while (reader.next()) {
    switch (reader.field) {
      case RANGE.header:
        revision = readHeader(reader.message());
        break;
      case RANGE.kvs:
        kvs.push(readKeyValue(reader.message()));
        break;
      case RANGE.more:
        more = reader.bool();
        break;
      case RANGE.count:
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
      case KEY_VALUE.key:
        key = reader.string();
        break;
      case KEY_VALUE.createRevision:
        createRevision = Number(reader.integer());
        break;
      case KEY_VALUE.modRevision:
        modRevision = Number(reader.integer());
        break;
      case KEY_VALUE.version:
        version = Number(reader.integer());
        break;
      case KEY_VALUE.value:
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
    if (reader.field === EVENT.isDeletion) deleted = reader.bool();
    else if (reader.field === EVENT.kv) kv = readKeyValue(reader.message());
    else reader.skipField();
  }
  if (kv === undefined) throw new Error('a watch event without a key');
  const { key, value, modRevision, createRevision } = kv;
  if (deleted) return { type: 'delete', key, revision: modRevision };
  return { type: 'put', key, value, revision: modRevision, created: createRevision === modRevision };
}
