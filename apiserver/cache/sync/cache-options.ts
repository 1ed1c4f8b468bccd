/**
 * The options of a cache, and the interface for its owner: what it needs beyond the contract of readers, which is in
 * cache.ts.
 */
import type { Clock } from '../../../shared/runtime/clock';
import type { Logger } from '../../../shared/runtime/logger';
import type { Random } from '../../../shared/runtime/random';
import type { Revision, Store } from '../../storage/store';
import type { Cache, Entry, StoredType } from '../cache';
import type { MigrateStoredValue } from '../store/entry';
import type { KeyListener } from '../key-listeners';
import type { YieldNow } from '../../../shared/scheduling/yielding';
import type { CacheStatistics } from '../statistics';

/** How a cache is opened. */
export interface CacheOptions {
  readonly store: Store;
  /** Without a trailing slash, such as `/registry`. */
  readonly prefix: string;
  /** The built-in types. Those of custom resources follow from their keys. */
  readonly types: readonly StoredType[];
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Maximum age of changes in the event window, in milliseconds; default 5 minutes. */
  readonly windowMs?: number;
  /** Maximum size of the event window over all types; default 64 MB. */
  readonly windowBytes?: number;
  /**
   * Number of revisions before the current one at which the state is loaded at the start; by default chosen by
   * replayed-revisions.ts.
   */
  readonly replayRevisions?: number;
  /** Interval of the consistency checker, in milliseconds; default 5 minutes, 0 to disable it. */
  readonly checkMs?: number;
  /** Interval of the store's compaction, in milliseconds; default 5 minutes, 0 to disable it. */
  readonly compactionMs?: number;
  /** Absent when values of an older table generation count as unreadable. */
  readonly migrate?: MigrateStoredValue;
  /** For tests; absent to yield to the event loop. */
  readonly yieldNow?: YieldNow;
}

/** A cache with the members that its owner needs beyond the readers' contract. */
export interface OpenedCache extends Cache {
  /** The counters of this cache, which the metrics read. */
  readonly statistics: CacheStatistics;
  /** Whether the store's stream is connected. */
  readonly isConnected: boolean;
  /** Resolves when `isReady` becomes true, or the cache is closed. */
  whenReady(): Promise<void>;
  /** Reasons why this replica should not receive requests; empty when it is healthy. */
  problems(): readonly string[];
  /** The built-in types, and those of custom resources that have been seen. */
  storedTypes(): readonly StoredType[];
  /** Number of objects of a type. */
  count(type: StoredType): number;
  /** Ends the watches of a type; its clients watch again. */
  endWatches(type: StoredType): void;
  /** Removes the type of a custom resource without objects; its watches end. */
  removeType(type: StoredType): void;
  /**
   * Adds a listener for keys below `<prefix>/<keyPrefix>` that belong to no type. If added directly after `openCache`,
   * it also receives the existing keys; later only changes.
   */
  addKeyListener(keyPrefix: string, listener: KeyListener): void;
  /** Creates an entry from a stored value, such as one just written. Throws UnknownFormatError. */
  createEntry(type: StoredType, key: string, revision: Revision, value: Buffer): Entry;
  /** Reads unreadable values again, for example after a decryption key became available. Rejects with StoreError. */
  retryUnreadable(): Promise<void>;
  /** One pass of the consistency checker. Rejects with StoreError. */
  checkConsistency(): Promise<void>;
  /** One round of the compaction loop. Rejects with StoreError. */
  runCompactionRound(): Promise<void>;
}
