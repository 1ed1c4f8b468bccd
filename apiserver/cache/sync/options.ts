/** What a cache is opened with, and what its owner gets beside the readers' contract. */
import type { Clock } from '../../../shared/runtime/clock';
import type { Logger } from '../../../shared/runtime/logger';
import type { Random } from '../../../shared/runtime/random';
import type { Revision, Store } from '../../storage/store';
import type { Cache, Entry, StoredType } from '../cache';
import type { Migrate } from '../store/entry';
import type { KeyListener } from '../key-listeners';
import type { YieldNow } from '../../../shared/scheduling/yielding';
import type { CacheStatistics } from '../statistics';

export interface CacheOptions {
  readonly store: Store;
  /** Without a slash at its end, such as `/registry`. */
  readonly prefix: string;
  readonly types: readonly StoredType[];
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** How long recent changes are kept for watches to resume from; 5 minutes. */
  readonly windowMs?: number;
  /** How much they may take, over all types; 64 MB. */
  readonly windowBytes?: number;
  /** How many revisions the state that is loaded at the start lies back; as many as replayed-past.ts says. */
  readonly replayRevisions?: number;
  /** Interval of the consistency checker; 5 minutes, 0 = off. */
  readonly checkMs?: number;
  /** Interval of the store's compaction; 5 minutes, 0 = off. */
  readonly compactionMs?: number;
  readonly migrate?: Migrate;
  readonly yieldNow?: YieldNow;
}

/** The cache with what its owner needs beside the readers' contract. */
export interface OpenedCache extends Cache {
  readonly statistics: CacheStatistics;
  /** Whether the store's stream is connected. */
  readonly connected: boolean;
  /** Resolves when `ready` becomes true, or the cache is closed. */
  whenReady(): Promise<void>;
  /** Why this replica should not be sent requests; empty = healthy. */
  problems(): readonly string[];
  /** The built-in types, and those of custom resources that have been seen. */
  storedTypes(): readonly StoredType[];
  /** Objects of a type. */
  count(type: StoredType): number;
  /** Ends the watches of a type, whose clients come again. */
  endWatches(type: StoredType): void;
  /** Lets go of a custom resource's type of which there are no objects; watches of it end. */
  forget(type: StoredType): void;
  /**
   * Listens to keys below `<prefix>/<keyPrefix>` that belong to no type. Registered right after `openCache` it also hears the keys that exist;
   * later only what changes.
   */
  onKey(keyPrefix: string, listener: KeyListener): void;
  /** Makes an entry from a stored value, such as one just written. Throws UnknownFormat. */
  entryOf(type: StoredType, key: string, revision: Revision, value: Buffer): Entry;
  /** Reads again what could not be read, now that it may be readable. Rejects with StoreError. */
  readAgain(): Promise<void>;
  /** One pass of the consistency checker. Rejects with StoreError. */
  check(): Promise<void>;
  /** One round of the compaction loop. Rejects with StoreError. */
  compactionRound(): Promise<void>;
}
