import { formatIpRange, parseIpRange, type IpRange } from '../../shared/values/network/ip-address';
import { createSeededRandom } from '../../test/replay/seeded-random';
import { CidrSet } from './cidr-set';

const range = (text: string): IpRange => {
  const parsed = parseIpRange(text);
  if (parsed === undefined) throw new Error(text);
  return parsed;
};
const allocate = (set: CidrSet): string | undefined => {
  const allocated = set.allocate();
  return allocated === undefined ? undefined : formatIpRange(allocated.block);
};

describe('CidrSet', () => {
  it.each([
    ['10.0.0.0/22', 24, ['10.0.0.0/24', '10.0.1.0/24', '10.0.2.0/24', '10.0.3.0/24', undefined]],
    ['fd00::/63', 64, ['fd00::/64', 'fd00:0:0:1::/64', undefined]],
    ['10.0.0.0/24', 24, ['10.0.0.0/24', undefined]],
    ['192.0.2.8/30', 32, ['192.0.2.8/32', '192.0.2.9/32', '192.0.2.10/32', '192.0.2.11/32', undefined]],
  ])('allocates the blocks of %s with a prefix of %i in order, each once', (text, prefix, blocks) => {
    const set = new CidrSet(range(text), prefix);
    expect(blocks.map(() => allocate(set))).toEqual(blocks);
    expect(set.used).toBe(blocks.length - 1);
    expect(set.capacity).toBe(blocks.length - 1);
  });

  it('reuses a released block only after the blocks behind the last allocated one', () => {
    const set = new CidrSet(range('10.0.0.0/22'), 24);
    allocate(set);
    set.release(range('10.0.0.0/24'));
    for (const block of ['10.0.1.0/24', '10.0.2.0/24', '10.0.3.0/24', '10.0.0.0/24']) expect(allocate(set)).toBe(block);
    expect(allocate(set)).toBeUndefined();
  });

  it('skips the blocks that overlap with an occupied range', () => {
    const set = new CidrSet(range('10.0.0.0/21'), 24);
    expect(set.occupy(range('10.0.0.64/26'))).toBe(true);
    expect(set.occupy(range('10.0.2.0/23'))).toBe(true);
    expect(set.occupy(range('10.0.8.0/24'))).toBe(false);
    expect(set.occupy(range('fd00::/64'))).toBe(false);
    expect(allocate(set)).toBe('10.0.1.0/24');
    expect(allocate(set)).toBe('10.0.4.0/24');
    expect(set.used).toBe(5);
  });

  it('has no free block while a larger range is occupied', () => {
    const set = new CidrSet(range('10.0.0.0/22'), 24);
    expect(set.occupy(range('10.0.0.0/16'))).toBe(true);
    expect(allocate(set)).toBeUndefined();
    set.release(range('10.0.0.0/16'));
    expect(set.used).toBe(0);
  });

  it('frees a block with several holders after its last release', () => {
    const set = new CidrSet(range('10.0.0.0/24'), 24);
    for (const text of ['10.0.0.0/24', '10.0.0.0/25']) set.occupy(range(text));
    set.release(range('10.0.0.0/24'));
    expect(allocate(set)).toBeUndefined();
    set.release(range('10.0.0.0/25'));
    set.release(range('10.0.0.0/25'));
    expect(allocate(set)).toBe('10.0.0.0/24');
  });

  it('returns the number of blocks in use that it passed as tries', () => {
    const set = new CidrSet(range('10.0.0.0/16'), 24);
    set.occupy(range('10.0.0.0/17'));
    expect(set.allocate()?.tries).toBe(128);
    expect(set.allocate()?.tries).toBe(0);
  });

  it('rejects a range of more than 1,048,576 blocks or none', () => {
    expect(() => new CidrSet(range('10.0.0.0/8'), 29)).toThrow(RangeError);
    expect(() => new CidrSet(range('10.0.0.0/24'), 23)).toThrow(RangeError);
    expect(new CidrSet(range('10.0.0.0/8'), 28).capacity).toBe(1_048_576);
  });

  it('allocates free blocks only, and none only when all are in use, in a random history', () => {
    const random = createSeededRandom(7);
    const set = new CidrSet(range('10.0.0.0/17'), 24);
    const held = new Set<string>();
    for (let step = 0; step < 4_000; step += 1) {
      if (held.size > 0 && random.withProbability(0.45)) {
        const victim = random.pick([...held]);
        held.delete(victim);
        set.release(range(victim));
        continue;
      }
      const block = allocate(set);
      if (block === undefined) expect(held.size).toBe(128);
      else expect(held.has(block)).toBe(false);
      if (block !== undefined) held.add(block);
    }
    expect(set.used).toBe(held.size);
  });
});
