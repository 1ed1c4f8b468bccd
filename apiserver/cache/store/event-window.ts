/**
 * The event window: the changes of the last minutes, in one log per type. Age and bytes are limited over all types
 * together. Watches resume from the window, and recent states are rebuilt by undoing its changes. A change counts with
 * the size of the state that it replaced and a constant; the state that it led to is held by the index, or counted by
 * the next change of the object.
 */
import type { Revision } from '../../storage/store';
import type { Change, Entry } from '../cache';
import { Deque } from '../../../shared/runtime/deque';
import { entrySize } from './slab-entry';

/** Estimated memory of a change and its positions in the queues, without the replaced state; in bytes. */
const CHANGE_OVERHEAD = 256;
/**
 * Bounds the time of one trim. What it leaves is dropped by the next ones: the cache trims whenever its inbound queue is
 * idle, and every second.
 */
const MAX_DROPPED_PER_TRIM = 2_000;
/**
 * Limit of the changes that keep their encoded frames, for watchers that are slightly behind. Counts the entries that the
 * frames show, because the number of frames of a change is not known in advance.
 */
const FRAME_BUDGET_BYTES = 4 * 1024 * 1024;

/**
 * A change in the window, with the frames that watchers have encoded of it. The constructor is positional, because a
 * change is created for every event.
 */
export class RecordedChange implements Change {
  private encodedFrames: Map<string, Buffer> | undefined;

  constructor(
    readonly revision: Revision,
    readonly key: string,
    readonly current: Entry | undefined,
    readonly previous: Entry | undefined,
    /** Time of arrival in milliseconds of Clock.monotonic. */
    readonly arrivedAt: number,
    /** Absent for a change that is made for one watcher (of its initial state, or in a replay): no other reads its frames. */
    private readonly budget?: FrameBudget,
  ) {}

  /** Frames by encoder; created on first use, so that a change without watchers costs nothing. */
  get frames(): Map<string, Buffer> {
    if (this.encodedFrames === undefined) {
      this.encodedFrames = new Map();
      this.budget?.add(this);
    }
    return this.encodedFrames;
  }

  /** The memory that the change counts with, in bytes. */
  get cost(): number {
    return CHANGE_OVERHEAD + (this.previous === undefined ? 0 : entrySize(this.previous));
  }

  /** Frees the encoded frames; they are encoded again when they are needed. */
  dropFrames(): void {
    this.encodedFrames = undefined;
  }
}

/** Drops the frames of the oldest changes when newer ones exceed the budget. */
export class FrameBudget {
  /** The changes that have frames, the oldest first. */
  private readonly changes = new Deque<RecordedChange>();
  private bytes = 0;

  /** Called once for each change, when a watcher first reads its frames. May drop the frames of older changes. */
  add(change: RecordedChange): void {
    this.changes.push(change);
    this.bytes += costOfFrames(change);
    while (this.bytes > FRAME_BUDGET_BYTES && this.changes.size > 1) {
      const oldest = this.changes.shift();
      if (oldest === undefined) return;
      this.bytes -= costOfFrames(oldest);
      oldest.dropFrames();
    }
  }
}

function costOfFrames(change: RecordedChange): number {
  const entry = change.current ?? change.previous;
  return CHANGE_OVERHEAD + (entry === undefined ? 0 : entrySize(entry));
}

/**
 * The part of the window that belongs to one type, in revision order. When a type starts a new log, the changes of the old
 * one still count in the window until they expire.
 */
export class ChangeLog {
  private readonly changes = new Deque<RecordedChange>();

  constructor(
    /** The log contains everything after this revision; 0 before the first load. */
    public floor: Revision = 0,
  ) {}

  /** Position of the first change after `revision`; `size` when there is none. */
  positionAfter(revision: Revision): number {
    let low = 0;
    let high = this.changes.size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const change = this.changes.at(middle);
      if (change !== undefined && change.revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The change at a position from the oldest; `undefined` past the newest. */
  at(position: number): RecordedChange | undefined {
    return this.changes.at(position);
  }

  get size(): number {
    return this.changes.size;
  }

  /** Appends a change of a later revision. */
  push(change: RecordedChange): void {
    this.changes.push(change);
  }

  /** Removes the oldest change. */
  dropOldest(): RecordedChange | undefined {
    const change = this.changes.shift();
    if (change !== undefined) this.floor = change.revision;
    return change;
  }
}

/** Limits of the changes of all types together. */
export interface WindowLimits {
  /** Maximum age in milliseconds. */
  readonly ageMs: number;
  /** Maximum size of the replaced states with the overhead of their changes. */
  readonly bytes: number;
}

/** The window over all types of one cache. */
export class EventWindow {
  readonly frames = new FrameBudget();
  /** For each change in the window, the log that holds it; in the order of arrival over all types. */
  private readonly order = new Deque<ChangeLog>();
  private totalBytes = 0;
  private changeCount = 0;

  constructor(
    readonly limits: WindowLimits,
    /** Called with every replaced state that leaves the window. */
    private readonly release: (entry: Entry | undefined) => void,
  ) {}

  get bytes(): number {
    return this.totalBytes;
  }

  get size(): number {
    return this.changeCount;
  }

  /** Appends a change to the log of its type. */
  record(log: ChangeLog, change: RecordedChange): void {
    log.push(change);
    this.order.push(log);
    this.totalBytes += change.cost;
    this.changeCount += 1;
  }

  /**
   * Drops the oldest changes over the limits of age and bytes, at most 2,000 in one call. `now` is in milliseconds of
   * Clock.monotonic.
   */
  trim(now: number): void {
    for (let dropped = 0; dropped < MAX_DROPPED_PER_TRIM; dropped += 1) {
      const log = this.order.at(0);
      if (log === undefined || (this.totalBytes <= this.limits.bytes && !this.isTooOld(log, now))) return;
      this.order.shift();
      const change = log.dropOldest();
      if (change !== undefined) this.discard(change);
    }
  }

  private discard(change: RecordedChange): void {
    this.totalBytes -= change.cost;
    this.changeCount -= 1;
    this.release(change.previous);
  }

  private isTooOld(log: ChangeLog, now: number): boolean {
    const oldest = log.at(0);
    return oldest === undefined || now - oldest.arrivedAt > this.limits.ageMs;
  }
}
