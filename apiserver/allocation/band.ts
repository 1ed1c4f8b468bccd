/**
 * A set of allocated numbers in [first, first + size) that picks a random free number in constant time, with memory
 * proportional to the allocated numbers.
 *
 * It is a permutation of the numbers of the range, in which the allocated ones come first. At first each number is at its
 * own position; only positions with another number are stored. Example of size 5, with values relative to `first`:
 *
 * | | values by position | allocated |
 * |---|---|---|
 * | at first | 0 1 2 3 4 | 0 |
 * | allocate(3) swaps 3 with position 0 | 3 1 2 0 4 | 1 |
 * | allocate(2) swaps 2 with position 1 | 3 2 1 0 4 | 2 |
 */

/** The numbers of one band. */
export class Band {
  /** The value (number relative to `first`) at a position, where it differs from the position. */
  private readonly valueAtPosition = new Map<number, number>();
  /** The position of a value, where it differs from the value. */
  private readonly positionOfValue = new Map<number, number>();
  private allocated = 0;

  /** The range [first, first + size). */
  constructor(
    readonly first: number,
    readonly size: number,
  ) {}

  get allocatedCount(): number {
    return this.allocated;
  }

  get freeCount(): number {
    return this.size - this.allocated;
  }

  /** Whether the number is in the range. */
  contains(number: number): boolean {
    return number >= this.first && number < this.first + this.size;
  }

  /** Whether the number is allocated; false for a number outside the range. */
  has(number: number): boolean {
    return this.contains(number) && this.positionOf(number - this.first) < this.allocated;
  }

  /** Whether the number was free, and is allocated now; false for a number outside the range. */
  allocate(number: number): boolean {
    if (!this.contains(number) || this.has(number)) return false;
    const value = number - this.first;
    this.swap(this.positionOf(value), this.allocated);
    this.allocated += 1;
    return true;
  }

  /** Whether the number was allocated, and is free now. */
  release(number: number): boolean {
    if (!this.has(number)) return false;
    const value = number - this.first;
    this.allocated -= 1;
    this.swap(this.positionOf(value), this.allocated);
    // Free numbers move back to their own positions when possible, so only positions displaced by allocated numbers
    // are stored.
    if (value > this.allocated) this.swap(this.allocated, value);
    const freePosition = this.positionOf(this.allocated);
    if (freePosition > this.allocated) this.swap(freePosition, this.allocated);
    return true;
  }

  /** A free number with equal probability; `chance` is in [0, 1). `undefined` when none is free. */
  pickFree(chance: number): number | undefined {
    if (this.freeCount === 0) return undefined;
    const position = Math.min(this.allocated + Math.floor(chance * this.freeCount), this.size - 1);
    return this.first + this.valueAt(position);
  }

  /** Number of stored positions: at most twice the number of allocated numbers. For tests. */
  get displacedCount(): number {
    return this.valueAtPosition.size;
  }

  private valueAt(position: number): number {
    return this.valueAtPosition.get(position) ?? position;
  }

  private positionOf(value: number): number {
    return this.positionOfValue.get(value) ?? value;
  }

  private swap(a: number, b: number): void {
    if (a === b) return;
    const here = this.valueAt(a);
    const there = this.valueAt(b);
    this.set(a, there);
    this.set(b, here);
  }

  private set(position: number, value: number): void {
    if (position === value) {
      this.valueAtPosition.delete(position);
      this.positionOfValue.delete(value);
    } else {
      this.valueAtPosition.set(position, value);
      this.positionOfValue.set(value, position);
    }
  }
}
