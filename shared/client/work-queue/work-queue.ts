/**
 * What a controller still has to look at: keys of objects, each at most once. A key that is added while it is being worked on is handed out
 * again afterwards, never to two workers at a time. Never knows what the work is.
 */
import type { Clock } from '../../runtime/clock';
import { DelayQueue } from './delay-queue';
import type { RateLimiter } from '../rate-limiter';

/** Told of everything that happens; all times are in milliseconds. */
export interface QueueMetrics {
  added(): void;
  /** An item was handed out after waiting so long. */
  dequeued(waitedMs: number): void;
  /** Work on an item ended after so long. */
  finished(workedMs: number): void;
  retried(): void;
}

export const NO_QUEUE_METRICS: QueueMetrics = {
  added: () => undefined,
  dequeued: () => undefined,
  finished: () => undefined,
  retried: () => undefined,
};

export interface WorkQueueOptions {
  readonly clock: Clock;
  readonly limit: RateLimiter;
  readonly metrics?: QueueMetrics;
}

export class WorkQueue {
  /** Everything that needs work; waiting or, when it is being worked on, to be handed out once more. */
  private readonly dirty = new Map<string, number>();
  /** Being worked on, and since when. */
  private readonly processing = new Map<string, number>();
  /** The dirty items that nobody works on, in the order in which they came. A Set keeps that order, and its start is quick to take. */
  private readonly ready = new Set<string>();
  private readonly delayed: DelayQueue<string>;
  private readonly waiters: ((item: string | undefined) => void)[] = [];
  private readonly metrics: QueueMetrics;
  private isClosed = false;
  private drainWaiters: (() => void)[] = [];

  constructor(private readonly options: WorkQueueOptions) {
    this.metrics = options.metrics ?? NO_QUEUE_METRICS;
    this.delayed = new DelayQueue(options.clock, (item) => this.add(item));
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
    this.dispatchNext();
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
    this.addAfter(item, this.options.limit.nextDelayMs(item));
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
    const item = this.dequeue();
    return item === undefined ? new Promise((resolve) => this.waiters.push(resolve)) : Promise.resolve(item);
  }

  done(item: string): void {
    const since = this.processing.get(item);
    if (since === undefined) return;
    this.processing.delete(item);
    this.metrics.finished(this.options.clock.monotonic() - since);
    if (this.dirty.has(item)) {
      this.ready.add(item);
      this.dispatchNext();
    }
    if (this.isClosed && this.processing.size === 0) this.notifyDrained();
  }

  /** Hands out nothing more, forgets what waits, and resolves when the work that is under way has ended. */
  close(): Promise<void> {
    this.isClosed = true;
    this.delayed.clear();
    this.ready.clear();
    this.dirty.clear();
    for (const waiter of this.waiters.splice(0)) waiter(undefined);
    return this.processing.size === 0 ? Promise.resolve() : new Promise((resolve) => this.drainWaiters.push(resolve));
  }

  private dispatchNext(): void {
    const waiter = this.waiters.shift();
    if (waiter === undefined) return;
    const item = this.dequeue();
    if (item === undefined) this.waiters.unshift(waiter);
    else waiter(item);
  }

  private dequeue(): string | undefined {
    for (const item of this.ready) {
      this.ready.delete(item);
      const now = this.options.clock.monotonic();
      this.metrics.dequeued(now - (this.dirty.get(item) ?? now));
      this.dirty.delete(item);
      this.processing.set(item, now);
      return item;
    }
    return undefined;
  }

  private notifyDrained(): void {
    for (const resolve of this.drainWaiters.splice(0)) resolve();
  }
}
