/**
 * What the cache offers to the registry: a replica's view of the whole keyspace at one revision (the clock).
 *
 * What it is for: every read and watch is answered from here. What it never does: speak HTTP, know users, or write to the
 * store (but for the tick key that moves a stalled clock). Objects are bytes: see stored-value.ts.
 */
import type { Revision } from '../storage/store';

export type Labels = Readonly<Record<string, string>>;

/** A stored type: one row per kind that is kept in the store, whatever versions serve it. */
export interface StoredType {
  /** `configmaps`, `leases.coordination.platform.io`: unique, used in metrics and logs. */
  readonly name: string;
  /** Key segment below the prefix, without slashes at its ends: `configmaps`, `services/specs`. */
  readonly segment: string;
  readonly namespaced: boolean;
}

/** One object at one revision. Immutable; owns its bytes. */
export interface Entry {
  /** Key below the type's segment: `namespace/name`, or `name` for cluster-scoped types. */
  readonly key: string;
  readonly revision: Revision;
  /**
   * The object's canonical JSON without kind and apiVersion, with its resourceVersion: `{"metadata":{…},…}`. Canonical dialect.
   * Never modified by anyone.
   */
  readonly bytes: Buffer;
  readonly labels: Labels;
  /** Selectable fields other than metadata.name and metadata.namespace. */
  readonly fields: Labels;
  /** True when some value inside names an API group whose spelling depends on the dialect. */
  readonly dialectSensitive: boolean;
}

/** A sorted, immutable state of one type at one revision. Keys are ordered by their UTF-8 bytes. */
export interface Snapshot {
  readonly revision: Revision;
  readonly size: number;
  get(key: string): Entry | undefined;
  /** Entries with `start` ≤ key < `end` in order; an absent bound is open. The walk may be abandoned at any point. */
  range(start?: string, end?: string): Iterable<Entry>;
  /** Number of entries in the range. O(log n) where the type allows it, never slower than a walk. */
  count(start?: string, end?: string): number;
  /**
   * Set when only a part was read from the store (see `snapshotAt` with a limit): keys from here on are unknown to `get` and `range`
   * although there are some in the range that was asked for; ask `snapshotAt` again with this key as `start`. `count` knows them.
   */
  readonly unknownFrom?: string;
}

/** Which part of a state is going to be read. */
export interface SnapshotRequest extends Waited {
  /** Only keys in [start, end) matter; an absent bound is open. */
  readonly start?: string;
  readonly end?: string;
  /** So many entries of the range suffice: bounds what a store read holds in memory. States held in memory ignore it. Absent = all. */
  readonly limit?: number;
  /** The store is known to have reached the revision: when the clock has not, the store is read instead of waiting. */
  readonly stored?: boolean;
}

/** One change of one object, made once and shared by all watchers. */
export interface Change {
  readonly revision: Revision;
  readonly key: string;
  /** The state after; absent for a deletion. */
  readonly current: Entry | undefined;
  /**
   * The state before; absent for a creation. Also absent for a modification that was replayed from the store to a watcher without
   * `matches`, which needs no earlier state: decide by the event type, not by this.
   */
  readonly previous: Entry | undefined;
  /**
   * Encoded frames by encoding key (event type, version, media type, dialect): filled by the endpoint layer, counted by a test.
   * Ask for it anew for every frame: the cache lets go of frames of older changes.
   */
  readonly frames: Map<string, Buffer>;
}

/** A selectable field with the value that is wanted; entries without the field have the empty value. */
export interface SelectedField {
  readonly field: string;
  readonly value: string;
}

/** What a watcher wants to see of one type. */
export interface WatchScope {
  /** Only this namespace; absent = all (and for cluster-scoped types). */
  readonly namespace?: string;
  /** Only this object name. */
  readonly name?: string;
  /** Called for an entry in scope; absent = everything matches. Must be pure and fast. */
  readonly matches?: (entry: Entry) => boolean;
  /**
   * A hint beside `matches`, which holds only for entries with this value: a change then visits the watchers of the values that it has and
   * had, whatever the number of the others. A type's watchers should name few fields, since every one that is named is looked at.
   */
  readonly indexed?: SelectedField;
}

export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/**
 * Where a watch delivers; calls never overlap and never happen before `watch` returned. For an object that enters or leaves the
 * selector the type is ADDED or DELETED. `entry` is the body to show (for DELETED: the previous state, to be shown with the change's revision).
 */
