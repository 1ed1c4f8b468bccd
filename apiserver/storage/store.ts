/**
 * The store contract: a durable, ordered map from keys to bytes with one revision counter, history and watches. The
 * cache and the registry use only these types; the etcd client and the embedded store implement them and pass the same
 * contract suite (`contract/`).
 *
 * A store does not interpret values. Keys are opaque strings, ordered by their UTF-8 bytes.
 */

/** One counter over all keys; a committed transaction that changes at least one key takes the next revision. */
export type Revision = number;

/**
 * One key at one revision. `value` is empty when the read asked for keys only. It must not be modified, and it may be a
 * view of a larger response buffer: copy it before keeping it for long. The same holds for the values of watch events.
 */
export interface KeyValue {
  readonly key: string;
  readonly value: Buffer;
  /** The revision that created the key; a deleted key that is created again has a new one. */
  readonly createRevision: Revision;
  /** The revision of the last change. */
  readonly modRevision: Revision;
  /** Number of puts since the key was created, its creation included: 1 right after creation. */
  readonly version: number;
}

/** Keys in `[start, end)`. For one key use {@link singleKey}; for a prefix use {@link prefixRange}. */
export interface KeyRange {
  readonly start: string;
  readonly end: string;
}

/** A read of a range: its result is consistent at one revision. */
export interface RangeRequest extends KeyRange {
  /** Read at exactly this revision; absent: the newest, as a linearizable read. */
  readonly revision?: Revision;
  /**
   * Maximum number of entries; 0 or absent: unlimited. Implementations page internally, pinned to the revision of the
   * first page.
   */
  readonly limit?: number;
  /** Leaves the values empty; absent: they are read. */
  readonly keysOnly?: boolean;
}

/** The part of a range within the limit, and the size of the whole range. */
export interface RangeResult {
  /** The store's revision when the range was read (not the requested one). */
  readonly revision: Revision;
  /** In the order of the keys. */
  readonly kvs: readonly KeyValue[];
  /** True when the limit cut the range short. */
  readonly more: boolean;
  /** Number of keys in the whole range at the revision read, whatever the limit. */
  readonly count: number;
}

/** A condition on one key: its modified revision (0: the key does not exist), or merely that it exists. */
export type Compare = { readonly key: string; readonly modRevision: Revision } | { readonly key: string; readonly exists: true };

/**
 * One write of a transaction. A put without `lease` detaches the key from its lease; deleting a key that does not
 * exist changes nothing.
 */
export type StoreOperation =
  | { readonly type: 'put'; readonly key: string; readonly value: Buffer; readonly lease?: LeaseId }
  | { readonly type: 'delete'; readonly key: string };

/**
 * If all compares hold, all operations are applied at one new revision; otherwise nothing is applied. A transaction
 * writes each key at most once. The store owns the values from the call on (a watch may deliver the same buffer): the
 * caller must not modify them.
 */
export interface Transaction {
  readonly compare: readonly Compare[];
  readonly operations: readonly StoreOperation[];
}

/**
 * `revision` is that of the transaction when it was committed and changed something; otherwise the store's revision
 * when it was evaluated.
 */
export type TransactionResult =
  | { readonly committed: true; readonly revision: Revision }
  | {
      readonly committed: false;
      readonly revision: Revision;
      /** The current state of every compared key, in the order of `compare`; undefined when the key does not exist. */
      readonly current: readonly (KeyValue | undefined)[];
    };

/** One change of one key; `created` is false when a put replaced an existing value. */
export type StoreEvent =
  | { readonly type: 'put'; readonly key: string; readonly value: Buffer; readonly revision: Revision; readonly created: boolean }
  | { readonly type: 'delete'; readonly key: string; readonly revision: Revision };

/** Receives the events of a watch. Calls are made in order and never overlap; a sink must not throw. */
export interface WatchSink {
  /**
   * Delivers complete revisions, ascending: the events of one revision are never split over two calls, and everything
   * in the range up to and including `through` has been delivered once this call returns.
   */
  events(events: readonly StoreEvent[], through: Revision): void;
  /** A progress notification: every event in the range up to `revision` has been delivered. */
  progress(revision: Revision): void;
  /**
   * The history needed to continue has been compacted; `compactRevision` is the oldest readable revision. The watch has
   * ended.
   */
  compacted(compactRevision: Revision): void;
  /**
   * `disconnected`: the watch resumes by itself after the last delivered event. `connected`: the connection is
   * established, again or for the first time.
   */
  connection(state: 'connected' | 'disconnected'): void;
}

/** The controls of an open watch, for its owner. */
export interface Watch {
  /**
   * Requests a `progress` call of the sink. Returns false, without a request, where a progress notification may overtake
   * events (etcd 3.4 before 3.4.31 and etcd 3.5 before 3.5.13), while the version of etcd is not known yet, and after
   * `close`.
   */
  requestProgress(): boolean;
  /**
   * Drops the connection and resumes on another one, to another member where there are several, after the last
   * delivered event.
   */
  reopen(): void;
  /** Stops reading events from the store until `resume`: back-pressure for a sink that cannot keep up. */
  pause(): void;
  /** Continues reading after `pause`; nothing was lost in between. */
  resume(): void;
  /** Ends the watch; no sink call is made afterwards. */
  close(): void;
}

/** A positive 64-bit integer in decimal, which a number cannot hold. */
export type LeaseId = string;

/** Options that every call takes. */
export interface StoreCallOptions {
  /** Deadline in milliseconds of {@link Clock.monotonic}; absent: the default of the implementation, 10 s from now. */
  readonly deadline?: number;
}

