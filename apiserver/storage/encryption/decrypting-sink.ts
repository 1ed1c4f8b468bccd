/**
 * Decrypts the events of a watch: in order, without splitting a revision, and yielding to the event loop when there are
 * many. While a key has to be fetched, later events wait here and the watch is paused.
 */
import type { Clock } from '../../../shared/runtime/clock';
import { TimeSlice, type YieldNow } from '../../../shared/scheduling/yielding';
import type { Revision, StoreEvent, Watch, WatchSink } from '../store';

/** How events are decrypted. */
export interface DecryptingSinkOptions {
  /** Fetches the key that `decrypt` needs; `undefined` when there is nothing to wait for. Never rejects. */
  readonly prepare: (key: string, value: Buffer) => Promise<void> | undefined;
  /** Decrypts a stored value; a value that cannot be decrypted is replaced by a placeholder. */
  readonly decrypt: (key: string, value: Buffer) => Buffer;
  readonly clock: Clock;
  /** Replaces the yield to the event loop between events (see `TimeSlice`), for tests. */
  readonly yieldNow?: YieldNow;
}

/** A call of the store, which is forwarded once the calls before it have been. */
type Item =
  | { readonly type: 'events'; readonly events: readonly StoreEvent[]; readonly through: Revision }
  | { readonly type: 'other'; readonly forward: () => void };

/** The store delivers to this sink; the consumer receives decrypted events and the watch from {@link wrapWatch}. */
export class DecryptingSink implements WatchSink {
  private queue: Item[] = [];
  private isDraining = false;
  private isClosed = false;
  /** The watch of the store; undefined until {@link wrapWatch}, which may follow the first events. */
  private watch: Watch | undefined;
  /** Whether the consumer has paused the watch. */
  private isPaused = false;
  /** Whether events wait here for a key. */
  private isBlocked = false;

  constructor(
    private readonly sink: WatchSink,
    private readonly options: DecryptingSinkOptions,
  ) {}

  /** Wraps the watch for its consumer. */
  wrapWatch(watch: Watch): Watch {
    this.watch = watch;
    if (this.isBlocked) watch.pause();
    return {
      requestProgress: () => watch.requestProgress(),
      reopen: () => watch.reopen(),
      pause: () => {
        this.isPaused = true;
        watch.pause();
      },
      resume: () => {
        this.isPaused = false;
        if (!this.isBlocked) watch.resume();
      },
      close: () => {
        this.isClosed = true;
        this.queue = [];
        watch.close();
      },
    };
  }

  events(events: readonly StoreEvent[], through: Revision): void {
    this.enqueue({ type: 'events', events, through });
  }

  progress(revision: Revision): void {
    this.enqueue({ type: 'other', forward: () => this.sink.progress(revision) });
  }

  compacted(compactRevision: Revision): void {
    this.enqueue({ type: 'other', forward: () => this.sink.compacted(compactRevision) });
  }

  connection(state: 'connected' | 'disconnected'): void {
    this.enqueue({ type: 'other', forward: () => this.sink.connection(state) });
  }

  private enqueue(item: Item): void {
    if (this.isClosed) return;
    this.queue.push(item);
    if (!this.isDraining) void this.drain();
  }

  /** Runs synchronously as long as there is nothing to wait for. */
  private async drain(): Promise<void> {
    this.isDraining = true;
    for (let item = this.queue.shift(); item !== undefined; item = this.queue.shift()) {
      if (item.type === 'other') item.forward();
      else {
        const delivering = this.deliver(item.events, item.through, undefined);
        if (delivering !== undefined) await delivering;
      }
      if (this.isClosed) return;
    }
    this.isDraining = false;
  }

  /**
   * Decrypts and delivers events. Returns a promise when it has to wait: for a key, or, between two revisions, for the
   * event loop. `prepared` is the event that the previous call waited for; its key is not fetched again.
   */
  private deliver(events: readonly StoreEvent[], through: Revision, prepared: StoreEvent | undefined): Promise<void> | undefined {
    const slice = new TimeSlice(this.options.clock, { stepsPerCheck: 1, yieldNow: this.options.yieldNow });
    const decrypted: StoreEvent[] = [];
    for (const [index, event] of events.entries()) {
      const startsRevision = event.revision !== events[index - 1]?.revision;
      const wait = event.type === 'put' && event !== prepared ? this.options.prepare(event.key, event.value) : undefined;
      const shouldYield = startsRevision && decrypted.length > 0 && slice.isDue();
      if (wait !== undefined) return this.deliverRest(events, through, decrypted, this.pauseDuring(wait));
      if (shouldYield) return this.deliverRest(events, through, decrypted, slice.yieldNow());
      decrypted.push(event.type === 'put' ? { ...event, value: this.options.decrypt(event.key, event.value) } : event);
    }
    this.sink.events(decrypted, through);
    return undefined;
  }

  /** Delivers the complete revisions of `decrypted`, waits, and continues with the revision of the next event. */
  private async deliverRest(
    events: readonly StoreEvent[],
    through: Revision,
    decrypted: readonly StoreEvent[],
    wait: Promise<void>,
  ): Promise<void> {
    const next = events[decrypted.length];
    const complete = decrypted.filter(({ revision }) => revision !== next?.revision);
    const last = complete.at(-1);
    if (last !== undefined) this.sink.events(complete, last.revision);
    await wait;
    if (!this.isClosed) await this.deliver(events.slice(complete.length), through, next);
  }

  private async pauseDuring(wait: Promise<void>): Promise<void> {
    this.isBlocked = true;
    if (this.isWatchRunning()) this.watch?.pause();
    await wait;
    this.isBlocked = false;
    if (this.isWatchRunning()) this.watch?.resume();
  }

  /** Whether the consumer wants events. */
  private isWatchRunning(): boolean {
    return !this.isPaused && !this.isClosed;
  }
}
