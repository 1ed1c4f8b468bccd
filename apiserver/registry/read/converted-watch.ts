/**
 * A watch of a custom kind with a conversion webhook. Events keep their order; pending events are
 * converted together, and selectors apply to the converted objects. When a conversion fails, the watch ends: with an
 * error during the initial state, without one afterwards. A live watch with too many pending bytes is closed.
 */
import { errorMessage } from '../../../shared/runtime/error-message';
import type { BookmarkType, CacheWatch, Change, ChangeSink, Entry, WatchEnd, WatchEventType } from '../../cache/cache';
import { yieldToEventLoop } from '../../../shared/scheduling/yielding';
import type { Revision } from '../../storage/store';
import type { ConversionContext, Conversions } from '../conversions';
import { versionToConvertFrom } from '../object/hidden-fields';
import type { Resource } from '../verbs';

/** Limits of pending events: the initial state pauses at the first, and a live watch is closed at the second. */
const MAX_INITIAL_BYTES = 1024 * 1024;
const MAX_LIVE_BYTES = 16 * 1024 * 1024;
const MAX_BATCH = 500;

interface PendingDelivery {
  /** Objects to convert before delivery. */
  readonly entries: readonly Entry[];
  readonly bytes: number;
  readonly deliver: (converted: readonly Entry[]) => void;
}

export interface ConvertedWatchParts {
  readonly conversions: Conversions;
  readonly row: Resource['row'];
  /** `undefined` to deliver every event. */
  readonly matches: ((entry: Entry) => boolean) | undefined;
  /** Creates the context of one conversion. */
  readonly context: () => ConversionContext;
}

export class ConvertedWatch implements ChangeSink, CacheWatch {
  private readonly queue: PendingDelivery[] = [];
  private bytes = 0;
  private isDraining = false;
  private isEnded = false;
  private isLive = false;
  private source: CacheWatch | undefined;
  private readyWaiters: (() => void)[] = [];

  constructor(
    private readonly sink: ChangeSink,
    private readonly parts: ConvertedWatchParts,
  ) {}

  /** Sets the cache watch that {@link close} closes. */
  attachSource(source: CacheWatch): void {
    this.source = source;
    if (this.isEnded) source.close();
  }

  event(type: WatchEventType, entry: Entry, change: Change): void {
    if (this.parts.matches === undefined) this.enqueue([entry], ([converted = entry]) => this.sink.event(type, converted, change));
    else this.deliverSelected(type, entry, change, this.parts.matches);
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
    if (this.isEnded || this.bytes <= MAX_INITIAL_BYTES) return this.sink.whenWritable?.();
    return new Promise((resolve) => this.readyWaiters.push(resolve));
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
    const current = type === 'DELETED' ? undefined : entry;
    const previous = type === 'DELETED' ? entry : type === 'MODIFIED' ? change.previous : undefined;
    const states = [...(previous === undefined ? [] : [previous]), ...(current === undefined ? [] : [current])];
    this.enqueue(states, (converted) => {
      const before = previous === undefined ? undefined : converted[0];
      const after = current === undefined ? undefined : converted[converted.length - 1];
      const matchedBefore = before !== undefined && matches(before);
      const matchesNow = after !== undefined && matches(after);
      if (matchesNow && after !== undefined) this.sink.event(matchedBefore ? 'MODIFIED' : 'ADDED', after, change);
      else if (matchedBefore && before !== undefined) this.sink.event('DELETED', before, change);
    });
  }

  private enqueue(entries: readonly Entry[], deliver: (converted: readonly Entry[]) => void): void {
    if (this.isEnded) return;
    if (
      !this.isDraining &&
      this.queue.length === 0 &&
      entries.every((entry) => versionToConvertFrom(this.parts.row, entry) === undefined)
    ) {
      deliver(entries);
      return;
    }
    const bytes = entries.reduce((sum, entry) => sum + entry.bytes.length, 0);
    this.queue.push({ entries, bytes, deliver });
    this.bytes += bytes;
    if (this.isLive && this.bytes > MAX_LIVE_BYTES) this.finish({ type: 'closed' });
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
      converted = await this.parts.conversions.convertEntries(
        this.parts.row,
        batch.flatMap(({ entries }) => entries),
        this.parts.context(),
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
      this.bytes -= bytes;
      deliver(converted.slice(offset, (offset += entries.length)));
      const consumerPause = this.sink.whenWritable?.();
      if (consumerPause !== undefined && !this.isLive) await consumerPause;
    }
    if (this.bytes <= MAX_INITIAL_BYTES) this.resolveWaiters();
  }

  private hasEnded(): boolean {
    return this.isEnded;
  }

  private finish(reason: WatchEnd): void {
    if (this.isEnded) return;
    this.close();
    this.sink.end(reason);
  }

  private resolveWaiters(): void {
    const waiters = this.readyWaiters;
    this.readyWaiters = [];
    for (const resolve of waiters) resolve();
  }
}
