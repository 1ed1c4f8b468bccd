/** Items that come due later, in the order of their times: a binary heap and one timer. */
import type { Clock, Timer } from '../runtime/clock';

interface Waiting<T> {
  readonly item: T;
  readonly at: number;
  /** Keeps the order of items of one time. */
  readonly sequence: number;
}

export class DelayLine<T> {
  private readonly heap: Waiting<T>[] = [];
  private timer: { readonly at: number; readonly timer: Timer } | undefined;
  private sequence = 0;

  constructor(
    private readonly clock: Clock,
    private readonly due: (item: T) => void,
  ) {}

  get length(): number {
    return this.heap.length;
  }

  add(item: T, ms: number): void {
    this.push({ item, at: this.clock.monotonic() + ms, sequence: this.sequence++ });
    this.arm();
  }

  /** Forgets everything. */
  clear(): void {
    this.heap.length = 0;
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
      this.due(first.item);
    }
    this.arm();
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
