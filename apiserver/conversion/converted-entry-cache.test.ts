import { convertedRows, storedWidget } from '../../test/support/converted-kind';
import { ConvertedEntry, Remembered, Shelving } from './converted-entry-cache';

const [FIRST] = convertedRows();
const EMPTY = Buffer.alloc(0);
const KIB = 1024;

/** Entries of so many bytes each, of one call. */
function entries(count: number, bytes = KIB): readonly ConvertedEntry[] {
  const shelving = new Shelving(count);
  return Array.from({ length: count }, (_, at) => {
    const entry = storedWidget(FIRST, `w${at}`, at + 1);
    const { bytes: own, shelf } = shelving.put(EMPTY, 0, String(at % 10).repeat(bytes));
    return new ConvertedEntry(entry, entry.labels, entry.fields, own, shelf);
  });
}

describe('shelves of converted objects', () => {
  it('hold many objects without overlap', () => {
    const made = entries(100);
    expect(new Set(made.map(({ shelf }) => shelf)).size).toBe(2);
    made.forEach(({ bytes }, at) => expect(bytes.toString()).toBe(String(at % 10).repeat(KIB)));
  });

  it('are no larger than the objects of their call', () => {
    expect(entries(1)[0]?.shelf.bytes).toHaveLength(KIB);
    expect(entries(10).at(-1)?.shelf.bytes).toHaveLength(10 * KIB);
    const [long] = entries(10, 1_000 * KIB);
    expect(long?.shelf.bytes).toHaveLength(1_000 * KIB);
  });

  it('append text to copied bytes', () => {
    const { bytes } = new Shelving(1).put(Buffer.from('é and more'), 2, '=ä');
    expect(bytes.toString()).toBe('é=ä');
  });
});

describe('Remembered', () => {
  const fill = (known: Remembered, name: string, made: readonly ConvertedEntry[]): void =>
    made.forEach((entry, at) => known.set(`${name}${at}`, entry));
  const isKnown = (known: Remembered, ...keys: readonly string[]): readonly boolean[] => keys.map((key) => known.get(key) !== undefined);

  it('returns the entry of a key', () => {
    const known = new Remembered(KIB * KIB);
    const made = entries(3);
    fill(known, 'a', made);
    expect(known.get('a1')).toBe(made[1]);
    expect(known.get('b1')).toBeUndefined();
  });

  it('evicts whole shelves when it is full, least recently used first', () => {
    const known = new Remembered(160 * KIB);
    fill(known, 'a', entries(50));
    fill(known, 'b', entries(50));
    expect(isKnown(known, 'a0', 'a49', 'b0')).toEqual([true, true, true]);
    fill(known, 'c', entries(50));
    // b0 was asked for last.
    expect(isKnown(known, 'a0', 'a49', 'b0', 'b49', 'c0')).toEqual([false, false, true, true, true]);
  });

  it('keeps an entry that replaced one on an evicted shelf', () => {
    const known = new Remembered(160 * KIB);
    fill(known, 'a', entries(50));
    const again = entries(1);
    fill(known, 'a', again);
    fill(known, 'b', entries(50));
    fill(known, 'c', entries(50));
    expect(known.get('a0')).toBe(again[0]);
    expect(known.get('a1')).toBeUndefined();
  });

  it('does not store an entry over its capacity', () => {
    const known = new Remembered(KIB);
    fill(known, 'a', entries(1, 2 * KIB));
    expect(known.get('a0')).toBeUndefined();
    fill(known, 'b', entries(1, KIB / 4));
    expect(known.get('b0')).toBeDefined();
  });
});
