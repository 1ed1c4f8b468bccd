/**
 * A watch of a custom kind with a conversion webhook. Events keep their order. Pending events are converted together, and
 * selectors apply to the converted objects. When a conversion fails, the watch ends: with an error while the initial state
 * is delivered, without one afterwards. A live watch with too many pending bytes is closed.
 */
import { errorMessage } from '../../../shared/runtime/error-message';
import type { BookmarkType, CacheWatch, Change, ChangeSink, Entry, WatchEnd, WatchEventType } from '../../cache/cache';
import { yieldToEventLoop } from '../../../shared/scheduling/yielding';
import type { Revision } from '../../storage/store';
import type { ConversionContext, Conversions } from '../conversions';
import { versionToConvertFrom } from '../object/hidden-fields';
import type { Resource } from '../verbs';

/** Pending bytes above which {@link ConvertedWatch.whenWritable} makes the cache pause the initial state. */
const MAX_INITIAL_BYTES = 1024 * 1024;
/** Pending bytes above which a live watch, which cannot pause, is closed. */
const MAX_LIVE_BYTES = 16 * 1024 * 1024;
/** Maximum number of events that are converted together. */
const MAX_BATCH = 500;

/** A call of the sink that waits for conversions, or for earlier calls. */
interface PendingDelivery {
  /** Objects to convert before delivery. */
  readonly entries: readonly Entry[];
  readonly bytes: number;
  readonly deliver: (converted: readonly Entry[]) => void;
}

/** What one watch uses. */
export interface ConvertedWatchDependencies {
  readonly conversions: Conversions;
  readonly row: Resource['row'];
  /** `undefined` to deliver every event. */
  readonly matches: ((entry: Entry) => boolean) | undefined;
  /** Creates the context of one conversion. */
  readonly context: () => ConversionContext;
}

/**
 * Stands between the cache and the sink of one watch: receives the events as the cache's sink, and is the watch that
 * the owner of the sink closes.
 */
export class ConvertedWatch implements ChangeSink, CacheWatch {
  private readonly queue: PendingDelivery[] = [];
  /** Of the events in the queue. */
  private pendingBytes = 0;
  private isDraining = false;
  private isEnded = false;
  /** The initial state has been delivered. */
  private isLive = false;
  private source: CacheWatch | undefined;
  private writableWaiters: (() => void)[] = [];

  constructor(
    private readonly sink: ChangeSink,
    private readonly deps: ConvertedWatchDependencies,
  ) {}

  /** Sets the cache watch that {@link close} closes. */
  attachSource(source: CacheWatch): void {
    this.source = source;
    if (this.isEnded) source.close();
  }

  event(type: WatchEventType, entry: Entry, change: Change): void {
    if (this.deps.matches === undefined) this.enqueue([entry], ([converted = entry]) => this.sink.event(type, converted, change));
    else this.deliverSelected(type, entry, change, this.deps.matches);
  }

  bookmark(revision: Revision, type: BookmarkType): void {
    this.enqueue([], () => this.sink.bookmark(revision, type));
  }

  end(reason: WatchEnd): void {
    this.enqueue([], () => this.finish(reason));
  }

  onLive(): void {
    this.enqueue([], () => {
      this.isLive = true;
      this.sink.onLive?.();
    });
  }

  whenWritable(): Promise<void> | undefined {
    if (this.isEnded || this.pendingBytes <= MAX_INITIAL_BYTES) return this.sink.whenWritable?.();
    return new Promise((resolve) => this.writableWaiters.push(resolve));
  }

  close(): void {
    this.isEnded = true;
    this.queue.splice(0);
    this.source?.close();
    this.resolveWaiters();
  }

  sendBookmark(): void {
    this.source?.sendBookmark();
  }

