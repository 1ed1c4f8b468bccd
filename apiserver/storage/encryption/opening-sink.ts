/**
 * The events of a watch on their way through decryption: in their order, whole revisions together, with yields to the event loop when there are many. While a key has to
 * be asked for elsewhere, what follows waits here and the stream is paused. Never looks into a value.
 */
import type { Clock } from '../../../shared/runtime/clock';
import { TimeSlice, type YieldNow } from '../../../shared/scheduling/yielding';
import type { Revision, StoreEvent, Watch, WatchSink } from '../store';

export interface OpeningParts {
  /** See `RowRules.prepare`. */
  readonly prepare: (key: string, value: Buffer) => Promise<void> | undefined;
  readonly open: (key: string, value: Buffer) => Buffer;
  readonly clock: Clock;
  /** See `TimeSlice`. */
  readonly yieldNow?: YieldNow;
}

type Item =
  | { readonly type: 'events'; readonly events: readonly StoreEvent[]; readonly through: Revision }
  | { readonly type: 'other'; readonly tell: () => void };

export class OpeningSink implements WatchSink {
  private queue: Item[] = [];
  private isDraining = false;
  private isClosed = false;
  private watch: Watch | undefined;
  /** Whoever reads has asked for a pause. */
  private isPaused = false;
  /** Something waits here. */
  private isHeld = false;

  constructor(
    private readonly sink: WatchSink,
    private readonly parts: OpeningParts,
  ) {}

  /** The watch as its reader sees it. */
  over(watch: Watch): Watch {
    this.watch = watch;
    if (this.isHeld) watch.pause();
    return {
      requestProgress: () => watch.requestProgress(),
      reopen: () => watch.reopen(),
      pause: () => {
        this.isPaused = true;
        watch.pause();
      },
      resume: () => {
        this.isPaused = false;
        if (!this.isHeld) watch.resume();
      },
      close: () => {
        this.isClosed = true;
        this.queue = [];
        watch.close();
      },
    };
  }

  events(events: readonly StoreEvent[], through: Revision): void {
    this.take({ type: 'events', events, through });
  }

  progress(revision: Revision): void {
    this.take({ type: 'other', tell: () => this.sink.progress(revision) });
  }

  compacted(compactRevision: Revision): void {
    this.take({ type: 'other', tell: () => this.sink.compacted(compactRevision) });
  }

  connection(state: 'connected' | 'disconnected'): void {
    this.take({ type: 'other', tell: () => this.sink.connection(state) });
  }

  private take(item: Item): void {
    if (this.isClosed) return;
    this.queue.push(item);
    if (!this.isDraining) void this.drain();
  }

  /** Runs through at once as long as nothing has to be waited for. */
  private async drain(): Promise<void> {
    this.isDraining = true;
    for (let item = this.queue.shift(); item !== undefined; item = this.queue.shift()) {
      if (item.type === 'other') item.tell();
      else {
        const rest = this.deliver(item.events, item.through, undefined);
        if (rest !== undefined) await rest;
      }
      if (this.isClosed) return;
    }
    this.isDraining = false;
  }

  /** `known` = the event whose key has been asked for. Returns what is left to be waited for. */
  private deliver(events: readonly StoreEvent[], through: Revision, known: StoreEvent | undefined): Promise<void> | undefined {
    const slice = new TimeSlice(this.parts.clock, { stepsPerCheck: 1, yieldNow: this.parts.yieldNow });
    const opened: StoreEvent[] = [];
    for (let at = 0; at < events.length; at++) {
      const event = events[at];
      if (event === undefined) continue;
      const begins = event.revision !== events[at - 1]?.revision;
      const wait = event.type === 'put' && event !== known ? this.parts.prepare(event.key, event.value) : undefined;
      const isLong = begins && opened.length > 0 && slice.isDue();
      if (wait !== undefined) return this.later(events, through, opened, this.held(wait));
      if (isLong) return this.later(events, through, opened, slice.yieldNow());
      opened.push(event.type === 'put' ? { ...event, value: this.parts.open(event.key, event.value) } : event);
    }
    this.sink.events(opened, through);
    return undefined;
  }

  /** Hands on what is whole, waits, and goes on with the rest. */
  private async later(events: readonly StoreEvent[], through: Revision, opened: readonly StoreEvent[], wait: Promise<void>): Promise<void> {
    const next = events[opened.length];
    const whole = opened.filter(({ revision }) => revision !== next?.revision);
    const last = whole.at(-1);
    if (last !== undefined) this.sink.events(whole, last.revision);
    await wait;
    if (!this.isClosed) await this.deliver(events.slice(whole.length), through, next);
  }

  private async held(wait: Promise<void>): Promise<void> {
    this.hold(true);
    await wait;
    this.hold(false);
  }

  private hold(isHeld: boolean): void {
    this.isHeld = isHeld;
    if (this.isPaused || this.isClosed) return;
    if (isHeld) this.watch?.pause();
    else this.watch?.resume();
  }
}
