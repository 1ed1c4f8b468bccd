/**
 * Opens the cache: one watch over the whole key prefix, one clock, every type's state.
 *
 * This file is the wiring and the one place where the clock moves: events of a revision are applied, then the clock is set, then watchers are
 * told, all without giving way, so that whoever looks sees a whole revision or none of it.
 */
import type { Clock, Timer } from '../../../shared/runtime/clock';
import type { Logger } from '../../../shared/runtime/logger';
import type { Random } from '../../../shared/runtime/random';
import { StoreError, type Revision, type Store, type Watch, type StoreEvent } from '../../storage/store';
import { unreadableReason } from '../../storage/unreadable';
import { Bookmarks } from '../watch/bookmarks';
import { Checker, type CheckerHost } from './checker';
import { Compaction } from './compaction';
import { compareWithStore, type Difference } from './comparison';
import type {
  CacheWatch,
  ChangeSink,
  Entry,
  RefusedKey,
  Snapshot,
  SnapshotRequest,
  StoredType,
  Waited,
  WatchEnd,
  WatchRequest,
} from '../cache';
import { ConsistentReads, StallGuard } from './consistent-reads';
import { EntryFactory } from '../store/entry';
import { Inbound, type InboundHandler } from './inbound';
import { KeyListeners, type KeyListener } from '../key-listeners';
import { firstKey, KeySpace } from '../store/key-space';
import { compareAll, loadState, type LoadHost } from './load';
import { Objects } from './objects';
import type { CacheOptions, OpenedCache } from './options';
import { Pace, yieldToOthers, type Yield } from '../pace';
import { PastStates } from '../store/past-states';
import { CacheStatistics } from '../statistics';
import { UnknownFormat } from '../store/stored-value';
import type { TypeState } from '../store/type-state';
import { pastToReplay } from './replayed-past';
import { Waiters } from './waiters';
import { Watcher, type WatchHost } from '../watch/watcher';
import type { RecordedChange } from '../store/window';

const MINUTE = 60_000;
const MEGABYTE = 1024 * 1024;
const TRIM_MS = 1_000;
const TICK_MS = 1000;
const RETRY_MS = 1000;

export type { CacheOptions, OpenedCache } from './options';

/** Loading begins at once; the cache is usable when `ready`. The store stays its owner's. */
export function openCache(options: CacheOptions): OpenedCache {
  const cache = new KeyspaceCache(options);
  void cache.begin();
  return cache;
}

class KeyspaceCache implements OpenedCache, InboundHandler, WatchHost, CheckerHost, LoadHost {
  readonly statistics = new CacheStatistics();
  readonly waiters: Waiters;
  readonly keys: KeySpace;
  readonly entries: EntryFactory;
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly yieldNow: Yield;
  readonly listeners = new KeyListeners((error) => this.logger.error('a key listener failed', { error }));
  readonly objects: Objects;
  revision: Revision = 0;
  compactedRevision: Revision = 0;
  ready = false;
  connected = false;

  private readonly past = new PastStates(this);
  private readonly bookmarks: Bookmarks;
  private readonly inbound: Inbound;
  private readonly stall: StallGuard;
  private readonly consistentReads: ConsistentReads;
  private readonly checker: Checker;
  private readonly compaction: Compaction;
  private stream: Watch | undefined;
  private trimmer: Timer | undefined;
  private lastTick = -Infinity;
  private readonly ending = new AbortController();
  private announceReady: () => void = () => undefined;
  private readonly becameReady = new Promise<void>((resolve) => {
    this.announceReady = resolve;
  });

  constructor(private readonly options: CacheOptions) {
    const { store, clock, random, logger } = options;
    this.store = store;
    this.clock = clock;
    this.random = random;
    this.logger = logger;
    this.yieldNow = options.yieldNow ?? yieldToOthers;
    this.keys = new KeySpace(options.prefix, options.types);
    this.entries = new EntryFactory(options.migrate);
    this.waiters = new Waiters(clock);
    const limits = { ageMs: options.windowMs ?? 5 * MINUTE, bytes: options.windowBytes ?? 64 * MEGABYTE };
    this.objects = new Objects({ keys: this.keys, entries: this.entries, limits, statistics: this.statistics, logger });
    this.statistics.windowCapacityBytes = limits.bytes;
    this.bookmarks = new Bookmarks(clock, random);
    this.inbound = new Inbound(this, () => this.pace());
    this.stall = new StallGuard(this);
    this.consistentReads = new ConsistentReads(this, this.stall);
    this.checker = new Checker(this, options.checkMs ?? 5 * MINUTE);
    this.compaction = new Compaction({
      store,
      clock,
      logger,
      key: this.compactionKey,
      intervalMs: options.compactionMs ?? 5 * MINUTE,
      compacted: () => void (this.statistics.compactions += 1),
    });
    this.listeners.add('compaction', {
      reset: () => undefined,
      changed: (_key, value) => this.compactedTo(Number(value?.toString() ?? 0)),
    });
  }

