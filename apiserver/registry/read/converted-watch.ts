/**
 * A watch of a custom kind whose objects a webhook puts into the watched version. Events wait for their objects in their order, as many as are there are converted
 * together, and selectors look at what came of it. Where it cannot be done, the watch ends, of the initial state with the reason; whoever is too far behind is cut off.
 */
import { errorMessage } from '../../../shared/runtime/error-message';
import type { CacheWatch, Change, ChangeSink, Entry, WatchEnd, WatchEventType } from '../../cache/cache';
import { yieldToEventLoop } from '../../../shared/scheduling/yielding';
import type { Revision } from '../../storage/store';
import type { ConversionContext, Conversions } from '../conversions';
import { convertedFrom } from '../object/hidden-fields';
import type { Resource } from '../verbs';

/** Of what waits: an initial state stops here, and a live watch ends at the second. */
const ENOUGH_BYTES = 1024 * 1024;
const MOST_BYTES = 16 * 1024 * 1024;
const MOST_TOGETHER = 500;

interface Waiting {
  /** What has to be converted before it can be told. */
  readonly entries: readonly Entry[];
  readonly bytes: number;
  readonly tell: (shown: readonly Entry[]) => void;
}

export interface ConvertedWatchParts {
  readonly conversions: Conversions;
  readonly row: Resource['row'];
  /** Absent = everything. */
  readonly matches: ((entry: Entry) => boolean) | undefined;
  /** Of each conversion. */
  readonly context: () => ConversionContext;
}

export class ConvertedWatch implements ChangeSink, CacheWatch {
  private readonly queue: Waiting[] = [];
  private bytes = 0;
  private isBusy = false;
  private isEnded = false;
  private isLive = false;
  private source: CacheWatch | undefined;
  private drained: (() => void)[] = [];

  constructor(
    private readonly sink: ChangeSink,
    private readonly parts: ConvertedWatchParts,
  ) {}

  /** What is to be closed when it ends from this side. */
  follow(source: CacheWatch): void {
    this.source = source;
    if (this.isEnded) source.close();
  }

  event(type: WatchEventType, entry: Entry, change: Change): void {
    if (this.parts.matches === undefined) this.put([entry], ([shown = entry]) => this.sink.event(type, shown, change));
    else this.selected(type, entry, change, this.parts.matches);
  }

  bookmark(revision: Revision, endOfInitialEvents: boolean): void {
    this.put([], () => this.sink.bookmark(revision, endOfInitialEvents));
  }

  end(reason: WatchEnd): void {
    this.put([], () => this.finish(reason));
  }

  onLive(): void {
    this.put([], () => {
      this.isLive = true;
      this.sink.onLive?.();
    });
  }

  whenWritable(): Promise<void> | undefined {
    if (this.isEnded || this.bytes <= ENOUGH_BYTES) return this.sink.whenWritable?.();
    return new Promise((resolve) => this.drained.push(resolve));
  }

  close(): void {
    this.isEnded = true;
    this.queue.splice(0);
    this.source?.close();
    this.release();
  }

  sendBookmark(): void {
    this.source?.sendBookmark();
  }

  /** What the selector says of both states decides what is told. */
  private selected(type: WatchEventType, entry: Entry, change: Change, matches: (entry: Entry) => boolean): void {
    const current = type === 'DELETED' ? undefined : entry;
    const previous = type === 'DELETED' ? entry : type === 'MODIFIED' ? change.previous : undefined;
    const both = [...(previous === undefined ? [] : [previous]), ...(current === undefined ? [] : [current])];
    this.put(both, (shown) => {
      const [before, after] = [previous === undefined ? undefined : shown[0], current === undefined ? undefined : shown[shown.length - 1]];
      const [was, is] = [before !== undefined && matches(before), after !== undefined && matches(after)];
      if (is && after !== undefined) this.sink.event(was ? 'MODIFIED' : 'ADDED', after, change);
      else if (was && before !== undefined) this.sink.event('DELETED', before, change);
    });
  }

  private put(entries: readonly Entry[], tell: (shown: readonly Entry[]) => void): void {
    if (this.isEnded) return;
    if (!this.isBusy && this.queue.length === 0 && entries.every((entry) => convertedFrom(this.parts.row, entry) === undefined)) {
      tell(entries);
      return;
    }
    const bytes = entries.reduce((sum, entry) => sum + entry.bytes.length, 0);
    this.queue.push({ entries, bytes, tell });
    this.bytes += bytes;
    if (this.isLive && this.bytes > MOST_BYTES) this.finish({ type: 'closed' });
    else if (!this.isBusy) void this.work();
  }

  private async work(): Promise<void> {
    this.isBusy = true;
    try {
      // What happens in one turn is converted together.
      await yieldToEventLoop();
      while (this.queue.length > 0 && !this.isEnded) await this.tellSome();
    } finally {
      this.isBusy = false;
    }
  }

  private async tellSome(): Promise<void> {
    const some = this.queue.slice(0, MOST_TOGETHER);
    let shown: readonly Entry[];
    try {
      shown = await this.parts.conversions.entries(
        this.parts.row,
        some.flatMap(({ entries }) => entries),
        this.parts.context(),
      );
    } catch (error) {
      // Whoever has seen its state begins anew, and is told then what is wrong (upstream behaviour).
      this.finish(this.isLive ? { type: 'closed' } : { type: 'failed', message: errorMessage(error) });
      return;
    }
    let at = 0;
    for (const { entries, bytes, tell } of some) {
      if (this.hasEnded()) return;
      this.queue.shift();
      this.bytes -= bytes;
      tell(shown.slice(at, (at += entries.length)));
      const full = this.sink.whenWritable?.();
      if (full !== undefined && !this.isLive) await full;
    }
    if (this.bytes <= ENOUGH_BYTES) this.release();
  }

  private hasEnded(): boolean {
    return this.isEnded;
  }

  private finish(reason: WatchEnd): void {
    if (this.isEnded) return;
    this.close();
    this.sink.end(reason);
  }

  private release(): void {
    const waiting = this.drained;
    this.drained = [];
    for (const resolve of waiting) resolve();
  }
}
