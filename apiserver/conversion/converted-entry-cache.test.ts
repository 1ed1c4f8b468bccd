import { convertedRows, storedWidget } from '../../test/support/objects/converted-kind';
import { ConvertedEntry, ConvertedEntryCache, EntrySlabAllocator } from './converted-entry-cache';

const [FIRST] = convertedRows();
const EMPTY = Buffer.alloc(0);
const KIB = 1024;

/** The entries of one call, each with the given number of bytes. */
function entries(count: number, bytes = KIB): readonly ConvertedEntry[] {
  const slabs = new EntrySlabAllocator(count);
  return Array.from({ length: count }, (_, at) => {
    const entry = storedWidget(FIRST, `w${at}`, at + 1);
    const { bytes: own, slab } = slabs.store(EMPTY, 0, String(at % 10).repeat(bytes));
    return new ConvertedEntry(entry, entry.labels, entry.fields, own, slab);
  });
}

describe('slabs of converted objects', () => {
  it('hold many objects without overlap', () => {
    const made = entries(100);
    expect(new Set(made.map(({ slab }) => slab)).size).toBe(2);
    made.forEach(({ bytes }, at) => expect(bytes.toString()).toBe(String(at % 10).repeat(KIB)));
  });

  it('are no larger than the objects of their call', () => {
    expect(entries(1)[0]?.slab.bytes).toHaveLength(KIB);
    expect(entries(10).at(-1)?.slab.bytes).toHaveLength(10 * KIB);
    const [long] = entries(10, 1_000 * KIB);
    expect(long?.slab.bytes).toHaveLength(1_000 * KIB);
  });

  it('append text to copied bytes', () => {
    const { bytes } = new EntrySlabAllocator(1).store(Buffer.from('é and more'), 2, '=ä');
    expect(bytes.toString()).toBe('é=ä');
  });
});

describe('ConvertedEntryCache', () => {
  const fill = (known: ConvertedEntryCache, name: string, made: readonly ConvertedEntry[]): void =>
    made.forEach((entry, at) => known.set(`${name}${at}`, entry));
  const isKnown = (known: ConvertedEntryCache, ...keys: readonly string[]): readonly boolean[] =>
    keys.map((key) => known.get(key) !== undefined);

  it('returns the entry of a key', () => {
    const known = new ConvertedEntryCache(KIB * KIB);
    const made = entries(3);
    fill(known, 'a', made);
    expect(known.get('a1')).toBe(made[1]);
    expect(known.get('b1')).toBeUndefined();
  });

  it('evicts whole slabs when it is full, least recently used first', () => {
    const known = new ConvertedEntryCache(160 * KIB);
    fill(known, 'a', entries(50));
    fill(known, 'b', entries(50));
    expect(isKnown(known, 'a0', 'a49', 'b0')).toEqual([true, true, true]);
    fill(known, 'c', entries(50));
    // b0 was used last.
    expect(isKnown(known, 'a0', 'a49', 'b0', 'b49', 'c0')).toEqual([false, false, true, true, true]);
  });

  it('keeps an entry that replaced one on an evicted slab', () => {
    const known = new ConvertedEntryCache(160 * KIB);
    fill(known, 'a', entries(50));
    const again = entries(1);
    fill(known, 'a', again);
    fill(known, 'b', entries(50));
    fill(known, 'c', entries(50));
    expect(known.get('a0')).toBe(again[0]);
    expect(known.get('a1')).toBeUndefined();
  });

  it('does not store an entry over its capacity', () => {
    const known = new ConvertedEntryCache(KIB);
    fill(known, 'a', entries(1, 2 * KIB));
    expect(known.get('a0')).toBeUndefined();
    fill(known, 'b', entries(1, KIB / 4));
    expect(known.get('b0')).toBeDefined();
  });
});
