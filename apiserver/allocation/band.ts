/**
 * A set of allocated numbers in [first, first + size) that picks a random free number in constant time, with memory
 * proportional to the allocated numbers. It is a permutation of the range, allocated numbers first, of which only the
 * displaced positions are stored.
 */

/** The numbers of one band. */
export class Band {
  /** The number at a position, where it is not the number of that position. */
  private readonly valueAtPosition = new Map<number, number>();
  /** The position of a number, where it is not its own position. */
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

  /** Number of stored positions: at most twice the allocated numbers. */
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