  /** Converts both states of an object; the event type follows from which of them match the selector. */
  private deliverSelected(type: WatchEventType, entry: Entry, change: Change, matches: (entry: Entry) => boolean): void {
    const { before, after } = statesOf(type, entry, change);
    const states = [...(before === undefined ? [] : [before]), ...(after === undefined ? [] : [after])];
    this.enqueue(states, (converted) => {
      const convertedBefore = before === undefined ? undefined : converted[0];
      const convertedAfter = after === undefined ? undefined : converted[converted.length - 1];
      const matchedBefore = convertedBefore !== undefined && matches(convertedBefore);
      if (convertedAfter !== undefined && matches(convertedAfter))
        this.sink.event(matchedBefore ? 'MODIFIED' : 'ADDED', convertedAfter, change);
      else if (convertedBefore !== undefined && matchedBefore) this.sink.event('DELETED', convertedBefore, change);
    });
  }

  /** Delivers at once what needs no conversion, unless earlier events are pending. */
  private enqueue(entries: readonly Entry[], deliver: (converted: readonly Entry[]) => void): void {
    if (this.isEnded) return;
    const isNextInOrder = !this.isDraining && this.queue.length === 0;
    if (isNextInOrder && entries.every((entry) => versionToConvertFrom(this.deps.row, entry) === undefined)) {
      deliver(entries);
      return;
    }
    const bytes = entries.reduce((sum, entry) => sum + entry.bytes.length, 0);
    this.queue.push({ entries, bytes, deliver });
    this.pendingBytes += bytes;
    if (this.isLive && this.pendingBytes > MAX_LIVE_BYTES) this.finish({ type: 'closed' });
    else if (!this.isDraining) void this.drainQueue();
  }

  private async drainQueue(): Promise<void> {
    this.isDraining = true;
    try {
      // Events of one event loop turn are converted together.
      await yieldToEventLoop();
      while (this.queue.length > 0 && !this.isEnded) await this.deliverBatch();
    } finally {
      this.isDraining = false;
    }
  }

  private async deliverBatch(): Promise<void> {
    const batch = this.queue.slice(0, MAX_BATCH);
    let converted: readonly Entry[];
    try {
      converted = await this.deps.conversions.convertEntries(
        this.deps.row,
        batch.flatMap(({ entries }) => entries),
        this.deps.context(),
      );
    } catch (error) {
      // A client that already has the initial state reconnects and gets the error then (upstream behaviour).
      this.finish(this.isLive ? { type: 'closed' } : { type: 'failed', message: errorMessage(error) });
      return;
    }
    let offset = 0;
    for (const { entries, bytes, deliver } of batch) {
      if (this.hasEnded()) return;
      this.queue.shift();
      this.pendingBytes -= bytes;
      deliver(converted.slice(offset, (offset += entries.length)));
      const consumerPause = this.sink.whenWritable?.();
      if (consumerPause !== undefined && !this.isLive) await consumerPause;
    }
    if (this.pendingBytes <= MAX_INITIAL_BYTES) this.resolveWaiters();
  }

  /**
   * `isEnded`, read by a call: in a method that has compared the field before, TypeScript assumes the compared value even
   * after `deliver` may have changed it.
   */
  private hasEnded(): boolean {
    return this.isEnded;
  }

  private finish(reason: WatchEnd): void {
    if (this.isEnded) return;
    this.close();
    this.sink.end(reason);
  }

  private resolveWaiters(): void {
    const waiters = this.writableWaiters;
    this.writableWaiters = [];
    for (const resolve of waiters) resolve();
  }
}

/** The states of the object before and after an event; `undefined` where it does not exist. */
function statesOf(
  type: WatchEventType,
  entry: Entry,
  { previous }: Change,
): { readonly before: Entry | undefined; readonly after: Entry | undefined } {
  switch (type) {
    case 'ADDED':
      return { before: undefined, after: entry };
    case 'MODIFIED':
      return { before: previous, after: entry };
    case 'DELETED':
      return { before: entry, after: undefined };
  }
}
