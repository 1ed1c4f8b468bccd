/**
 * Loads the state and follows the store's event stream from there. Only this component advances the cache's revision:
 * it applies the events of a revision, then sets the revision, then notifies watchers, all synchronously, so that a
 * reader sees a revision completely or not at all. Reads are left to cache-reader.ts.
 */
import type { Clock } from '../../../shared/runtime/clock';
import type { Revision, StoreEvent, Watch } from '../../storage/store';
import type { CacheStatistics } from '../statistics';
import type { TypeState } from '../store/type-state';
import type { RecordedChange } from '../store/event-window';
import { StallGuard, type StallHost } from './stall-guard';
import { InboundQueue, type InboundQueueHandler } from './inbound-queue';
import { compareAllTypes, loadState } from './load-state';
import { revisionsToReplay } from './replayed-revisions';
import type { ReplicatedState } from './replicated-state';

/** Minimum time between two writes of the tick key. */
const TICK_MS = 1000;
/** Mean delay before another attempt to read the store, after an error. */
const RETRY_MS = 1000;

/** The stream of one cache. */
export class EventStream implements InboundQueueHandler, StallHost {
  /** Whether the store's stream is connected. */
  isConnected = false;
  readonly stall = new StallGuard(this);
  private readonly inbound: InboundQueue;
  private stream: Watch | undefined;
  private lastTick = -Infinity;

  constructor(
    private readonly replica: ReplicatedState,
    /** See `CacheOptions.replayRevisions`. */
    private readonly replayRevisions: number | undefined,
    /** Aborted when the cache is closed. */
    private readonly abortSignal: AbortSignal,
  ) {
    this.inbound = new InboundQueue(this, () => replica.timeSlice());
  }

  get clock(): Clock {
    return this.replica.clock;
  }

  get statistics(): CacheStatistics {
    return this.replica.statistics;
  }

  get revision(): Revision {
    return this.replica.revision;
  }

  /** Resolves when the state is loaded and the cache has reached the store's revision, or when the cache is closed. */
  async start(): Promise<void> {
    for (let attempt = 1; !this.abortSignal.aborted; attempt += 1) {
      try {
        await this.load();
        return;
      } catch (error) {
        if (this.abortSignal.aborted) return;
        this.replica.logger.warn('the store could not be read at the start, trying again', { error, attempt });
        await this.waitBeforeRetry();
      }
    }
  }

  /** Ends the watch of the store. Nothing is applied afterwards. */
  close(): void {
    this.inbound.close();
    this.stream?.close();
    this.stall.close();
  }

  /**
   * Loads the state of an earlier revision, then follows the stream to the current one, so that the event window is
   * filled before the first request.
   */
  private async load(): Promise<void> {
    const { replica } = this;
    const { store, keys } = replica;
    const storeRevision = await store.revision();
    const { kv } = await store.get(replica.compactionKey);
    if (kv !== undefined) replica.setCompactedRevision(Number(kv.value.toString()));
    const stored = { compacted: replica.compactedRevision, current: storeRevision };
    const replayFrom = storeRevision - (this.replayRevisions ?? (await revisionsToReplay(store, stored)));
    // The first revision of an empty store may have no event, so the stream would never report it.
    const firstRevision = Math.min(1, storeRevision);
    const revision = await loadState(replica, Math.max(firstRevision, replica.compactedRevision, replayFrom));
    for (const { type } of keys.states) this.statistics.loads.set(type.name, (this.statistics.loads.get(type.name) ?? 0) + 1);
    if (this.abortSignal.aborted) return;
    // A later revision than requested: the store has been compacted up to it.
    if (revision > firstRevision && revision > replayFrom) replica.setCompactedRevision(revision);
    for (const state of keys.states) state.resetLog(revision);
    replica.advanceTo(revision);
    this.openWatch();
    this.stall.expectRevision(storeRevision);
    await replica.waiters.waitForRevision(storeRevision, Infinity);
  }