  private get closed(): boolean {
    return this.ending.signal.aborted;
  }

  // Start and end.

  async begin(): Promise<void> {
    for (let attempt = 1; !this.closed; attempt += 1) {
      try {
        await this.load();
        break;
      } catch (error) {
        if (this.closed) return;
        this.logger.warn('the store could not be read at the start, trying again', { error, attempt });
        await this.retryDelay();
      }
    }
    if (this.closed) return;
    this.ready = true;
    this.announceReady();
    this.checker.start();
    this.compaction.start();
    this.trimLater();
  }

  private retryDelay(): Promise<void> {
    return this.clock.sleep(RETRY_MS * (0.5 + this.random.float()), this.ending.signal);
  }

  whenReady(): Promise<void> {
    return this.becameReady;
  }

  async close(): Promise<void> {
    this.ending.abort();
    this.ready = false;
    this.inbound.close();
    this.stream?.close();
    this.checker.close();
    this.compaction.close();
    this.bookmarks.close();
    this.stall.close();
    this.trimmer?.cancel();
    this.waiters.close();
    this.past.clear();
    this.endWatchesWhere(() => true);
    this.announceReady();
  }

  /** State some way back, then the stream up to now: so the window is full when the first request comes. */
  private async load(): Promise<void> {
    const now = await this.store.revision();
    if (this.stream === undefined) {
      const { kv } = await this.store.get(this.compactionKey);
      if (kv !== undefined) this.compactedTo(Number(kv.value.toString()));
      // The first revision of an empty store may have no event, so the stream would never say that it has been reached.
      const first = Math.min(1, now);
      const replayed = this.options.replayRevisions ?? (await pastToReplay(this.store, this.compactedRevision, now));
      const revision = await loadState(this, Math.max(first, this.compactedRevision, now - replayed));
      for (const { type } of this.keys.states) this.statistics.loads.set(type.name, (this.statistics.loads.get(type.name) ?? 0) + 1);
      if (this.closed) return;
      if (revision > first && revision > now - replayed) this.compactedTo(revision);
      for (const state of this.keys.states) state.beginLog(revision);
      this.advance(revision);
      this.openStream();
    }
    this.stall.expect(now);
    await this.waiters.waitFor(now, Infinity);
  }

  private openStream(): void {
    this.stream = this.store.watch(this.keys.whole, this.revision + 1, this.inbound);
    this.inbound.attach(this.stream);
  }

  // The stream.

  apply(revision: Revision, events: readonly StoreEvent[]): void {
    const now = this.clock.monotonic();
    const changes: { readonly state: TypeState; readonly change: RecordedChange }[] = [];
    for (const event of events) {
      const state = this.keys.locate(event.key, revision - 1);
      if (state === undefined) {
        this.listeners.changed(this.keys.relative(event.key), event.type === 'put' ? event.value : undefined, revision);
        continue;
      }
      const change = this.objects.change(state, event, now);
      if (change !== undefined) changes.push({ state, change });
    }
    this.revision = revision;
    for (const { state, change } of changes) this.objects.watchersOf(state).dispatch(change);
  }

  through(revision: Revision): void {
    this.advance(revision);
  }

  settled(): void {
    this.waiters.advance(this.revision);
    this.trim();
  }

  connection(connected: boolean): void {
    this.connected = connected;
  }

  paused(): void {
    this.statistics.pauses += 1;
  }

