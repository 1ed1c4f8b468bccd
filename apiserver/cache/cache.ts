/**
 * The cache's contract with the registry: a replica of the whole key space at one revision. All reads and watches are
 * served from it. It does not know HTTP or users. It writes two keys only: the tick, which makes the event stream
 * advance, and the key through which the replicas coordinate compaction. Stored objects have the form of
 * store/stored-value.ts.
 */
import type { Revision } from '../storage/store';

/** Names with values: the labels of an object, or its selectable fields. */
export type Labels = Readonly<Record<string, string>>;

/** A stored type: one row per kind that is kept in the store, independent of the versions that serve it. */
export interface StoredType {
  /** `configmaps`, `leases.coordination.platform.io`: unique; used in metrics and logs. */
  readonly name: string;
  /** Key segment below the prefix, without leading and trailing slash: `configmaps`, `services/specs`. */
  readonly segment: string;
  /** Whether the keys of its objects begin with a namespace. */
  readonly namespaced: boolean;
  /** Names in `Entry.fields` by which lists find objects without reading all of them. */
  readonly indexedFields?: readonly string[];
}

/** One object at one revision. Immutable; owns its bytes. */
export interface Entry {
  /** Key below the type's segment: `namespace/name`, or `name` for cluster-scoped types. */
  readonly key: string;
  /** The revision of the write that stored this state: the object's resourceVersion. */
  readonly revision: Revision;
  /**
   * The object's canonical JSON with resourceVersion but without kind and apiVersion: `{"metadata":{…},…}`, in the
   * canonical dialect. Must not be modified.
   */
  readonly bytes: Buffer;
  readonly labels: Labels;
  /** Selectable fields other than metadata.name and metadata.namespace. */
  readonly fields: Labels;
  /** True when a value in the object names an API group that is spelled differently in the other dialect. */
  readonly isDialectSensitive: boolean;
}

/** A sorted, immutable state of one type at one revision. Keys are ordered by their UTF-8 bytes. */
export interface Snapshot {
  readonly revision: Revision;
  /** Number of entries. */
  readonly size: number;
  /** The entry of a key below the type's segment. */
  get(key: string): Entry | undefined;
  /**
   * Entries with `start` ≤ key < `end` in order; an absent bound is open. The iteration may be abandoned at any point.
   */
  range(start?: string, end?: string): Iterable<Entry>;
  /**
   * The entries of the range that may have the field value, in order; the caller still has to compare. Without a usable
   * index these are all entries of the range. An index is usable when the field has one, few objects have the value, and
   * the type has not changed since the snapshot was taken.
   */
  rangeWith(selected: SelectedField, start?: string, end?: string): Iterable<Entry>;
  /** Number of entries in the range. O(log n) where the type allows it, never slower than an iteration. */
  count(start?: string, end?: string): number;
  /**
   * Set when only a part of the requested range was read from the store (see `snapshotAt` with a limit): `get` and
   * `range` do not know the keys from here on; call `snapshotAt` again with this key as `start`. `count` includes them.
   */
  readonly unknownFrom?: string;
}

/** The part of a past state that is going to be read. */
export interface SnapshotRequest extends WaitOptions {
  /** Only keys in [start, end) are needed; an absent bound is open. */
  readonly start?: string;
  readonly end?: string;
  /**
   * This many entries of the range suffice, so that a read from the store takes bounded memory; absent for all of them.
   * A state in memory is returned whole.
   */
  readonly limit?: number;
  /** The store is known to have reached the revision: a cache that has not reads the store instead of waiting. */
  readonly isInStore?: boolean;
}

