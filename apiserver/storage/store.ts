/**
 * The store contract: a durable, ordered map from keys to bytes with one revision counter, history and watch.
 *
 * What it is for: everything above (the cache, the registry) sees only these types; the etcd client and the
 * embedded store implement them and pass the same contract suite (`contract/`).
 * What it never does: know what a value means. Keys are opaque strings ordered by their UTF-8 bytes.
 */

/** A store revision. One counter over all keys; a committed transaction that changes something takes the next one. */
export type Revision = number;

/**
 * One key at one revision. `value` is empty when the read asked for keys only. It must not be modified, and it may be a
 * view of a larger answer: whoever keeps it for long copies it. The same holds for the values of watch events.
 */
export interface KeyValue {
  readonly key: string;
  readonly value: Buffer;
  readonly createRevision: Revision;
  readonly modRevision: Revision;
  /** Number of changes since the key was created; 1 right after creation. */
  readonly version: number;
}

/** Keys in `[start, end)`. For one key use {@link singleKey}; for a prefix use {@link prefixRange}. */
export interface KeyRange {
  readonly start: string;
  readonly end: string;
}

export interface RangeRequest extends KeyRange {
  /** Read at exactly this revision; absent = the newest, linearizable. */
  readonly revision?: Revision;
  /** At most so many entries; 0 or absent = all. Implementations page internally, pinned to the first page's revision. */
  readonly limit?: number;
  readonly keysOnly?: boolean;
}

export interface RangeResult {
  /** The store's revision when the range was read (not the requested one). */
  readonly revision: Revision;
  readonly kvs: readonly KeyValue[];
  /** True when the limit cut the range short. */
  readonly more: boolean;
  /** Number of keys in the whole range at the revision read, whatever the limit. */
  readonly count: number;
}

/** A condition on one key: its modified revision (0 = the key does not exist), or merely that it exists. */
export type Compare = { readonly key: string; readonly modRevision: Revision } | { readonly key: string; readonly exists: true };

export type StoreOperation =
  | { readonly type: 'put'; readonly key: string; readonly value: Buffer; readonly lease?: LeaseId }
  | { readonly type: 'delete'; readonly key: string };

/**
 * All compares hold → all operations are done at one new revision; otherwise nothing is done. No key is written twice.
 * The values belong to the store from the call on (a watch may be handed the same buffer): they are not modified later.
 */
export interface Transaction {
  readonly compare: readonly Compare[];
  readonly operations: readonly StoreOperation[];
}

export type TransactionResult =
  | { readonly committed: true; readonly revision: Revision }
  | {
      readonly committed: false;
      readonly revision: Revision;
      /** The present state of every compared key, in the order of `compare`; undefined = the key does not exist. */
      readonly current: readonly (KeyValue | undefined)[];
    };

export type StoreEvent =
  | { readonly type: 'put'; readonly key: string; readonly value: Buffer; readonly revision: Revision; readonly created: boolean }
  | { readonly type: 'delete'; readonly key: string; readonly revision: Revision };

/** Where a watch delivers. Calls are made in order and never overlap; a sink must not throw. */
export interface WatchSink {
  /**
   * Complete revisions, ascending: the events of one revision are never split over two calls, and everything in the
   * range up to and including `through` has been delivered once this call returns.
   */
  events(events: readonly StoreEvent[], through: Revision): void;
  /** Nothing in the range happened up to `revision` that was not delivered. */
  progress(revision: Revision): void;
  /** History needed to go on is gone: `compactRevision` is the oldest revision that can still be read. The watch has ended. */
  compacted(compactRevision: Revision): void;
  /** The connection was lost (the watch resumes by itself after the last delivered event), or is established (again). */
  connection(state: 'connected' | 'disconnected'): void;
}

export interface Watch {
  /** Asks for a `progress` call. False where the store cannot answer this in order (etcd before 3.4.31 and 3.5.13). */
  requestProgress(): boolean;
  /** Drops the connection and resumes on another one (another member, where there are several) after the last delivered event. */
  reopen(): void;
  /** Stops taking events from the store until `resume`: back-pressure for a sink that cannot keep up. */
  pause(): void;
  resume(): void;
  /** Ends the watch; no sink call is made afterwards. */
  close(): void;
}

export type LeaseId = string;

