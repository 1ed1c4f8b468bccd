/**
 * A delaying queue: delivers items when they are due, with a binary heap and one timer. An item that is added again
 * keeps only the earlier time.
 */
import type { Clock, Timer } from '../../runtime/clock';

interface DelayedItem<T> {
  readonly item: T;
  /** Monotonic milliseconds. */
  readonly dueTime: number;
  /** Order of addition, for items with the same time. */
  readonly sequence: number;
}

/** Items that are due at a later time; an item is contained once. One timer serves all. */
export class DelayQueue<T> {
  private readonly heap: DelayedItem<T>[] = [];
  /** Due time of each item; heap entries with another time are void. */
  private readonly dueAt = new Map<T, number>();
  private timer: { readonly dueTime: number; readonly timer: Timer } | undefined;
  private sequence = 0;

  constructor(
    private readonly clock: Clock,
    private readonly onDue: (item: T) => void,
  ) {}

  /** Number of items that are not due yet. */
  get length(): number {
    return this.dueAt.size;
  }

  /** Delivers the item after `ms`, unless it is due earlier already. */
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

  /** Rebuilds the heap when most entries are void, since an item can be added with earlier times repeatedly. */
  private compact(): void {
    if (this.heap.length < 2 * this.dueAt.size + 16) return;
    for (const entry of this.heap.splice(0)) if (this.dueAt.get(entry.item) === entry.dueTime) this.push(entry);
  }

  private push(entry: DelayedItem<T>): void {
    let index = this.heap.push(entry) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = this.heap[parent];
      if (above === undefined || !before(entry, above)) break;
      this.heap[index] = above;
      index = parent;
    }
    this.heap[index] = entry;
  }

  private pop(): void {
    const last = this.heap.pop();
    if (last === undefined || this.heap.length === 0) return;
    let index = 0;
    for (;;) {
      const left = this.heap[2 * index + 1];
      const right = this.heap[2 * index + 2];
      const isRight = left !== undefined && right !== undefined && before(right, left);
      const child = isRight ? right : left;
      if (child === undefined || !before(child, last)) break;
      this.heap[index] = child;
      index = 2 * index + (isRight ? 2 : 1);
    }
    this.heap[index] = last;
  }
}

function before<T>(a: DelayedItem<T>, b: DelayedItem<T>): boolean {
  return a.dueTime === b.dueTime ? a.sequence < b.sequence : a.dueTime < b.dueTime;
}
