/** Snapshots of a type: compared with a model, for any sequence of writes and any bounds. */
import fc from 'fast-check';
import { compareBytes } from '../../../shared/values/json';
import type { Entry, StoredType } from '../cache';
import { TypeState } from './type-state';

const type: StoredType = { name: 'configmaps', segment: 'configmaps', namespaced: true };

const entry = (key: string, revision: number): Entry => ({
  key,
  revision,
  bytes: Buffer.alloc(0),
  labels: {},
  fields: {},
  isDialectSensitive: false,
});

/** Keys with different orders by UTF-8 bytes and by UTF-16 units. */
const anyKey = fc
  .tuple(fc.constantFrom('a', 'a-b', 'b', '\uffee', '\u{1f600}'), fc.constantFrom('x', 'y', 'z', '\u{1f600}', '\ufb00'), fc.nat(40))
  .map(([namespace, name, number]) => `${namespace}/${name}${number}`);
/** A write of a key, or a deletion when `isPut` is false. */
const anyWrite = fc.record({ key: anyKey, isPut: fc.boolean() });
const anyBound = fc.option(fc.oneof(anyKey, fc.constantFrom('a/', 'a0', 'b/', 'b0', '\u{1f600}/', '\u{1f600}0')), { nil: undefined });

const keysOf = (entries: Iterable<Entry>): string[] => [...entries].map(({ key }) => key);

function isBetween(key: string, start: string | undefined, end: string | undefined): boolean {
  return (start === undefined || compareBytes(key, start) >= 0) && (end === undefined || compareBytes(key, end) < 0);
}

describe('snapshots', () => {
  it('preserve the state at the time they were taken, in byte order, with correct counts for any bounds', () => {
    const anyWrites = fc.array(anyWrite, { minLength: 1, maxLength: 120 });
    const anyBounds = fc.array(fc.tuple(anyBound, anyBound), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(anyWrites, fc.nat(), anyBounds, (writes, position, bounds) => {
        const lastInSnapshot = position % writes.length;
        const state = new TypeState(type, 0);
        const model = new Set<string>();
        let snapshot = state.snapshot(0);
        for (const [index, { key, isPut }] of writes.entries()) {
          if (isPut) state.put(entry(key, index), state.get(key));
          else state.delete(key);
          if (index > lastInSnapshot) continue;
          if (isPut) model.add(key);
          else model.delete(key);
          if (index === lastInSnapshot) snapshot = state.snapshot(index);
        }
        const expected = [...model].sort(compareBytes);
        expect(keysOf(snapshot.range())).toEqual(expected);
        for (const [start, end] of bounds) {
          const expectedInRange = expected.filter((key) => isBetween(key, start, end));
          expect(keysOf(snapshot.range(start, end))).toEqual(expectedInRange);
          expect(snapshot.count(start, end)).toBe(expectedInRange.length);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('of an empty type have no entries', () => {
    const snapshot = new TypeState(type, 0).snapshot(0);
    expect(keysOf(snapshot.range())).toEqual([]);
    expect(snapshot.count('a/', 'a0')).toBe(0);
  });

  // Ranges are read in chunks of 64.
  it.each([0, 1, 63, 64, 65, 127, 128, 129, 200])('return a range of %d entries completely and in order', (size) => {
    const state = new TypeState(type, 0);
    const keys = Array.from({ length: size }, (_, i) => `n/${String(i).padStart(3, '0')}`);
    for (const name of ['m/z', ...keys, 'o/a']) state.put(entry(name, 1), undefined);
    const snapshot = state.snapshot(1);
    const read = (start?: string, end?: string): string[] => keysOf(snapshot.range(start, end));
    expect(read('n/', 'n0')).toEqual(keys);
    expect(read()).toEqual(['m/z', ...keys, 'o/a']);
    expect(read('n/')).toEqual([...keys, 'o/a']);
    expect(read(undefined, 'n0')).toEqual(['m/z', ...keys]);
    expect(read('n0', 'n/')).toEqual([]);
  });

  it('count ranges by marks when they have thousands of entries', () => {
    const keyAt = (position: number): string => `n/${String(position).padStart(5, '0')}`;
    const state = new TypeState(type, 0);
    for (let i = 0; i < 5000; i += 1) state.put(entry(keyAt(i), i), undefined);
    const snapshot = state.snapshot(1);
    // Every 512th key is a mark.
    for (const from of [0, 1, 511, 512, 513, 2048, 4999]) expect(snapshot.count(keyAt(from))).toBe(5000 - from);
    expect(snapshot.count('n/', 'n0')).toBe(5000);
    state.delete('n/00000');
    expect(snapshot.count('n/', 'n0')).toBe(5000);
    expect(state.snapshot(2).count('n/', 'n0')).toBe(4999);
  });
});
