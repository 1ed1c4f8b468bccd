/**
 * A band of numbers of which some are taken, for choosing one of the others by chance in constant time however few are left, in memory proportional to
 * those taken. It is a shuffle of the band that is never written down where it is in order: what is taken stands in front, what is free behind it.
 */
export class Band {
  /** What stands at a place, where it is not the place's own number. */
  private readonly at = new Map<number, number>();
  /** Where a number stands, where that is not its own place. */
  private readonly placeOf = new Map<number, number>();
  private count = 0;

  /** The numbers from `first` on, `size` of them. */
  constructor(
    readonly first: number,
    readonly size: number,
  ) {}

  get taken(): number {
    return this.count;
  }

  get free(): number {
    return this.size - this.count;
  }

  contains(number: number): boolean {
    return number >= this.first && number < this.first + this.size;
  }

  has(number: number): boolean {
    return this.contains(number) && this.place(number - this.first) < this.count;
  }

  /** False when it is taken already or lies elsewhere. */
  take(number: number): boolean {
    if (!this.contains(number) || this.has(number)) return false;
    const value = number - this.first;
    this.swap(this.place(value), this.count);
    this.count += 1;
    return true;
  }

  /** False when it was not taken. */
  release(number: number): boolean {
    if (!this.has(number)) return false;
    const value = number - this.first;
    this.count -= 1;
    this.swap(this.place(value), this.count);
    // Whatever is free and has its own place among the free goes there: so only what the front displaced is ever written down.
    if (value > this.count) this.swap(this.count, value);
    const home = this.place(this.count);
    if (home > this.count) this.swap(home, this.count);
    return true;
  }

  /** A free one, each equally likely; `chance` is in [0, 1). Undefined when none is left. */
  choose(chance: number): number | undefined {
    if (this.free === 0) return undefined;
    const place = Math.min(this.count + Math.floor(chance * this.free), this.size - 1);
    return this.first + this.value(place);
  }

  /** How many places are written down; at most twice as many as are taken. */
  get written(): number {
    return this.at.size;
  }

  private value(place: number): number {
    return this.at.get(place) ?? place;
  }

  private place(value: number): number {
    return this.placeOf.get(value) ?? value;
  }

  private swap(one: number, other: number): void {
    if (one === other) return;
    const [here, there] = [this.value(one), this.value(other)];
    this.put(one, there);
    this.put(other, here);
  }

  private put(place: number, value: number): void {
    if (place === value) {
      this.at.delete(place);
      this.placeOf.delete(value);
    } else {
      this.at.set(place, value);
      this.placeOf.set(value, place);
    }
  }
}