  /**
   * Lists what the stream missed. Only types that differ lose their watches: what happened to them in between has no revisions any more, so their
   * watchers could not be told in order, nor resume; the others missed nothing.
   */
  async gap(compactRevision: Revision): Promise<void> {
    this.statistics.gaps += 1;
    this.compactedTo(compactRevision);
    this.logger.warn('the store was compacted while the stream was cut off, comparing', { at: this.revision, compactRevision });
    while (!this.closed) {
      try {
        const revision = await this.store.revision();
        const differences = await compareAll(this, revision);
        if (this.closed) return;
        this.revision = Math.max(this.revision, revision);
        for (const [state, difference] of differences) this.objects.setRight(state, difference, this.revision);
        this.past.clear();
        this.advance(revision);
        this.openStream();
        return;
      } catch (error) {
        if (this.closed) return;
        this.logger.warn('the comparison failed, trying again', { error });
        await this.retryDelay();
      }
    }
  }

  private advance(revision: Revision): void {
    this.revision = Math.max(this.revision, revision);
    this.waiters.advance(this.revision);
  }

  private compactedTo(revision: Revision): void {
    if (!Number.isSafeInteger(revision) || revision <= this.compactedRevision) return;
    this.compactedRevision = revision;
    this.past.dropBefore(revision);
  }

  private get compactionKey(): string {
    return this.keys.other('compaction');
  }

  repair(state: TypeState, difference: Difference, found: Revision): void {
    this.past.dropOf(state);
    this.objects.repair(state, difference, found, this.revision);
  }

  // Reading.

  waitFor(revision: Revision, options: Waited): Promise<boolean> {
    return revision <= this.revision ? Promise.resolve(true) : this.waiters.waitFor(revision, options.deadline);
  }

  mostRecent(options: Waited): Promise<Revision> {
    return this.consistentReads.mostRecent(options);
  }

  get(type: StoredType, key: string): Entry | undefined {
    return this.keys.state(type, this.revision).get(key);
  }

  refusal(type: StoredType, key: string): string | undefined {
    return this.keys.state(type, this.revision).refused.get(key)?.reason;
  }

  firstRefusal(type: StoredType, start?: string, end?: string): RefusedKey | undefined {
    const { refused } = this.keys.state(type, this.revision);
    const key = firstKey(refused.keys(), start, end);
    return key === undefined ? undefined : { storeKey: this.keys.storeKey(type, key), reason: refused.get(key)?.reason ?? '' };
  }

  snapshot(type: StoredType): Snapshot {
    return this.keys.state(type, this.revision).snapshot(this.revision);
  }

  count(type: StoredType): number {
    return this.keys.state(type, this.revision).size;
  }

  async snapshotAt(type: StoredType, revision: Revision, request: SnapshotRequest): Promise<Snapshot> {
    const state = this.keys.state(type, this.revision);
    if (request.stored === true && revision > this.revision) return this.past.fromStore(state, revision, request);
    if (!(await this.waitFor(revision, request))) {
      throw new StoreError('future-revision', `revision ${revision} has not been reached, the cache is at ${this.revision}`);
    }
    if (revision < this.compactedRevision) {
      throw new StoreError('compacted', `revision ${revision} was compacted`, this.compactedRevision);
    }
    return this.past.at(state, revision, request);
  }

  pin(type: StoredType, snapshot: Snapshot): void {
    if (snapshot.revision >= this.compactedRevision) this.past.pin(this.keys.state(type, this.revision), snapshot);
  }

  async read(type: StoredType, key: string, options: Waited): Promise<{ readonly revision: Revision; readonly entry: Entry | undefined }> {
    const { revision, kv } = await this.store.get(this.keys.storeKey(type, key), { deadline: options.deadline });
    if (kv === undefined) return { revision, entry: undefined };
    try {
      return { revision, entry: this.entries.make(type, key, kv.modRevision, kv.value) };
    } catch (error) {
      if (!(error instanceof UnknownFormat)) throw error;
      throw new StoreError('unreadable', error.message);
    }
  }

  entryOf(type: StoredType, key: string, revision: Revision, value: Buffer): Entry {
    return this.entries.make(type, key, revision, value);
  }

  // Watching.

  watch(type: StoredType, request: WatchRequest, sink: ChangeSink): CacheWatch {
    const state = this.keys.state(type, this.revision);
    const watcher = new Watcher(this, state, request, sink);
    this.statistics.watchesStarted += 1;
    this.objects.watchersOf(state).add(watcher);
    this.countWatchers(state);
    if (request.bookmarks) this.bookmarks.add(watcher);
    watcher.start();
    return watcher;
  }

