/**
 * What a controller still has to look at: keys of objects, each at most once. A key that is added while it is being worked on is handed out
 * again afterwards, never to two workers at a time. Never knows what the work is.
 */
import type { Clock } from '../../runtime/clock';
import { DelayLine } from './delay-line';
import type { RateLimit } from '../rate-limit';

/** Told of everything that happens; all times are in milliseconds. */
export interface QueueMetrics {
  added(): void;
  /** An item was handed out after waiting so long. */
  taken(waitedMs: number): void;
  /** Work on an item ended after so long. */
  finished(workedMs: number): void;
  retried(): void;
}

export const NO_QUEUE_METRICS: QueueMetrics = {
  added: () => undefined,
  taken: () => undefined,
  finished: () => undefined,
  retried: () => undefined,
};

export interface WorkQueueOptions {
  readonly clock: Clock;
  readonly limit: RateLimit;
  readonly metrics?: QueueMetrics;
}

export class WorkQueue {
  /** Everything that needs work; waiting or, when it is being worked on, to be handed out once more. */
  private readonly dirty = new Map<string, number>();
  /** Being worked on, and since when. */
  private readonly processing = new Map<string, number>();
  /** The dirty items that nobody works on, in the order in which they came. A Set keeps that order, and its start is quick to take. */
  private readonly ready = new Set<string>();
  private readonly delayed: DelayLine<string>;
  private readonly takers: ((item: string | undefined) => void)[] = [];
  private readonly metrics: QueueMetrics;
  private isClosed = false;
  private whenEmpty: (() => void)[] = [];

  constructor(private readonly options: WorkQueueOptions) {
    this.metrics = options.metrics ?? NO_QUEUE_METRICS;
    this.delayed = new DelayLine(options.clock, (item) => this.add(item));
  }

  /** Items that wait to be handed out. */
  get length(): number {
    return this.ready.size;
  }

  /** Times, as of Clock.monotonic, since when items are being worked on. */
  get unfinished(): Iterable<number> {
    return this.processing.values();
  }

  get closed(): boolean {
    return this.isClosed;
  }

  /** No effect on an item that waits already, or after {@link close}. */
  add(item: string): void {
    if (this.isClosed || this.dirty.has(item)) return;
    this.metrics.added();
    this.dirty.set(item, this.options.clock.monotonic());
    if (this.processing.has(item)) return;
    this.ready.add(item);
    this.offer();
  }

  addAfter(item: string, ms: number): void {
    if (this.isClosed) return;
    if (ms <= 0) this.add(item);
    else this.delayed.add(item, ms);
  }

  /** Adds the item after the delay that its failures so far ask for. */
  addRateLimited(item: string): void {
    if (this.isClosed) return;
    this.metrics.retried();
    this.addAfter(item, this.options.limit.failed(item));
  }

  /** The item has succeeded: its next failure is its first. */
  forget(item: string): void {
    this.options.limit.forget(item);
  }

  failures(item: string): number {
    return this.options.limit.failures(item);
  }

  /** The next item, as soon as there is one; undefined once the queue is closed. Call {@link done} when its work has ended. */
  get(): Promise<string | undefined> {
    if (this.isClosed) return Promise.resolve(undefined);
    const item = this.take();
    return item === undefined ? new Promise((resolve) => this.takers.push(resolve)) : Promise.resolve(item);
  }

  done(item: string): void {
    const since = this.processing.get(item);
    if (since === undefined) return;
    this.processing.delete(item);
    this.metrics.finished(this.options.clock.monotonic() - since);
    if (this.dirty.has(item)) {
      this.ready.add(item);
      this.offer();
    }
    if (this.isClosed && this.processing.size === 0) this.emptied();
  }

  /** Hands out nothing more, forgets what waits, and resolves when the work that is under way has ended. */
  close(): Promise<void> {
    this.isClosed = true;
    this.delayed.clear();
    this.ready.clear();
    this.dirty.clear();
    for (const taker of this.takers.splice(0)) taker(undefined);
    return this.processing.size === 0 ? Promise.resolve() : new Promise((resolve) => this.whenEmpty.push(resolve));
  }

  private offer(): void {
    const taker = this.takers.shift();
    if (taker === undefined) return;
    const item = this.take();
    if (item === undefined) this.takers.unshift(taker);
    else taker(item);
  }

  private take(): string | undefined {
    for (const item of this.ready) {
      this.ready.delete(item);
      const now = this.options.clock.monotonic();
      this.metrics.taken(now - (this.dirty.get(item) ?? now));
      this.dirty.delete(item);
      this.processing.set(item, now);
      return item;
    }
    return undefined;
  }

  private emptied(): void {
    for (const resolve of this.whenEmpty.splice(0)) resolve();
  }
}
