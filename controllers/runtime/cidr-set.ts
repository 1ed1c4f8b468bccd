/**
 * The equal blocks of an IP range, such as the pod CIDRs in a cluster CIDR, and which of them are in use. Allocation
 * searches a bitmap, 32 blocks at a time, and starts behind the last allocated block, so that a released block is
 * reused as late as possible. A block that several holders occupy is free after its last release. Holders are only
 * counted: which of them has which block is left to the caller.
 */
import { ADDRESS_BITS, rangeContains, type IpRange } from '../../shared/values/network/ip-address';

/** A range may have at most 2^20 blocks: 4 MB of counts. */
export const MAX_BLOCK_BITS = 20;

/** The bits of a word of the bitmap, an Int32Array. */
const WORD_BITS = 32;
/** A word with all bits set. */
const ALL_USED = -1;

/** Indexes of blocks, both inclusive. */
interface Blocks {
  readonly first: number;
  readonly last: number;
}

/** A block that {@link CidrSet.allocate} took. */
export interface AllocatedBlock {
  readonly block: IpRange;
  /** The number of blocks in use that the search passed, for a metric. */
  readonly tries: number;
}

/** Counts the holders of each block. Not shared between processes: the caller fills it from what is stored. */
export class CidrSet {
  /** The number of blocks. */
  readonly capacity: number;
  private readonly blockHostBits: bigint;
  private readonly holders: Uint32Array;
  /**
   * A bit for each block; 1 is in use. The bit of block `index` is `1 << index` in word `index >> 5`: JavaScript takes the
   * count of a shift modulo 32.
   */
  private readonly bitmap: Int32Array;
  private usedBlocks = 0;
  /** The index of the block with which the next search begins. */
  private nextCandidate = 0;

  /**
   * `blockPrefix`: the prefix length of the blocks, at least that of the range and at most {@link MAX_BLOCK_BITS}
   * longer; throws a RangeError otherwise.
   */
  constructor(
    readonly range: IpRange,
    private readonly blockPrefix: number,
  ) {
    const blockBits = blockPrefix - range.prefix;
    if (blockBits < 0 || blockBits > MAX_BLOCK_BITS) throw new RangeError(`a range cannot have 2^${blockBits} blocks`);
    this.capacity = 2 ** blockBits;
    this.blockHostBits = BigInt(ADDRESS_BITS[range.family] - blockPrefix);
    this.holders = new Uint32Array(this.capacity);
    this.bitmap = new Int32Array(Math.ceil(this.capacity / WORD_BITS));
    // The bits of a single word beyond the last block are set, so that they are never allocated.
    if (this.capacity < WORD_BITS) this.bitmap[0] = ALL_USED << this.capacity;
  }

  /** The number of blocks in use. */
  get used(): number {
    return this.usedBlocks;
  }

  /** Takes a free block; `undefined` when all are in use. */
  allocate(): AllocatedBlock | undefined {
    if (this.usedBlocks === this.capacity) return undefined;
    const candidate = this.nextCandidate;
    const index = this.firstFreeFrom(candidate);
    this.hold(index);
    this.nextCandidate = (index + 1) % this.capacity;
    const { family, first } = this.range;
    const block = {
      family,
      first: first + (BigInt(index) << this.blockHostBits),
      prefix: this.blockPrefix,
      writtenPrefix: this.blockPrefix,
    };
    return { block, tries: (index - candidate + this.capacity) % this.capacity };
  }

  /** Whether some block, in use or not, overlaps with the range. */
  overlaps(range: IpRange): boolean {
    return this.overlapping(range) !== undefined;
  }

  /** Holds all blocks that overlap with the range. False when none does. */
  occupy(range: IpRange): boolean {
    const blocks = this.overlapping(range);
    if (blocks === undefined) return false;
    for (let index = blocks.first; index <= blocks.last; index += 1) this.hold(index);
    return true;
  }

  /** Undoes one {@link occupy} of the range, or the {@link allocate} that returned it. */
  release(range: IpRange): void {
    const blocks = this.overlapping(range);
    if (blocks === undefined) return;
    for (let index = blocks.first; index <= blocks.last; index += 1) this.drop(index);
  }

  /** Whether some block that overlaps with the range is in use. */
  isInUse(range: IpRange): boolean {
    const blocks = this.overlapping(range);
    if (blocks === undefined) return false;
    for (let index = blocks.first; index <= blocks.last; index += 1) if ((this.holders[index] ?? 0) > 0) return true;
    return false;
  }

  /** The blocks that overlap with the range; `undefined` when none does. */
  private overlapping(range: IpRange): Blocks | undefined {
    const { family, first } = this.range;
    if (rangeContains(this.range, { family: range.family, value: range.first }) && range.prefix >= this.range.prefix) {
      // The range is within this one: part of a block, a block, or several blocks.
      const index = Number((range.first - first) >> this.blockHostBits);
      return { first: index, last: index + 2 ** Math.max(0, this.blockPrefix - range.prefix) - 1 };
    }
    return rangeContains(range, { family, value: first }) ? { first: 0, last: this.capacity - 1 } : undefined;
  }

  private hold(index: number): void {
    const holders = this.holders[index] ?? 0;
    this.holders[index] = holders + 1;
    if (holders > 0) return;
    this.usedBlocks += 1;
    this.bitmap[index >> 5] = (this.bitmap[index >> 5] ?? 0) | (1 << index);
  }

  private drop(index: number): void {
    const holders = this.holders[index] ?? 0;
    if (holders === 0) return;
    this.holders[index] = holders - 1;
    if (holders > 1) return;
    this.usedBlocks -= 1;
    this.bitmap[index >> 5] = (this.bitmap[index >> 5] ?? 0) & ~(1 << index);
  }

  /** The first free block at or after `start`, from the beginning again after the last one. One must be free. */
  private firstFreeFrom(start: number): number {
    let word = start >> 5;
    // Without the bits before `start`.
    let freeBits = ~(this.bitmap[word] ?? ALL_USED) & (ALL_USED << start);
    while (freeBits === 0) {
      word = (word + 1) % this.bitmap.length;
      freeBits = ~(this.bitmap[word] ?? ALL_USED);
    }
    // `freeBits & -freeBits` is the lowest set bit.
    return word * WORD_BITS + (WORD_BITS - 1 - Math.clz32(freeBits & -freeBits));
  }
}
