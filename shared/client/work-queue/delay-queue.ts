/**
 * A delaying queue: calls back with each item when it is due. An item that is added again meanwhile is delivered once, at
 * the earlier of its times. Items are in a binary heap, ordered by due time; one timer waits for the first.
 */
import type { Clock, Timer } from '../../runtime/clock';

interface DelayedItem<T> {
  readonly item: T;
  /** Monotonic milliseconds. */
  readonly dueTime: number;
  /** Order of addition, for items with the same time. */
  readonly sequence: number;
}

/** A shorter heap is not compacted. */
const MIN_COMPACTED_LENGTH = 16;

/** Items that are due at a later time. */
export class DelayQueue<T> {
  private readonly heap: DelayedItem<T>[] = [];
  /** Due time of each item. An entry of the heap with another time is void: its item was added again with an earlier time. */
  private readonly dueAt = new Map<T, number>();
  /** The timer for the first entry of the heap, and when it fires; `undefined` when none is set. */
  private timer: { readonly dueTime: number; readonly timer: Timer } | undefined;
  private sequence = 0;

  constructor(
    private readonly clock: Clock,
    private readonly onDue: (item: T) => void,
  ) {}

  /** Number of items that have not been delivered. */
  get length(): number {
    return this.dueAt.size;
  }

  /** Delivers the item after `ms` milliseconds, or earlier if it is due earlier already. */
  add(item: T, ms: number): void {
    const dueTime = this.clock.monotonic() + ms;
    if (dueTime >= (this.dueAt.get(item) ?? Infinity)) return;
    this.dueAt.set(item, dueTime);
    this.push({ item, dueTime, sequence: this.sequence++ });
    this.compact();
    this.setTimer();
  }

  /** Drops all items. */
  clear(): void {
    this.heap.length = 0;
    this.dueAt.clear();
    this.timer?.timer.cancel();
    this.timer = undefined;
  }

  private setTimer(): void {
    const first = this.heap[0];
    if (first === undefined || (this.timer !== undefined && this.timer.dueTime <= first.dueTime)) return;
    this.timer?.timer.cancel();
    const wait = Math.max(0, first.dueTime - this.clock.monotonic());
    this.timer = { dueTime: first.dueTime, timer: this.clock.after(wait, () => this.onTimer()) };
  }

  private onTimer(): void {
    this.timer = undefined;
    const now = this.clock.monotonic();
    for (let first = this.heap[0]; first !== undefined && first.dueTime <= now; first = this.heap[0]) {
      this.pop();
      if (this.dueAt.get(first.item) !== first.dueTime) continue;
      this.dueAt.delete(first.item);
      this.onDue(first.item);
    }
    this.setTimer();
  }

  /** Rebuilds the heap when about half of its entries are void, so that repeated additions do not let it grow. */
  private compact(): void {
    if (this.heap.length < 2 * this.dueAt.size + MIN_COMPACTED_LENGTH) return;
    for (const entry of this.heap.splice(0)) if (this.dueAt.get(entry.item) === entry.dueTime) this.push(entry);
  }

  /** Adds an entry at the end and moves it up while it is due before its parent. */
  private push(entry: DelayedItem<T>): void {
    let index = this.heap.push(entry) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = this.heap[parent];
      if (above === undefined || !isDueBefore(entry, above)) break;
      this.heap[index] = above;
      index = parent;
    }
    this.heap[index] = entry;
  }

  /** Removes the first entry: puts the last one in its place and moves it down while a child is due before it. */
  private pop(): void {
    const last = this.heap.pop();
    if (last === undefined || this.heap.length === 0) return;
    let index = 0;
    for (;;) {
      const left = this.heap[2 * index + 1];
      const right = this.heap[2 * index + 2];
      const isRightFirst = left !== undefined && right !== undefined && isDueBefore(right, left);
      const child = isRightFirst ? right : left;
      if (child === undefined || !isDueBefore(child, last)) break;
      this.heap[index] = child;
      index = 2 * index + (isRightFirst ? 2 : 1);
    }
    this.heap[index] = last;
  }
}

function isDueBefore<T>(a: DelayedItem<T>, b: DelayedItem<T>): boolean {
  return a.dueTime === b.dueTime ? a.sequence < b.sequence : a.dueTime < b.dueTime;
}