  private openWatch(): void {
    this.stream = this.replica.store.watch(this.replica.keys.wholeRange, this.revision + 1, this.inbound);
    this.inbound.attach(this.stream);
  }

  private waitBeforeRetry(): Promise<void> {
    // Random, so that replicas do not read the store at the same time.
    return this.clock.sleep(RETRY_MS * (0.5 + this.replica.random.float()), this.abortSignal);
  }

  // Called by the inbound queue: the methods of InboundQueueHandler.

  /** Applies the events of one revision and notifies the watchers, without yielding. */
  apply(revision: Revision, events: readonly StoreEvent[]): void {
    const { keys, listeners, objects } = this.replica;
    const now = this.clock.monotonic();
    const changes: { readonly state: TypeState; readonly change: RecordedChange }[] = [];
    for (const event of events) {
      const state = keys.locate(event.key, revision - 1);
      if (state === undefined) {
        listeners.notifyChange(keys.relativeKey(event.key), event.type === 'put' ? event.value : undefined, revision);
        continue;
      }
      const change = objects.applyEvent(state, event, now);
      if (change !== undefined) changes.push({ state, change });
    }
    this.replica.revision = revision;
    for (const { state, change } of changes) objects.watchersOf(state).dispatch(change);
  }

  /** Wakes up the callers that wait for the revision. */
  onProgress(revision: Revision): void {
    this.replica.advanceTo(revision);
  }

  /** Wakes up the callers that wait for the revision, and drops what is over its limits. */
  onIdle(): void {
    this.replica.waiters.advance(this.revision);
    this.replica.trim();
  }

  onConnectionChange(connected: boolean): void {
    this.isConnected = connected;
  }

  onPause(): void {
    this.statistics.streamPauses += 1;
  }

  /**
   * Called when the store was compacted while the watch was disconnected: the changes in between are lost. Compares every
   * type with the store, applies the differences, and opens a new watch. The watches of types that differ expire, because
   * the missed changes have no revisions to notify their watchers with. Types that do not differ missed nothing.
   */
  async resyncAfterCompaction(compactRevision: Revision): Promise<void> {
    const { replica } = this;
    this.statistics.gaps += 1;
    replica.setCompactedRevision(compactRevision);
    replica.logger.warn('the store was compacted while the watch was disconnected, comparing', { at: this.revision, compactRevision });
    while (!this.abortSignal.aborted) {
      try {
        const revision = await replica.store.revision();
        const differences = await compareAllTypes(replica, revision);
        if (this.abortSignal.aborted) return;
        replica.revision = Math.max(replica.revision, revision);
        for (const { state, difference } of differences) replica.objects.resync(state, difference, replica.revision);
        replica.pastSnapshots.clear();
        replica.advanceTo(revision);
        this.openWatch();
        return;
      } catch (error) {
        if (this.abortSignal.aborted) return;
        replica.logger.warn('the comparison failed, trying again', { error });
        await this.waitBeforeRetry();
      }
    }
  }

  // Called by the stall guard: the methods of StallHost.

  /** Requests a progress notification from the store; false when the store cannot send one. */
  requestProgress(): boolean {
    return this.stream?.requestProgress() ?? false;
  }

  /** Opens another stream from the cache's revision, when the present one has stalled. */
  reopen(): void {
    this.stream?.reopen();
  }

  /**
   * Writes a small key below the prefix, at most once per second. Its event advances the cache past that write, and so
   * past everything before it.
   */
  tick(): void {
    const { store, keys, clock, logger } = this.replica;
    const now = clock.monotonic();
    if (now - this.lastTick < TICK_MS || this.abortSignal.aborted) return;
    this.lastTick = now;
    this.statistics.ticks += 1;
    const put = { type: 'put', key: keys.nonObjectKey('tick'), value: Buffer.from(String(clock.now())) } as const;
    store.transact({ compare: [], operations: [put] }).catch((error: unknown) => logger.debug('the tick was not written', { error }));
  }
}
