/**
 * The replicated state of the store: the objects of every type, past snapshots, the current and the compacted revision.
 * The parts of one cache share one instance. Its methods are synchronous, so that a reader sees a revision completely
 * or not at all. Only event-stream.ts advances the revision.
 */
import type { Clock } from '../../../shared/runtime/clock';
import type { Logger } from '../../../shared/runtime/logger';
import type { Random } from '../../../shared/runtime/random';
import type { Revision, Store } from '../../storage/store';
import { KeyListeners } from '../key-listeners';
import { TimeSlice, yieldToEventLoop, type YieldNow } from '../../../shared/scheduling/yielding';
import { CacheStatistics } from '../statistics';
import { EntryFactory } from '../store/entry';
import { KeySpace } from '../store/key-space';
import { PastSnapshots, type PastSnapshotsHost } from '../store/past-snapshots';
import type { TypeState } from '../store/type-state';
import type { ConsistencyCheckerHost } from './consistency-checker';
import type { Difference } from './compare-with-store';
import type { ConsistentReadsHost } from './consistent-reads';
import type { LoadHost } from './load-state';
import { CachedObjects } from './cached-objects';
import type { CacheOptions } from './cache-options';
import { RevisionWaiters } from './revision-waiters';

const MINUTE = 60_000;
const MEGABYTE = 1024 * 1024;

/** The state of one cache. */
export class ReplicatedState implements ConsistencyCheckerHost, ConsistentReadsHost, LoadHost, PastSnapshotsHost {
  readonly statistics = new CacheStatistics();
  readonly waiters: RevisionWaiters;
  readonly keys: KeySpace;
  readonly entries: EntryFactory;
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly yieldNow: YieldNow;
  readonly listeners = new KeyListeners((error) => this.logger.error('a key listener failed', { error }));
  readonly objects: CachedObjects;
  readonly pastSnapshots = new PastSnapshots(this);
  /** The revision up to which the store's events have been applied. */
  revision: Revision = 0;
  /** The store has been compacted up to this revision, as far as this replica knows. */
  compactedRevision: Revision = 0;

  constructor(options: CacheOptions) {
    const { store, clock, random, logger } = options;
    this.store = store;
    this.clock = clock;
    this.random = random;
    this.logger = logger;
    this.yieldNow = options.yieldNow ?? yieldToEventLoop;
    this.keys = new KeySpace(options.prefix, options.types);
    this.entries = new EntryFactory(options.migrate);
    this.waiters = new RevisionWaiters(clock);
    const limits = { ageMs: options.windowMs ?? 5 * MINUTE, bytes: options.windowBytes ?? 64 * MEGABYTE };
    this.objects = new CachedObjects({ entries: this.entries, limits, statistics: this.statistics, logger });
    this.statistics.windowCapacityBytes = limits.bytes;
    this.listeners.add('compaction', {
      onReset: () => undefined,
      onKeyChange: (_key, value) => this.setCompactedRevision(Number(value?.toString() ?? 0)),
    });
  }

  /** The key through which the replicas coordinate compaction. */
  get compactionKey(): string {
    return this.keys.nonObjectKey('compaction');
  }

  /** A new time slice of this cache's clock. */
  timeSlice(): TimeSlice {
    return new TimeSlice(this.clock, { yieldNow: this.yieldNow });
  }

  /** All events up to `revision` have been applied: wakes up the callers that wait for it. */
  advanceTo(revision: Revision): void {
    this.revision = Math.max(this.revision, revision);
    this.waiters.advance(this.revision);
  }

  /** Raises the compacted revision and drops older states. Ignores a revision that is not higher or not a number. */
  setCompactedRevision(revision: Revision): void {
    if (!Number.isSafeInteger(revision) || revision <= this.compactedRevision) return;
    this.compactedRevision = revision;
    this.pastSnapshots.dropBefore(revision);
  }

  /** Corrects a type by a difference that the consistency checker found at `comparedAt`. */
  repair(state: TypeState, difference: Difference, comparedAt: Revision): void {
    this.pastSnapshots.dropType(state);
    this.objects.repair(state, difference, { comparedAt, cacheRevision: this.revision });
  }

  /** Drops changes and snapshots over their limits. */
  trim(): void {
    this.objects.window.trim(this.clock.monotonic());
    this.pastSnapshots.trim();
    this.statistics.windowBytes = this.objects.window.bytes;
    this.statistics.windowEvents = this.objects.window.size;
  }
}