/** One change of one object, created once and shared by all watchers. */
export interface Change {
  /** The revision of the write or deletion. */
  readonly revision: Revision;
  /** Key below the type's segment. */
  readonly key: string;
  /** The state after the change; absent for a deletion. */
  readonly current: Entry | undefined;
  /**
   * The state before the change; absent for a creation. Also absent for a modification that was replayed from the store
   * to a watcher without `matches`, which needs no earlier state: rely on the event type instead.
   */
  readonly previous: Entry | undefined;
  /**
   * Encoded frames by encoding key (event type, version, media type, dialect), filled by the endpoint layer. The cache
   * drops the frames of older changes and puts an empty map in their place, so read the property again for every frame.
   */
  readonly frames: Map<string, Buffer>;
}

/** A field selector term with the required value; entries without the field have the empty value. */
export interface SelectedField {
  /** A name in `Entry.fields`. */
  readonly field: string;
  readonly value: string;
}

/** The objects of one type that a watcher sees. */
export interface WatchScope {
  /** Only this namespace; absent for all namespaces, and for cluster-scoped types. */
  readonly namespace?: string;
  /** Only this object name. */
  readonly name?: string;
  /** Filters the entries in scope; absent when all match. Must be pure and fast. */
  readonly matches?: (entry: Entry) => boolean;
  /**
   * An index hint that must agree with `matches`: only entries with this field value match. A change then visits only
   * the watchers of its current and previous value, regardless of their number. A type's watchers should use few
   * fields, because every field in use is read for every change.
   */
  readonly indexed?: SelectedField;
}

/** The types of events that a sink receives, as clients see them. */
export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** `progress` is sent when bookmarks are allowed, `end-of-initial-events` to mark the end of the initial state. */
export type BookmarkType = 'progress' | 'end-of-initial-events';

/**
 * Receives the events of a watch. Calls never overlap and, except for `onLive`, never happen before `watch` returned.
 * When an object enters or leaves the selector, the type is ADDED or DELETED. `entry` is the body to send (for DELETED:
 * the previous state, to be sent with the revision of the change).
 */
export interface ChangeSink {
  /**
   * Events of the initial state come in the order of keys, later ones in the order of revisions. Must not take long: all
   * watchers of a change are called one after the other.
   */
  event(type: WatchEventType, entry: Entry, change: Change): void;
  /** Everything in scope up to `revision` has been delivered. */
  bookmark(revision: Revision, type: BookmarkType): void;
  /**
   * The watch has ended; no further calls follow. `expired` carries the two revisions of upstream's "too old resource
   * version" error.
   */
  end(reason: WatchEnd): void;
  /**
   * Back-pressure while a backlog (initial state or replay) is delivered: no event is delivered until the promise
   * resolves. Live events are never delayed: a sink with a full buffer calls `CacheWatch.close` and ends its stream
   * (allowed inside `event`).
   */
  whenWritable?(): Promise<void> | undefined;
  /**
   * The backlog has been delivered; from here on events arrive live. Without a backlog it is called before `watch`
   * returns.
   */
  onLive?(): void;
}

/** Why a watch has ended. */
export type WatchEnd =
  | { readonly type: 'expired'; readonly requested: Revision; readonly oldest: Revision }
  /**
   * The stream ends without an error, and its client is expected to watch again. The causes in the cache:
   * - The watcher was still delivering its initial state when the event window dropped the changes that follow it.
   * - The changes that the watcher missed could not be read from the store.
   * - The definition of the custom resource has changed, or its type was removed.
   * - The server shuts down.
   */
  | { readonly type: 'closed' }
  | { readonly type: 'failed'; readonly message: string };

/** What a watch delivers, and from where on. */
export interface WatchRequest {
  readonly scope: WatchScope;
  /**
   * `after`: changes with a greater revision (a future one waits). `state`: first the current state as ADDED events in
   * key order (with a `change` that has no previous state), then later changes; a caller that needs at least revision N
   * waits for N first.
   */
  readonly start: { readonly type: 'after'; readonly revision: Revision } | { readonly type: 'state' };
  /** Whether progress bookmarks are sent. */
  readonly bookmarks: boolean;
  /** Whether a bookmark `end-of-initial-events` is sent after the initial state. */
  readonly markEndOfInitialEvents: boolean;
}

