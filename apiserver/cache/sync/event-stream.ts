/**
 * Loads the state and follows the store's event stream from there. The clock moves here only: the events of a revision are applied, then the clock is
 * set, then watchers are notified, all synchronously, so a reader sees a whole revision or none of it. Answers no reads.
 */
import type { Clock } from '../../../shared/runtime/clock';
import type { Revision, StoreEvent, Watch } from '../../storage/store';
import type { CacheStatistics } from '../statistics';
import type { TypeState } from '../store/type-state';
import type { RecordedChange } from '../store/window';
import { StallGuard, type StallHost } from './consistent-reads';
import { Inbound, type InboundHandler } from './inbound';
import { compareAll, loadState } from './load';
import { pastToReplay } from './replayed-past';
import type { ReplicatedState } from './replicated-state';

const TICK_MS = 1000;
const RETRY_MS = 1000;

export class EventStream implements InboundHandler, StallHost {
  connected = false;
  readonly stall = new StallGuard(this);
  private readonly inbound: Inbound;
  private stream: Watch | undefined;
  private lastTick = -Infinity;

  constructor(
    private readonly replica: ReplicatedState,
    /** How many revisions before the present one the loaded state lies; undefined = as many as replayed-past.ts says. */
    private readonly replayRevisions: number | undefined,
    /** Aborted when the cache is closed. */
    private readonly ending: AbortSignal,
  ) {
    this.inbound = new Inbound(this, () => replica.timeSlice());
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

  /** Resolves when the state is loaded and the clock has reached the store's revision, or when the cache is closed. */
  async begin(): Promise<void> {
    for (let attempt = 1; !this.ending.aborted; attempt += 1) {
      try {
        await this.load();
        return;
      } catch (error) {
        if (this.ending.aborted) return;
        this.replica.logger.warn('the store could not be read at the start, trying again', { error, attempt });
        await this.retryDelay();
      }
    }
  }

  close(): void {
    this.inbound.close();
    this.stream?.close();
    this.stall.close();
  }

  /** Loads the state of an earlier revision, then follows the stream up to the present one: so the window is full when the first request comes. */
  private async load(): Promise<void> {
    const { replica } = this;
    const { store, keys } = replica;
    const now = await store.revision();
    if (this.stream === undefined) {
      const { kv } = await store.get(replica.compactionKey);
      if (kv !== undefined) replica.compactedTo(Number(kv.value.toString()));
      // The first revision of an empty store may have no event, so the stream would never say that it has been reached.
      const first = Math.min(1, now);
      const replayed = this.replayRevisions ?? (await pastToReplay(store, replica.compactedRevision, now));
      const revision = await loadState(replica, Math.max(first, replica.compactedRevision, now - replayed));
      for (const { type } of keys.states) this.statistics.loads.set(type.name, (this.statistics.loads.get(type.name) ?? 0) + 1);
      if (this.ending.aborted) return;
      if (revision > first && revision > now - replayed) replica.compactedTo(revision);
      for (const state of keys.states) state.beginLog(revision);
      replica.advance(revision);
      this.open();
    }
    this.stall.expect(now);
    await replica.waiters.waitFor(now, Infinity);
  }

  private open(): void {
    this.stream = this.replica.store.watch(this.replica.keys.whole, this.revision + 1, this.inbound);
    this.inbound.attach(this.stream);
  }

  private retryDelay(): Promise<void> {
    return this.clock.sleep(RETRY_MS * (0.5 + this.replica.random.float()), this.ending);
  }

  apply(revision: Revision, events: readonly StoreEvent[]): void {
    const { keys, listeners, objects } = this.replica;
    const now = this.clock.monotonic();
    const changes: { readonly state: TypeState; readonly change: RecordedChange }[] = [];
    for (const event of events) {
      const state = keys.locate(event.key, revision - 1);
      if (state === undefined) {
        listeners.changed(keys.relative(event.key), event.type === 'put' ? event.value : undefined, revision);
        continue;
      }
      const change = objects.change(state, event, now);
      if (change !== undefined) changes.push({ state, change });
    }
    this.replica.revision = revision;
    for (const { state, change } of changes) objects.watchersOf(state).dispatch(change);
  }

  through(revision: Revision): void {
    this.replica.advance(revision);
  }

  settled(): void {
    this.replica.waiters.advance(this.revision);
    this.replica.trim();
  }

  connection(connected: boolean): void {
    this.connected = connected;
  }

  paused(): void {
    this.statistics.pauses += 1;
  }

  /**
   * Compares every type with the store. Only the types that differ lose their watches: what they missed has no revisions any more, so their watchers
   * could neither be notified in order nor resume. The others missed nothing.
   */
  async gap(compactRevision: Revision): Promise<void> {
    const { replica } = this;
    this.statistics.gaps += 1;
    replica.compactedTo(compactRevision);
    replica.logger.warn('the store was compacted while the stream was cut off, comparing', { at: this.revision, compactRevision });
    while (!this.ending.aborted) {
      try {
        const revision = await replica.store.revision();
        const differences = await compareAll(replica, revision);
        if (this.ending.aborted) return;
        replica.revision = Math.max(replica.revision, revision);
        for (const [state, difference] of differences) replica.objects.setRight(state, difference, replica.revision);
        replica.past.clear();
        replica.advance(revision);
        this.open();
        return;
      } catch (error) {
        if (this.ending.aborted) return;
        replica.logger.warn('the comparison failed, trying again', { error });
        await this.retryDelay();
      }
    }
  }

  requestProgress(): boolean {
    return this.stream?.requestProgress() ?? false;
  }

  reopen(): void {
    this.stream?.reopen();
  }

  /** Writes a small key below the prefix: the clock passes that write, and so everything before it. */
  tick(): void {
    const { store, keys, clock, logger } = this.replica;
    const now = clock.monotonic();
    if (now - this.lastTick < TICK_MS || this.ending.aborted) return;
    this.lastTick = now;
    this.statistics.ticks += 1;
    const put = { type: 'put', key: keys.other('tick'), value: Buffer.from(String(clock.now())) } as const;
    store.transact({ compare: [], operations: [put] }).catch((error: unknown) => logger.debug('the tick was not written', { error }));
  }
}
