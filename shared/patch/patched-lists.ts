/**
 * Lists while a JSON Patch modifies them: a long list that grows or shrinks in the middle is split into blocks, so that
 * an operation moves one block instead of all following items. A split list is empty or outdated for other code until
 * {@link PatchedLists.joinWithin} or {@link PatchedLists.joinAll} restores it.
 */
import type { JsonArray, JsonValue } from '../values/json';

/** Shorter lists are not split. */
const MAX_UNSPLIT_LENGTH = 2048;
const BLOCK_LENGTH = 1024;

/** The lists of one patch, which it modifies in place. */
export class PatchedLists {
  private readonly blocks = new Map<JsonArray, JsonArray[]>();

  /** The current length, which differs from that of a split list itself. */
  length(list: JsonArray): number {
    const blocks = this.blocks.get(list);
    return blocks === undefined ? list.length : blocks.reduce((sum, block) => sum + block.length, 0);
  }

  /** The item at an index of the current list; undefined when there is none. */
  at(list: JsonArray, index: number): JsonValue | undefined {
    const { block, offset } = this.locate(list, index);
    return block[offset];
  }

  /** `index` is less than the length of the list. */
  set(list: JsonArray, index: number, value: JsonValue): void {
    const { block, offset } = this.locate(list, index);
    block[offset] = value;
  }

  /** `index` is at most the length of the list. */
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

  /** `index` is less than the length of the list. */
  remove(list: JsonArray, index: number): void {
    this.split(list);
    const { block, offset } = this.locate(list, index);
    block.splice(offset, 1);
  }

  /** Joins all split lists in `value`. */
  joinWithin(value: JsonValue | undefined): void {
    if (this.blocks.size === 0 || typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) this.join(value);
    for (const item of Object.values(value)) this.joinWithin(item);
  }

  /** Joins all split lists; the lists are complete for other code then. */
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

  /** The block that contains the index, the offset in it, and the position of the block. */
  private locate(list: JsonArray, index: number): { readonly block: JsonArray; readonly offset: number; readonly blockIndex: number } {
    const blocks = this.blocks.get(list) ?? [list];
    let offset = index;
    let blockIndex = 0;
    for (; blockIndex < blocks.length - 1 && offset >= (blocks[blockIndex]?.length ?? 0); blockIndex += 1)
      offset -= blocks[blockIndex]?.length ?? 0;
    return { block: blocks[blockIndex] ?? list, offset, blockIndex };
  }
}
