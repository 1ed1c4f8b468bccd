/** The memory of converted objects: slabs of one call, and eviction. */
import { convertedRows, storedWidget } from '../../test/support/objects/converted-kind';
import { ConvertedEntry, ConvertedEntryCache, EntrySlabAllocator } from './converted-entry-cache';

const [FIRST] = convertedRows();
const EMPTY = Buffer.alloc(0);
const KIB = 1024;

/** The entries of one call, each with the given number of bytes. */
function entries(count: number, bytes = KIB): readonly ConvertedEntry[] {
  const slabs = new EntrySlabAllocator(count);
  return Array.from({ length: count }, (_, index) => {
    const entry = storedWidget(FIRST, `w${index}`, index + 1);
    const stored = slabs.store(EMPTY, 0, String(index % 10).repeat(bytes));
    return new ConvertedEntry(entry, entry.labels, entry.fields, stored.bytes, stored.slab);
  });
}

describe('slabs of converted objects', () => {
  it('hold many objects without overlap', () => {
    const created = entries(100);
    // 100 KiB need two slabs of 64 KiB.
    expect(new Set(created.map(({ slab }) => slab)).size).toBe(2);
    created.forEach(({ bytes }, index) => expect(bytes.toString()).toBe(String(index % 10).repeat(KIB)));
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
  /** Stores the entries under the keys `<prefix>0`, `<prefix>1` and so on. */
  const fill = (cache: ConvertedEntryCache, prefix: string, added: readonly ConvertedEntry[]): void =>
    added.forEach((entry, index) => cache.set(`${prefix}${index}`, entry));
  const areCached = (cache: ConvertedEntryCache, ...keys: readonly string[]): readonly boolean[] =>
    keys.map((key) => cache.get(key) !== undefined);

  it('returns the entry of a key', () => {
    const cache = new ConvertedEntryCache(KIB * KIB);
    const created = entries(3);
    fill(cache, 'a', created);
    expect(['a0', 'a1', 'a2'].map((key) => cache.get(key))).toEqual(created);
    expect(cache.get('b1')).toBeUndefined();
  });

  it('evicts whole slabs when it is full, least recently used first', () => {
    const cache = new ConvertedEntryCache(160 * KIB);
    fill(cache, 'a', entries(50));
    fill(cache, 'b', entries(50));
    expect(areCached(cache, 'a0', 'a49', 'b0')).toEqual([true, true, true]);
    fill(cache, 'c', entries(50));
    // A slab has 64 KiB: 50 entries fit on one, and the cache has space for two. That of b0 was used last.
    expect(areCached(cache, 'a0', 'a49', 'b0', 'b49', 'c0')).toEqual([false, false, true, true, true]);
  });

  it('keeps an entry that replaced one on an evicted slab', () => {
    const cache = new ConvertedEntryCache(160 * KIB);
    fill(cache, 'a', entries(50));
    // It replaces the entry of the key `a0`.
    const [replacement] = entries(1);
    if (replacement !== undefined) cache.set('a0', replacement);
    fill(cache, 'b', entries(50));
    fill(cache, 'c', entries(50));
    expect(cache.get('a0')).toBe(replacement);
    expect(cache.get('a1')).toBeUndefined();
  });

  it('does not store an entry over its capacity', () => {
    const cache = new ConvertedEntryCache(KIB);
    fill(cache, 'a', entries(1, 2 * KIB));
    expect(cache.get('a0')).toBeUndefined();
    fill(cache, 'b', entries(1, KIB / 4));
    expect(cache.get('b0')).toBeDefined();
  });
});