/** The controls of an open watch, for the owner of its sink. */
export interface CacheWatch {
  /** No calls are made afterwards, not even `end`. May be called from inside a sink call, and repeatedly. */
  close(): void;
  /**
   * Sends a bookmark with the cache's revision if the watch requests bookmarks and that revision is past its start; does
   * nothing while a backlog is being delivered.
   */
  sendBookmark(): void;
}

/** A key with a stored value that cannot be read. */
export interface UnreadableKey {
  /** The whole key in the store, including the cache's prefix. */
  readonly storeKey: string;
  readonly reason: string;
}

/** How long a caller waits. */
export interface WaitOptions {
  /** In milliseconds of Clock.monotonic. */
  readonly deadline: number;
}

/**
 * The watch cache as its readers see it: the state of all types at one revision, which advances while requests run.
 * Synchronous methods called without a yield between them see the same revision.
 */
export interface Cache {
  /** All store revisions up to this one have been applied. */
  readonly revision: Revision;
  /** False until the first load is complete. Until then callers answer requests with 429. */
  readonly isReady: boolean;
  /** The oldest revision that can be read or watched from. */
  readonly compactedRevision: Revision;
  /**
   * Resolves with true once the cache has reached `revision`, with false at the deadline (milliseconds of
   * Clock.monotonic).
   */
  waitForRevision(revision: Revision, options: WaitOptions): Promise<boolean>;
  /**
   * Consistent read: gets the newest store revision, with one request shared by all concurrent callers, then waits
   * until the cache has reached it. Afterwards reads from the cache are linearizable. Resolves with that revision.
   * Rejects with StoreError: `deadline` when the revision was not known, or the cache did not reach it, within 3 s and
   * before the caller's deadline (the caller then reads from the store), else the error of the store.
   */
  waitUntilFresh(options: WaitOptions): Promise<Revision>;
  /** The current state of one object; `undefined` when it does not exist or cannot be read. */
  get(type: StoredType, key: string): Entry | undefined;
  /**
   * The reason why the current value of the key cannot be read, so that `get` returns `undefined`; `undefined` when it can
   * be read or does not exist.
   */
  unreadableReason(type: StoredType, key: string): string | undefined;
  /** The first key in [start, end) with a value that cannot be read, as a store key; an absent bound is open. */
  firstUnreadableKey(type: StoredType, start?: string, end?: string): UnreadableKey | undefined;
  /** The current state. Cheap (copy on write); do not hold it longer than needed. */
  snapshot(type: StoredType): Snapshot;
  /**
   * The state at exactly `revision`: from memory when it is the current state, pinned, or can be rebuilt from the event
   * window; otherwise the requested part is read from the store in pages. A revision that the cache has not reached is
   * waited for until the deadline, unless `isInStore` is set. Rejects with StoreError: `compacted`, `future-revision`,
   * or the error of the store.
   */
  snapshotAt(type: StoredType, revision: Revision, request: SnapshotRequest): Promise<Snapshot>;
  /**
   * Keeps the snapshot for later pages of a paginated list (at most 32 snapshots and 64 MB; the least recently used is
   * dropped first).
   */
  pin(type: StoredType, snapshot: Snapshot): void;
  /** Starts a watch; it ends by `CacheWatch.close`, or when the sink's `end` is called. */
  watch(type: StoredType, request: WatchRequest, sink: ChangeSink): CacheWatch;
  /**
   * Reads the newest state of the key from the store, for writes that found the cached state stale. `entry` is
   * `undefined` when the key does not exist. Rejects with StoreError.
   */
  readFromStore(
    type: StoredType,
    key: string,
    options: WaitOptions,
  ): Promise<{ readonly revision: Revision; readonly entry: Entry | undefined }>;
  /**
   * Ends all watches and the stream. Pending `waitForRevision` calls resolve with false. The cache must not be used
   * afterwards.
   */
  close(): Promise<void>;
}
