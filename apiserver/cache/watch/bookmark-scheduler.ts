/**
 * Schedules the periodic bookmarks of watchers: about one per minute each, in buckets of one second so that one timer
 * serves all.
 */
import type { Clock, Timer } from '../../../shared/runtime/clock';
import type { Random } from '../../../shared/runtime/random';
import type { Watcher } from './watcher';

/** Bookmarks that are due within this time are sent together. */
const BUCKET_MS = 1000;
/** Interval of the bookmarks of a watch, as upstream's. */
const PERIOD_MS = 60_000;
/** A watcher's period is up to this share shorter, so that watchers that started together drift apart. */
const JITTER = 0.1;

/** The schedule of one cache. */
export class BookmarkScheduler {
  private readonly buckets = new Map<number, Set<Watcher>>();
  private readonly bucketOf = new Map<Watcher, number>();
  private timer: Timer | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  /** Schedules the bookmarks of a watcher, the next one about a period from now. */
  add(watcher: Watcher): void {
    const due = Math.ceil((this.clock.monotonic() + PERIOD_MS * (1 - JITTER * this.random.float())) / BUCKET_MS);
    const bucket = this.buckets.get(due) ?? new Set();
    this.buckets.set(due, bucket.add(watcher));
    this.bucketOf.set(watcher, due);
    this.scheduleNext();
  }

  /** Sends the watcher no further bookmarks. */
  delete(watcher: Watcher): void {
    const due = this.bucketOf.get(watcher);
    if (due === undefined) return;
    this.bucketOf.delete(watcher);
    const bucket = this.buckets.get(due);
    bucket?.delete(watcher);
    if (bucket?.size === 0) this.buckets.delete(due);
  }

  /** Sends no further bookmarks. */
  close(): void {
    this.timer?.cancel();
    this.buckets.clear();
    this.bucketOf.clear();
  }

  /** The timer runs only while a watcher receives bookmarks. */
  private scheduleNext(): void {
    if (this.timer !== undefined || this.bucketOf.size === 0) return;
    const now = this.clock.monotonic();
    this.timer = this.clock.after(BUCKET_MS - (now % BUCKET_MS), () => {
      this.timer = undefined;
      this.sendDueBookmarks();
      this.scheduleNext();
    });
  }

  private sendDueBookmarks(): void {
    const now = Math.floor(this.clock.monotonic() / BUCKET_MS);
    const due = [...this.buckets].filter(([second]) => second <= now);
    for (const [second, watchers] of due) {
      this.buckets.delete(second);
      for (const watcher of watchers) {
        if (!this.bucketOf.has(watcher)) continue;
        watcher.sendPeriodicBookmark();
        if (this.bucketOf.has(watcher)) this.add(watcher);
      }
    }
  }
}
