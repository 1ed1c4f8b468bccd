/**
 * The recent-event window: the changes of the last minutes, per type in revision order, bounded in age and bytes over all types.
 *
 * What it is for: watches resume from it, and recent states are rebuilt by undoing it. What it never does: deliver anything.
 * A change costs the state that it replaced (the present one is held by the index or by the next change) and a constant.
 */
import type { Revision } from '../../storage/store';
import type { Change, Entry } from '../cache';
import { Deque } from '../deque';
import { sizeOf } from './held-entry';

/** What a change and its places in the lists take besides the replaced state, in bytes. */
const CHANGE_OVERHEAD = 256;
/** Whoever trims does so after every few changes, and every second. */
const MOST_DROPPED = 2_000;
/** Encoded frames of recent changes that are kept for watchers that come a little late, in bytes of the entries they show. */
const FRAME_BUDGET = 4 * 1024 * 1024;

export class RecordedChange implements Change {
  private encoded: Map<string, Buffer> | undefined;

  constructor(
    readonly revision: Revision,
    readonly key: string,
    readonly current: Entry | undefined,
    readonly previous: Entry | undefined,
    /** When it arrived, in milliseconds of Clock.monotonic. */
    readonly arrived: number,
    /** Absent for a change that only one watcher sees. */
    private readonly budget?: FrameBudget,
  ) {}

  get frames(): Map<string, Buffer> {
    if (this.encoded === undefined) {
      this.encoded = new Map();
      this.budget?.opened(this);
    }
    return this.encoded;
  }

  get cost(): number {
    return CHANGE_OVERHEAD + (this.previous === undefined ? 0 : sizeOf(this.previous));
  }

  dropFrames(): void {
    this.encoded = undefined;
  }
}

/** Lets go of the oldest changes' frames when newer ones need the room. */
export class FrameBudget {
  private readonly open = new Deque<RecordedChange>();
  private bytes = 0;

  opened(change: RecordedChange): void {
    this.open.push(change);
    this.bytes += costOfFrames(change);
    while (this.bytes > FRAME_BUDGET && this.open.size > 1) {
      const oldest = this.open.shift();
      if (oldest === undefined) return;
      this.bytes -= costOfFrames(oldest);
      oldest.dropFrames();
    }
  }
}

function costOfFrames(change: RecordedChange): number {
  const shown = change.current ?? change.previous;
  return CHANGE_OVERHEAD + (shown === undefined ? 0 : sizeOf(shown));
}

/** One type's part of the window. Whoever has no use for it any more leaves it to the window, where it ages. */
export class ChangeLog {
  private readonly changes = new Deque<RecordedChange>();

  constructor(
    /** Everything after this revision is here; 0 before the first load. */
    public floor: Revision = 0,
  ) {}

  /** Position of the first change after `revision`. */
  after(revision: Revision): number {
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

  at(position: number): RecordedChange | undefined {
    return this.changes.at(position);
  }

  get size(): number {
    return this.changes.size;
  }

  push(change: RecordedChange): void {
    this.changes.push(change);
  }

  /** The oldest change leaves. */
  drop(): RecordedChange | undefined {
    const change = this.changes.shift();
    if (change !== undefined) this.floor = change.revision;
    return change;
  }
}

export interface WindowLimits {
  readonly ageMs: number;
  readonly bytes: number;
}

export class EventWindow {
  readonly frames = new FrameBudget();
  private readonly order = new Deque<ChangeLog>();
  private held = 0;
  private live = 0;

  constructor(
    readonly limits: WindowLimits,
    /** Told about every replaced state that the window lets go of. */
    private readonly release: (entry: Entry | undefined) => void,
  ) {}

  get bytes(): number {
    return this.held;
  }

  get size(): number {
    return this.live;
  }

  record(log: ChangeLog, change: RecordedChange): void {
    log.push(change);
    this.order.push(log);
    this.held += change.cost;
    this.live += 1;
  }

  /** Drops what is too old or too much, and no more at once than others can wait for. `now` in milliseconds of Clock.monotonic. */
  trim(now: number): void {
    for (let dropped = 0; dropped < MOST_DROPPED; dropped += 1) {
      const log = this.order.at(0);
      if (log === undefined || (this.held <= this.limits.bytes && !this.tooOld(log, now))) return;
      this.order.shift();
      const change = log.drop();
      if (change !== undefined) this.forget(change);
    }
  }

  private forget(change: RecordedChange): void {
    this.held -= change.cost;
    this.live -= 1;
    this.release(change.previous);
  }

  private tooOld(log: ChangeLog, now: number): boolean {
    const oldest = log.at(0);
    return oldest === undefined || now - oldest.arrived > this.limits.ageMs;
  }
}
