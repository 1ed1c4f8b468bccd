/**
 * Lists while a JSON Patch modifies them. A long list that grows or shrinks in the middle is split into blocks, so that
 * an operation moves the items of one block instead of all following items of the list. The array of a split list is
 * outdated, and therefore read through this class only, until {@link PatchedLists.joinWithin} or
 * {@link PatchedLists.joinAll} writes the items back to it.
 */
import type { JsonArray, JsonValue } from '../values/json';

/** A longer list is split; in a shorter one few items move. */
const MAX_UNSPLIT_LENGTH = 2048;
/** The number of items of a new block. A block of more than twice as many is divided. */
const BLOCK_LENGTH = 1024;

/** The lists of one patch, which it modifies in place. */
export class PatchedLists {
  /** The blocks of each split list, in order; together they have its current items. */
  private readonly blocks = new Map<JsonArray, JsonArray[]>();

  /** The current length; the array of a split list may have another. */
  length(list: JsonArray): number {
    const blocks = this.blocks.get(list);
    return blocks === undefined ? list.length : blocks.reduce((sum, block) => sum + block.length, 0);
  }

  /** The current item at an index; `undefined` when there is none. */
  at(list: JsonArray, index: number): JsonValue | undefined {
    const { block, offset } = this.locate(list, index);
    return block[offset];
  }

  /** `index` is less than {@link length}. */
  set(list: JsonArray, index: number, value: JsonValue): void {
    const { block, offset } = this.locate(list, index);
    block[offset] = value;
  }

  /** Inserts before the item at `index`, or appends when `index` is {@link length}. */
  insert(list: JsonArray, index: number, value: JsonValue): void {
    if (index === list.length && !this.blocks.has(list)) {
      list.push(value);
      return;
    }
    this.split(list);
    const { block, offset, blockIndex } = this.locate(list, index);
    block.splice(offset, 0, value);
    if (block !== list && block.length > 2 * BLOCK_LENGTH)
      this.blocks.get(list)?.splice(blockIndex, 1, block.slice(0, BLOCK_LENGTH), block.slice(BLOCK_LENGTH));
  }

  /** `index` is less than {@link length}. */
  remove(list: JsonArray, index: number): void {
    this.split(list);
    const { block, offset } = this.locate(list, index);
    block.splice(offset, 1);
  }

  /** Restores the arrays of all split lists in `value`, at any depth. */
  joinWithin(value: JsonValue | undefined): void {
    if (this.blocks.size === 0 || typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) this.join(value);
    for (const item of Object.values(value)) this.joinWithin(item);
  }

  /** Restores the arrays of all split lists. Called after the last operation. */
  joinAll(): void {
    for (const list of [...this.blocks.keys()]) this.join(list);
  }

  private join(list: JsonArray): void {
    const blocks = this.blocks.get(list);
    if (blocks === undefined) return;
    this.blocks.delete(list);
    list.length = 0;
    for (const block of blocks) for (const item of block) list.push(item);
  }

  private split(list: JsonArray): void {
    if (list.length <= MAX_UNSPLIT_LENGTH || this.blocks.has(list)) return;
    const blocks: JsonArray[] = [];
    for (let start = 0; start < list.length; start += BLOCK_LENGTH) blocks.push(list.slice(start, start + BLOCK_LENGTH));
    this.blocks.set(list, blocks);
  }

  /**
   * The block that contains an index, the offset of the index in the block, and the position of the block. An index at the
   * end of the list is in the last block. A list that is not split is one block, its own array.
   */
  private locate(list: JsonArray, index: number): { readonly block: JsonArray; readonly offset: number; readonly blockIndex: number } {
    const blocks = this.blocks.get(list) ?? [list];
    let offset = index;
    let blockIndex = 0;
    for (; blockIndex < blocks.length - 1 && offset >= (blocks[blockIndex]?.length ?? 0); blockIndex += 1)
      offset -= blocks[blockIndex]?.length ?? 0;
    return { block: blocks[blockIndex] ?? list, offset, blockIndex };
  }
}