export interface StoreCallOptions {
  /** When to give up, in milliseconds of {@link Clock.monotonic}; absent = the implementation's default of 10 s. */
  readonly deadline?: number;
}

export interface StoreStatus {
  readonly version: string;
  readonly revision: Revision;
  /** Bytes that the database occupies. */
  readonly size: number;
  /** How often removing what compaction made unreadable has failed since the start; absent where the store's server does that by itself. */
  readonly purgeFailures?: number;
}

/** Every method rejects with a {@link StoreError} and nothing else. */
export interface Store {
  get(
    key: string,
    options?: StoreCallOptions & { readonly revision?: Revision },
  ): Promise<{ readonly revision: Revision; readonly kv: KeyValue | undefined }>;
  range(request: RangeRequest, options?: StoreCallOptions): Promise<RangeResult>;
  count(range: KeyRange, options?: StoreCallOptions): Promise<{ readonly revision: Revision; readonly count: number }>;
  /** `ambiguous` = it may or may not have been done; settle it with `commit` (commit.ts), never by a blind retry. */
  transact(transaction: Transaction, options?: StoreCallOptions): Promise<TransactionResult>;
  /** Events in `range` with revision ≥ `from` (≥ 1; a future revision waits until it is reached). */
  watch(range: KeyRange, from: Revision, sink: WatchSink): Watch;
  /** The newest revision, linearizable. */
  revision(options?: StoreCallOptions): Promise<Revision>;
  /** The same at once, where the store has nobody to ask; throws a {@link StoreError} and nothing else. Absent = it has to ask. */
  revisionNow?(options?: StoreCallOptions): Revision;
  /**
   * How many of the newest revisions, at most `most`, wrote so many bytes of values together, or little more. Absent = it would have to read them.
   */
  revisionsWithin?(bytes: number, most: number): Promise<number>;
  /** Forgets history before `revision`, which itself stays readable. An older or equal one than the last is no error. */
  compact(revision: Revision, options?: StoreCallOptions): Promise<void>;
  /**
   * The key's newest state, where its value is written in another way than it would be now: with a key that has been replaced, or not encrypted yet.
   * Absent = there is only one way.
   */
  outdated?(key: string, options?: StoreCallOptions): Promise<KeyValue | undefined>;
  grantLease(ttlSeconds: number, options?: StoreCallOptions): Promise<LeaseId>;
  /** Renews; rejects with `lease-not-found` when it has expired. */
  keepLeaseAlive(lease: LeaseId, options?: StoreCallOptions): Promise<void>;
  /** Ends the lease at once and deletes its keys. */
  revokeLease(lease: LeaseId, options?: StoreCallOptions): Promise<void>;
  status(options?: StoreCallOptions): Promise<StoreStatus>;
  /** Rejects when the store does not answer, or is known to take no writes. May be asked at any rate. */
  health(options?: StoreCallOptions): Promise<void>;
  /** The most operations that one transaction may hold. */
  readonly maxOperations: number;
  close(): Promise<void>;
}

export type StoreFailure =
  /** The revision asked for was compacted; `compactRevision` is set. */
  | 'compacted'
  /** The revision asked for does not exist yet. */
  | 'future-revision'
  /** The request certainly had no effect: not sent, or refused before it was looked at. */
  | 'unavailable'
  /** A write was sent and its answer lost. */
  | 'ambiguous'
  /** A read was not answered in time. */
  | 'deadline'
  | 'too-large'
  /** The store is full. A write may have been done all the same (the one that filled it); settle it with `commit`. */
  | 'no-space'
  | 'lease-not-found'
  /** What is stored cannot be read, or a value cannot be encrypted; the message is for the client. */
  | 'unreadable'
  /** The store answered something that it never should. */
  | 'internal'
  | 'closed';

export class StoreError extends Error {
  override readonly name = 'StoreError';
  constructor(
    readonly failure: StoreFailure,
    message: string,
    readonly compactRevision?: Revision,
  ) {
    super(message);
  }
}

/** The range that holds exactly `key`. */
export function singleKey(key: string): KeyRange {
  return { start: key, end: `${key}\0` };
}

/** The range of all keys that start with `prefix`, which must end in an ASCII character below DEL (in practice `/`). */
export function prefixRange(prefix: string): KeyRange {
  const last = prefix.charCodeAt(prefix.length - 1);
  return { start: prefix, end: prefix.slice(0, -1) + String.fromCharCode(last + 1) };
}