/** The state of the database as the store's server reports it. */
export interface StoreStatus {
  /** Version of etcd, such as `3.5.12`; `embedded` for the embedded store. */
  readonly version: string;
  readonly revision: Revision;
  /** Size of the database in bytes. */
  readonly size: number;
  /**
   * Number of failed attempts since the start to purge compacted revisions; absent where the store's server purges by
   * itself.
   */
  readonly purgeFailures?: number;
  /**
   * Why the store takes no writes that need space. Absent while it takes them, and where {@link Store.health} reports
   * it.
   */
  readonly spaceError?: string;
}

/** Every method that returns a promise rejects with a {@link StoreError}, never with another error; `watch` throws one. */
export interface Store {
  /**
   * The state of a key at `revision`, by default the newest, as a linearizable read. The result's `revision` is the
   * store's revision at the time of the read.
   */
  get(
    key: string,
    options?: StoreCallOptions & { readonly revision?: Revision },
  ): Promise<{ readonly revision: Revision; readonly kv: KeyValue | undefined }>;
  /** The keys and values of a range, in the order of the keys. See {@link RangeRequest}. */
  range(request: RangeRequest, options?: StoreCallOptions): Promise<RangeResult>;
  /** The number of keys in a range, at the newest revision. */
  count(range: KeyRange, options?: StoreCallOptions): Promise<{ readonly revision: Revision; readonly count: number }>;
  /**
   * Applies the operations if the conditions hold; a failed condition is a result, not an error. On `ambiguous` the
   * transaction may or may not have been committed; resolve it with `commit` (commit.ts), never by a blind retry.
   */
  transact(transaction: Transaction, options?: StoreCallOptions): Promise<TransactionResult>;
  /** Events in `range` with revision ≥ `from` (≥ 1; a future revision waits until it is reached). */
  watch(range: KeyRange, from: Revision, sink: WatchSink): Watch;
  /** The newest revision, linearizable. */
  revision(options?: StoreCallOptions): Promise<Revision>;
  /**
   * The newest revision, synchronously. Throws only {@link StoreError}. Absent when the store needs a request to know
   * it.
   */
  revisionSync?(options?: StoreCallOptions): Revision;
  /**
   * The number of newest revisions that together wrote at least `bytes` bytes of values; `limit` when the newest `limit`
   * ones wrote less. Absent when the store would have to read the values.
   */
  revisionsWithin?(bytes: number, limit: number): Promise<number>;
  /**
   * Discards the history before `revision`, which itself stays readable. Compacting at an already compacted revision is
   * no error.
   */
  compact(revision: Revision, options?: StoreCallOptions): Promise<void>;
  /**
   * The newest state of a key if its stored value is stale: not encrypted with the current write key, or not encrypted
   * although it should be. Resolves with undefined when the value is current. Absent when the store has a single
   * encoding.
   */
  getStale?(key: string, options?: StoreCallOptions): Promise<KeyValue | undefined>;
  /** Creates a lease that expires `ttlSeconds` after it was last renewed. The store deletes the keys of an expired lease. */
  grantLease(ttlSeconds: number, options?: StoreCallOptions): Promise<LeaseId>;
  /** Renews the lease; rejects with `lease-not-found` when it has expired. */
  keepLeaseAlive(lease: LeaseId, options?: StoreCallOptions): Promise<void>;
  /** Ends the lease immediately and deletes its keys. */
  revokeLease(lease: LeaseId, options?: StoreCallOptions): Promise<void>;
  /** The state of the store as far as its server reports it; not linearizable. */
  status(options?: StoreCallOptions): Promise<StoreStatus>;
  /** Rejects when the store does not respond or is known not to accept writes. May be called at any rate. */
  health(options?: StoreCallOptions): Promise<void>;
  /** Maximum number of operations in one transaction. */
  readonly maxOperations: number;
  /**
   * Closes the connections or files; watches end. Later calls are rejected with `closed`. The embedded store completes
   * pending calls. The etcd store rejects them: a write that was already sent with `ambiguous`.
   */
  close(): Promise<void>;
}

/** Why a call failed. */
export type StoreFailure =
  /** The requested revision was compacted; `compactRevision` is set. */
  | 'compacted'
  /** The requested revision does not exist yet. */
  | 'future-revision'
  /** The request certainly had no effect: it was not sent, or was refused before it was processed. */
  | 'unavailable'
  /** A write was sent and its response lost. */
  | 'ambiguous'
  /** A read got no response before its deadline. */
  | 'deadline'
  /** The transaction exceeds the size or the number of operations that the store takes; nothing was written. */
  | 'too-large'
  /**
   * The store is full. The write may have been committed all the same (the one that filled it); resolve it with
   * `commit`.
   */
  | 'no-space'
  /** The lease was never granted, or has ended. */
  | 'lease-not-found'
  /** A stored value cannot be read, or a value cannot be encrypted; the message is meant for the client. */
  | 'unreadable'
  /** The files of the store are damaged; the message names them and the remedy. */
  | 'damaged'
  /** The call violates the contract (a malformed key, a key written twice), or the store failed unexpectedly. */
  | 'internal'
  /** The store was closed, or has stopped because another process writes to its files. */
  | 'closed';

/** The only error of a store. `compactRevision` is the oldest readable revision, set for `compacted` only. */
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

/** The range that contains only `key`. */
export function singleKey(key: string): KeyRange {
  return { start: key, end: `${key}\0` };
}

/**
 * The range of all keys with `prefix`: `/a/` -> `['/a/', '/a0')`. The end is the prefix with its last character
 * incremented, so that character must be ASCII below DEL (in practice it is `/`).
 */
export function prefixRange(prefix: string): KeyRange {
  const last = prefix.charCodeAt(prefix.length - 1);
  return { start: prefix, end: prefix.slice(0, -1) + String.fromCharCode(last + 1) };
}
