/**
 * What this replica holds of the store: every type's objects, past states, the clock and the compacted revision. The parts of one cache share
 * one instance. Its methods are synchronous, so a reader sees a whole revision or none of it; only the event stream moves the clock.
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
import { PastStates, type PastHost } from '../store/past-states';
import type { TypeState } from '../store/type-state';
import type { CheckerHost } from './checker';
import type { Difference } from './comparison';
import type { ConsistentReadsHost } from './consistent-reads';
import type { LoadHost } from './load';
import { Objects } from './objects';
import type { CacheOptions } from './options';
import { Waiters } from './waiters';

const MINUTE = 60_000;
const MEGABYTE = 1024 * 1024;

export class ReplicatedState implements CheckerHost, ConsistentReadsHost, LoadHost, PastHost {
  readonly statistics = new CacheStatistics();
  readonly waiters: Waiters;
  readonly keys: KeySpace;
  readonly entries: EntryFactory;
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly yieldNow: YieldNow;
  readonly listeners = new KeyListeners((error) => this.logger.error('a key listener failed', { error }));
  readonly objects: Objects;
  readonly past = new PastStates(this);
  /** The clock. */
  revision: Revision = 0;
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
    this.waiters = new Waiters(clock);
    const limits = { ageMs: options.windowMs ?? 5 * MINUTE, bytes: options.windowBytes ?? 64 * MEGABYTE };
    this.objects = new Objects({ keys: this.keys, entries: this.entries, limits, statistics: this.statistics, logger });
    this.statistics.windowCapacityBytes = limits.bytes;
    this.listeners.add('compaction', {
      reset: () => undefined,
      changed: (_key, value) => this.compactedTo(Number(value?.toString() ?? 0)),
    });
  }

  /** The key on which the replicas agree about compaction. */
  get compactionKey(): string {
    return this.keys.other('compaction');
  }

  timeSlice(): TimeSlice {
    return new TimeSlice(this.clock, { yieldNow: this.yieldNow });
  }

  advance(revision: Revision): void {
    this.revision = Math.max(this.revision, revision);
    this.waiters.advance(this.revision);
  }

  compactedTo(revision: Revision): void {
    if (!Number.isSafeInteger(revision) || revision <= this.compactedRevision) return;
    this.compactedRevision = revision;
    this.past.dropBefore(revision);
  }

  repair(state: TypeState, difference: Difference, found: Revision): void {
    this.past.dropOf(state);
    this.objects.repair(state, difference, found, this.revision);
  }

  trim(): void {
    this.objects.window.trim(this.clock.monotonic());
    this.past.trim();
    this.statistics.windowBytes = this.objects.window.bytes;
    this.statistics.windowEvents = this.objects.window.size;
  }
}