export interface ChangeSink {
  event(type: WatchEventType, entry: Entry, change: Change): void;
  /** Everything in scope up to `revision` has been delivered. Only when bookmarks were asked for, or to mark the end of the initial state. */
  bookmark(revision: Revision, endOfInitialEvents: boolean): void;
  /** The watch has ended and makes no further calls. `expired` carries upstream's "too old resource version" pair. */
  end(reason: WatchEnd): void;
  /**
   * Back-pressure while a backlog (initial state or replay) is delivered: a promise = deliver nothing more until it settles. Live events
   * are never held back: a sink whose buffer is over its bound calls `CacheWatch.close` and ends its stream (allowed inside `event`).
   */
  ready?(): Promise<void> | undefined;
  /** The backlog has been delivered; from here on events come as they happen. Where there is none it is called before `watch` returns. */
  live?(): void;
}

export type WatchEnd =
  | { readonly type: 'expired'; readonly requested: Revision; readonly oldest: Revision }
  /** This watcher did not keep up (its own buffer said so), or the server is going down: the stream just closes. */
  | { readonly type: 'closed' }
  | { readonly type: 'failed'; readonly message: string };

export interface WatchRequest {
  readonly scope: WatchScope;
  /**
   * `after`: changes with a greater revision (a future one waits). `state`: first the state at the moment of the call as ADDED events in key
   * order (with `change` = a change without previous state), then what follows; whoever wants it not older than N waits for N first.
   */
  readonly start: { readonly type: 'after'; readonly revision: Revision } | { readonly type: 'state' };
  readonly bookmarks: boolean;
  /** Send `bookmark(revision, true)` after the initial state. */
  readonly markEndOfInitialEvents: boolean;
}

export interface CacheWatch {
  /** No calls are made afterwards, not even `end`. May be called from inside a sink call, and twice. */
  close(): void;
  /** Sends a bookmark at the clock's revision now, if the clock is past the start; nothing while a backlog is being delivered. */
  bookmarkNow(): void;
}

/** A value that cannot be read. */
export interface RefusedKey {
  readonly storeKey: string;
  readonly reason: string;
}

export interface Waited {
  readonly deadline: number;
}

export interface Cache {
  /** Everything up to this store revision has been applied. */
  readonly revision: Revision;
  /** False until the first load is complete: reads and watches are then refused with 429. */
  readonly ready: boolean;
  /** The oldest revision that can still be read or watched from. */
  readonly compactedRevision: Revision;
  /** Resolves true once the clock has reached `revision`, false at the deadline (ms of Clock.monotonic). */
  waitFor(revision: Revision, options: Waited): Promise<boolean>;
  /**
   * The newest store revision, looked up once for all who wait at this moment, then waited for until the cache has reached it: after it resolves,
   * reads from the cache are linearizable. Returns that revision. Rejects with StoreError: `deadline` when the cache did not get there in 3 s or
   * by the caller's deadline (the reader then reads from the store), else what the store said.
   */
  mostRecent(options: Waited): Promise<Revision>;
  get(type: StoredType, key: string): Entry | undefined;
  /** Why the key's present value cannot be read, so that `get` does not show it; undefined = it can, or there is none. */
  refusal(type: StoredType, key: string): string | undefined;
  /** The first of the keys in [start, end) whose value cannot be read, as the store knows it; an absent bound is open. */
  firstRefusal(type: StoredType, start?: string, end?: string): RefusedKey | undefined;
  /** The present state. Cheap (copy on write); hold it only as long as it is being read. */
  snapshot(type: StoredType): Snapshot;
  /**
   * The state at exactly `revision`: a pinned or reconstructed snapshot, else a paged store read of the part asked for. A revision that the clock
   * has not reached is waited for until the deadline, unless it is known to be `stored`. Rejects with StoreError `compacted`, `future-revision`, or what the store said.
   */
  snapshotAt(type: StoredType, revision: Revision, request: SnapshotRequest): Promise<Snapshot>;
  /** Keeps the given snapshot for continuation pages (bounded: 32 snapshots, 64 MB; the oldest goes first). */
  pin(type: StoredType, snapshot: Snapshot): void;
  watch(type: StoredType, request: WatchRequest, sink: ChangeSink): CacheWatch;
  /** The key's newest state straight from the store, for writes whose cached state proved stale. Undefined = it does not exist. */
  read(type: StoredType, key: string, options: Waited): Promise<{ readonly revision: Revision; readonly entry: Entry | undefined }>;
  close(): Promise<void>;
}
