/**
 * What comes and goes with every request, in no order. A Set would do, but each of its tables, when it is replaced by the next, holds on to what was in
 * it and to its successor: once one table has grown old, all later ones and what they hold survive every young collection
 * (measured: a third of a consistent read's CPU). Here a place that was left holds nothing.
 */
export class Bag<T extends object> {
  private readonly slots: (T | undefined)[] = [];
  private readonly freeSlots: number[] = [];

  get size(): number {
    return this.slots.length - this.freeSlots.length;
  }

  /** Returns the place, which {@link remove} takes. */
  add(item: T): number {
    const slot = this.freeSlots.pop() ?? this.slots.length;
    this.slots[slot] = item;
    return slot;
  }

  /** Once for every `add`. */
  remove(slot: number): void {
    this.slots[slot] = undefined;
    this.freeSlots.push(slot);
  }

  /** What is added meanwhile may be seen or not; what is removed is not. */
  *[Symbol.iterator](): Iterator<T> {
    for (const item of this.slots) if (item !== undefined) yield item;
  }
}