  left(watcher: Watcher): void {
    this.objects.watchersOf(watcher.state).delete(watcher);
    this.bookmarks.delete(watcher);
    this.countWatchers(watcher.state);
  }

  ended(watcher: Watcher, reason: WatchEnd): void {
    if (reason.type === 'expired') this.statistics.watchesExpired += 1;
    if (reason.type === 'failed') {
      this.statistics.watchesFailed += 1;
      this.logger.warn('a watch failed', { type: watcher.state.type.name, reason: reason.message });
    }
  }

  faulty(watcher: Watcher, error: unknown): void {
    this.statistics.watchesFailed += 1;
    this.logger.error('a watch was closed because its sink threw', { type: watcher.state.type.name, error });
  }

  bookmarked(): void {
    this.statistics.bookmarks += 1;
  }

  replaying(): void {
    this.statistics.replays += 1;
  }

  hasBegun({ state }: Watcher, events: number): void {
    const { initialEvents } = this.statistics;
    initialEvents.set(state.type.name, (initialEvents.get(state.type.name) ?? 0) + events);
  }

  private countWatchers(state: TypeState): void {
    this.statistics.watchers.set(state.type.name, this.objects.watchersOf(state).size);
  }

  // Upkeep.

  pace(): Pace {
    return new Pace(this.clock, this.yieldNow);
  }

  requestProgress(): boolean {
    return this.stream?.requestProgress() ?? false;
  }

  reopen(): void {
    this.stream?.reopen();
  }

  /** A small write below the prefix: the clock passes it, and so everything before it. */
  tick(): void {
    const now = this.clock.monotonic();
    if (now - this.lastTick < TICK_MS || this.closed) return;
    this.lastTick = now;
    this.statistics.ticks += 1;
    const put = { type: 'put', key: this.keys.other('tick'), value: Buffer.from(String(this.clock.now())) } as const;
    this.store
      .transact({ compare: [], operations: [put] })
      .catch((error: unknown) => this.logger.debug('the tick was not written', { error }));
  }

  check(): Promise<void> {
    return this.checker.pass();
  }

  async readAgain(): Promise<void> {
    const at = this.revision;
    for (const state of this.keys.states) {
      if (state.refused.size === 0) continue;
      const { changed, removed } = await compareWithStore(this, state, state.snapshot(at).range(), at, true);
      const readable = changed.filter(({ value }) => unreadableReason(value) === undefined);
      this.objects.repair(state, { changed: readable, removed }, at, this.revision);
    }
  }

  compactionRound(): Promise<void> {
    return this.compaction.round();
  }

  storedTypes(): readonly StoredType[] {
    return this.keys.states.map(({ type }) => type);
  }

  endWatches(type: StoredType): void {
    const state = this.keys.state(type, this.revision);
    for (const watcher of this.objects.watchersOf(state).all()) watcher.end({ type: 'closed' });
  }

  forget(type: StoredType): void {
    const state = this.keys.forget(type);
    if (state !== undefined) this.objects.forget(state);
  }

  onKey(keyPrefix: string, listener: KeyListener): void {
    this.listeners.add(keyPrefix, listener);
  }

  problems(): readonly string[] {
    const problems: string[] = [];
    if (!this.ready) problems.push('the state has not been loaded');
    else if (!this.connected) problems.push('the stream to the store is disconnected');
    for (const { type, refused, differingPasses } of this.keys.states) {
      if (refused.size > 0) problems.push(`${type.name}: ${refused.size} stored values cannot be read`);
      if (differingPasses > 1) problems.push(`${type.name}: differs from the store again and again`);
    }
    return problems;
  }

  private trim(): void {
    this.objects.window.trim(this.clock.monotonic());
    this.past.trim();
    this.statistics.windowBytes = this.objects.window.bytes;
    this.statistics.windowEvents = this.objects.window.size;
  }

  private endWatchesWhere(which: (watcher: Watcher) => boolean): void {
    for (const state of this.keys.states) {
      for (const watcher of this.objects.watchersOf(state).all()) if (which(watcher)) watcher.end({ type: 'closed' });
    }
  }

  private trimLater(): void {
    this.trimmer = this.clock.after(TRIM_MS, () => {
      this.trim();
      this.endWatchesWhere((watcher) => watcher.farBehind);
      this.trimLater();
    });
  }
}
