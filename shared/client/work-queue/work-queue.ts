/**
 * A work queue of object keys with client-go's semantics:
 * - A key that is added several times before it is processed is returned once.
 * - A key is not processed by two workers at a time. One that is added while it is processed is returned again after
 *   `done`.
 * - A failed key is added again after a delay of the rate limiter (rate-limiter.ts).
 *
 * The loop that takes and processes items is in workers.ts.
 */
import type { Clock } from '../../runtime/clock';
import { Deque } from '../../runtime/deque';
import { DelayQueue } from './delay-queue';
import type { RateLimiter } from '../rate-limiter';

/** Receives the queue's metrics; all times are in milliseconds. */
export interface QueueMetrics {
  /** An item was added. Not called for an item that needs processing already. */
  added(): void;
  /** An item was returned to a worker after this time in the queue. */
  dequeued(waitedMs: number): void;
  /** Processing of an item took this time. */
  finished(workedMs: number): void;
  /** An item was added with back-off after a failure. */
  retried(): void;
}

/** For queues without metrics. */
export const NO_QUEUE_METRICS: QueueMetrics = {
  added: () => undefined,
  dequeued: () => undefined,
  finished: () => undefined,
  retried: () => undefined,
};

/** The back-off and the metrics of a queue. */
export interface WorkQueueOptions {
  readonly clock: Clock;
  readonly limit: RateLimiter;
  readonly metrics?: QueueMetrics;
}

/** Safe for any number of concurrent workers. Times of items are monotonic milliseconds of the clock. */
export class WorkQueue {
  /** Keys that need processing, with the time of their addition: those in `ready`, and those to be returned after `done`. */
  private readonly dirty = new Map<string, number>();
  /** Keys being processed, with the start time. */
  private readonly processing = new Map<string, number>();
  /** Dirty keys that are not being processed, in order of addition. */
  private readonly ready = new Deque<string>();
  /** Keys that are added at a later time. */
  private readonly delayed: DelayQueue<string>;
  /** Resolves the promises of {@link get} that wait for an item, in order of the calls. */
  private readonly waiters: ((item: string | undefined) => void)[] = [];
  private readonly metrics: QueueMetrics;
  private isClosed = false;
  private drainWaiters: (() => void)[] = [];

  constructor(private readonly options: WorkQueueOptions) {
    this.metrics = options.metrics ?? NO_QUEUE_METRICS;
    this.delayed = new DelayQueue(options.clock, (item) => this.add(item));
  }

  /** Number of items that wait for a worker, without delayed ones. */
  get length(): number {
    return this.ready.size;
  }

  /** Start times of the items being processed. */
  get unfinished(): Iterable<number> {
    return this.processing.values();
  }

  /** Adds an item. No effect when it needs processing already, or after {@link close}. */
  add(item: string): void {
    if (this.isClosed || this.dirty.has(item)) return;
    this.metrics.added();
    this.dirty.set(item, this.options.clock.monotonic());
    if (this.processing.has(item)) return;
    this.ready.push(item);
    this.dispatchNext();
  }

  /** Adds the item after `ms` milliseconds, or earlier if it is due earlier already. No effect after {@link close}. */
  addAfter(item: string, ms: number): void {
    if (this.isClosed) return;
    if (ms <= 0) this.add(item);
    else this.delayed.add(item, ms);
  }

  /** Adds the item after the delay of the rate limiter, which counts a failure. No effect after {@link close}. */
  addRateLimited(item: string): void {
    if (this.isClosed) return;
    this.metrics.retried();
    this.addAfter(item, this.options.limit.nextDelayMs(item));
  }

  /** Resets the back-off of the item. */
  forget(item: string): void {
    this.options.limit.forget(item);
  }

  /** Calls of {@link addRateLimited} for the item since the last {@link forget}. */
  failures(item: string): number {
    return this.options.limit.failures(item);
  }

  /** Resolves to the next item; to `undefined` once the queue is closed. The worker calls {@link done} after processing. */
  get(): Promise<string | undefined> {
    if (this.isClosed) return Promise.resolve(undefined);
    const item = this.dequeue();
    return item === undefined ? new Promise((resolve) => this.waiters.push(resolve)) : Promise.resolve(item);
  }

  /** Processing of the item has ended: it is returned again if it was added meanwhile. */
  done(item: string): void {
    const since = this.processing.get(item);
    if (since === undefined) return;
    this.processing.delete(item);
    this.metrics.finished(this.options.clock.monotonic() - since);
    if (this.dirty.has(item)) {
      this.ready.push(item);
      this.dispatchNext();
    }
    if (this.isClosed && this.processing.size === 0) this.notifyDrained();
  }

  /** Drops waiting and delayed items. Resolves when the items being processed are done. */
  close(): Promise<void> {
    this.isClosed = true;
    this.delayed.clear();
    this.ready.clear();
    this.dirty.clear();
    for (const waiter of this.waiters.splice(0)) waiter(undefined);
    return this.processing.size === 0 ? Promise.resolve() : new Promise((resolve) => this.drainWaiters.push(resolve));
  }

  /** Gives the next item to the worker that waits longest, if there are both. */
  private dispatchNext(): void {
    const waiter = this.waiters.shift();
    if (waiter === undefined) return;
    const item = this.dequeue();
    if (item === undefined) this.waiters.unshift(waiter);
    else waiter(item);
  }

  private dequeue(): string | undefined {
    const item = this.ready.shift();
    if (item === undefined) return undefined;
    const now = this.options.clock.monotonic();
    this.metrics.dequeued(now - (this.dirty.get(item) ?? now));
    this.dirty.delete(item);
    this.processing.set(item, now);
    return item;
  }

  private notifyDrained(): void {
    for (const resolve of this.drainWaiters.splice(0)) resolve();
  }
}
