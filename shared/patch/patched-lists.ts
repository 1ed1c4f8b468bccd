/**
 * Lists while a JSON Patch works on them: one that is long and grows or shrinks in the middle is held in blocks meanwhile, so that an operation moves a block
 * and not all items behind it. Everybody else sees the lists themselves, once they are {@link PatchedLists.settle}d.
 */
import type { JsonArray, JsonValue } from '../values/json';

/** Shorter lists are moved as a whole. */
const LONG = 2048;
const BLOCK = 1024;

export class PatchedLists {
  private readonly blocks = new Map<JsonArray, JsonArray[]>();

  length(list: JsonArray): number {
    const blocks = this.blocks.get(list);
    return blocks === undefined ? list.length : blocks.reduce((sum, block) => sum + block.length, 0);
  }

  at(list: JsonArray, index: number): JsonValue | undefined {
    const { block, at } = this.find(list, index);
    return block[at];
  }

  set(list: JsonArray, index: number, value: JsonValue): void {
    const { block, at } = this.find(list, index);
    block[at] = value;
  }

  /** `index` is at most the list's length. */
  insert(list: JsonArray, index: number, value: JsonValue): void {
    if (index === list.length && !this.blocks.has(list)) {
      list.push(value);
      return;
    }
    this.divide(list);
    const { block, at, number } = this.find(list, index);
    block.splice(at, 0, value);
    if (block !== list && block.length > 2 * BLOCK) this.blocks.get(list)?.splice(number, 1, block.slice(0, BLOCK), block.slice(BLOCK));
  }

  remove(list: JsonArray, index: number): void {
    this.divide(list);
    const { block, at } = this.find(list, index);
    block.splice(at, 1);
  }

  /** Puts the lists in `value` together again. */
  settle(value: JsonValue | undefined): void {
    if (this.blocks.size === 0 || typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) this.join(value);
    for (const item of Object.values(value)) this.settle(item);
  }

  settleAll(): void {
    for (const list of [...this.blocks.keys()]) this.join(list);
  }

  private join(list: JsonArray): void {
    const blocks = this.blocks.get(list);
    if (blocks === undefined) return;
    this.blocks.delete(list);
    list.length = 0;
    for (const block of blocks) for (const item of block) list.push(item);
  }

  private divide(list: JsonArray): void {
    if (list.length <= LONG || this.blocks.has(list)) return;
    const blocks: JsonArray[] = [];
    for (let at = 0; at < list.length; at += BLOCK) blocks.push(list.slice(at, at + BLOCK));
    this.blocks.set(list, blocks);
  }

  /** The block with that place, the place in it, and where the block stands. */
  private find(list: JsonArray, index: number): { readonly block: JsonArray; readonly at: number; readonly number: number } {
    const blocks = this.blocks.get(list) ?? [list];
    let at = index;
    let number = 0;
    for (; number < blocks.length - 1 && at >= (blocks[number]?.length ?? 0); number += 1) at -= blocks[number]?.length ?? 0;
    return { block: blocks[number] ?? list, at, number };
  }
}
