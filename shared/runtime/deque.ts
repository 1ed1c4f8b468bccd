/**
 * A queue with access by position and to both ends, in amortized constant time per operation. Unbounded: callers limit its
 * size. A Set or Map is no substitute: to remove its first entry again and again takes quadratic time, because each new
 * iterator passes the places of all removed entries.
 */

/**
 * The array is copied without its removed positions when there are at least this many of them and they are half of the
 * array. Short queues are therefore never copied.
 */
const MIN_REMOVED = 1024;

/** One queue. */
export class Deque<T> {
  private items: (T | undefined)[] = [];
  /** Index of the front; the positions before it are removed. */
  private head = 0;

  get size(): number {
    return this.items.length - this.head;
  }

  /** The item at `position`, counted from the front, which is 0; `undefined` past the back. */
  at(position: number): T | undefined {
    return this.items[this.head + position];
  }

  /** Appends at the back. */
  push(item: T): void {
    this.items.push(item);
  }

  /** Removes and returns the front; `undefined` when the queue is empty. */
  shift(): T | undefined {
    if (this.head === this.items.length) return undefined;
    const item = this.items[this.head];
    this.items[this.head] = undefined;
    this.head += 1;
    if (this.head >= MIN_REMOVED && this.head * 2 >= this.items.length) {
      this.items = this.items.slice(this.head);
      this.head = 0;
    }
    return item;
  }

  /** Removes and returns the back; `undefined` when the queue is empty. */
  pop(): T | undefined {
    return this.size === 0 ? undefined : this.items.pop();
  }

  /** Removes all items. */
  clear(): void {
    this.items = [];
    this.head = 0;
  }
}
