/** How often whoever writes a long list looks at the clock. */
const MOST_ITEMS_PER_LOOK = 16;

/**
 * After how many items somebody looks whether others should go first: fewer where one look after a rest is one too late, as with items
 * that take long, more where it is one too many.
 */
export class Stride {
  private items = 0;
  private length = MOST_ITEMS_PER_LOOK;
  private isFirst = true;

  /** To be asked once per item. */
  isLook(): boolean {
    this.items += 1;
    return this.items >= this.length;
  }

  looked(isOver: boolean): void {
    this.items = 0;
    if (this.isFirst) this.length = isOver ? Math.max(1, this.length / 2) : Math.min(MOST_ITEMS_PER_LOOK, this.length * 2);
    this.isFirst = isOver;
  }
}
