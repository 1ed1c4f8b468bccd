/**
 * What comes and goes with every request, in no order. A Set would do, but each of its tables, when it is replaced by the next, holds on to what was in
 * it and to its successor: once one table has grown old, all later ones and what they hold survive every young collection
 * (measured: a third of a consistent read's CPU). Here a place that was left holds nothing.
 */
export class Bag<T extends object> {
  private readonly places: (T | undefined)[] = [];
  private readonly free: number[] = [];

  get size(): number {
    return this.places.length - this.free.length;
  }

  /** Returns the place, which {@link remove} takes. */
  add(item: T): number {
    const place = this.free.pop() ?? this.places.length;
    this.places[place] = item;
    return place;
  }

  /** Once for every `add`. */
  remove(place: number): void {
    this.places[place] = undefined;
    this.free.push(place);
  }

  /** What is added meanwhile may be seen or not; what is removed is not. */
  *[Symbol.iterator](): Iterator<T> {
    for (const item of this.places) if (item !== undefined) yield item;
  }
}
