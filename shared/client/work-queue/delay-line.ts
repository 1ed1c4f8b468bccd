/**
 * Items that come due later, in the order of their times: a binary heap and one timer. An item that is added again waits for the earlier of its times only, so
 * no more wait than there are items.
 */
import type { Clock, Timer } from '../../runtime/clock';

interface Waiting<T> {
  readonly item: T;
  readonly at: number;
  /** Keeps the order of items of one time. */
  readonly sequence: number;
}

export class DelayLine<T> {
  private readonly heap: Waiting<T>[] = [];
  /** When an item comes due; what stands in the heap for another time of it is void. */
  private readonly dueAt = new Map<T, number>();
  private timer: { readonly at: number; readonly timer: Timer } | undefined;
  private sequence = 0;

  constructor(
    private readonly clock: Clock,
    private readonly due: (item: T) => void,
  ) {}

  get length(): number {
    return this.dueAt.size;
  }

  add(item: T, ms: number): void {
    const at = this.clock.monotonic() + ms;
    if (at >= (this.dueAt.get(item) ?? Infinity)) return;
    this.dueAt.set(item, at);
    this.push({ item, at, sequence: this.sequence++ });
    this.dropVoid();
    this.arm();
  }

  /** Forgets everything. */
  clear(): void {
    this.heap.length = 0;
    this.dueAt.clear();
    this.timer?.timer.cancel();
    this.timer = undefined;
  }

  private arm(): void {
    const first = this.heap[0];
    if (first === undefined || (this.timer !== undefined && this.timer.at <= first.at)) return;
    this.timer?.timer.cancel();
    const wait = Math.max(0, first.at - this.clock.monotonic());
    this.timer = { at: first.at, timer: this.clock.after(wait, () => this.ring()) };
  }

  private ring(): void {
    this.timer = undefined;
    const now = this.clock.monotonic();
    for (let first = this.heap[0]; first !== undefined && first.at <= now; first = this.heap[0]) {
      this.pop();
      if (this.dueAt.get(first.item) !== first.at) continue;
      this.dueAt.delete(first.item);
      this.due(first.item);
    }
    this.arm();
  }

  /** An item may be brought forward again and again: once most of the heap is void, it is made anew. */
  private dropVoid(): void {
    if (this.heap.length < 2 * this.dueAt.size + 16) return;
    for (const entry of this.heap.splice(0)) if (this.dueAt.get(entry.item) === entry.at) this.push(entry);
  }

  private push(entry: Waiting<T>): void {
    let place = this.heap.push(entry) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = this.heap[parent];
      if (above === undefined || !before(entry, above)) break;
      this.heap[place] = above;
      place = parent;
    }
    this.heap[place] = entry;
  }

  private pop(): void {
    const last = this.heap.pop();
    if (last === undefined || this.heap.length === 0) return;
    let place = 0;
    for (;;) {
      const left = this.heap[2 * place + 1];
      const right = this.heap[2 * place + 2];
      const isRight = left !== undefined && right !== undefined && before(right, left);
      const child = isRight ? right : left;
      if (child === undefined || !before(child, last)) break;
      this.heap[place] = child;
      place = 2 * place + (isRight ? 2 : 1);
    }
    this.heap[place] = last;
  }
}

function before<T>(a: Waiting<T>, b: Waiting<T>): boolean {
  return a.at === b.at ? a.sequence < b.sequence : a.at < b.at;
}
