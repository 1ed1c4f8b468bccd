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

const key = fc
  .tuple(fc.constantFrom('a', 'a-b', 'b', '\uffee', '\u{1f600}'), fc.constantFrom('x', 'y', 'z', '\u{1f600}', 'ﬀ'), fc.nat(40))
  .map(([namespace, name, number]) => `${namespace}/${name}${number}`);

describe('snapshots', () => {
  it('preserve the state at the time they were taken, in byte order, with correct counts for any bounds', () => {
    const bound = fc.option(fc.oneof(key, fc.constantFrom('a/', 'a0', 'b/', 'b0', '\u{1f600}/', '\u{1f600}0')), { nil: undefined });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(key, fc.boolean()), { maxLength: 120 }),
        fc.nat(),
        fc.array(fc.tuple(bound, bound), { minLength: 1, maxLength: 8 }),
        (writes, at, bounds) => {
          const state = new TypeState(type, 0);
          const model = new Map<string, number>();
          let expected: { keys: string[]; snapshot: ReturnType<TypeState['snapshot']> } | undefined;
          for (const [index, [name, isPut]] of writes.entries()) {
            if (isPut) {
              state.put(entry(name, index), state.get(name));
              model.set(name, index);
            } else {
              state.delete(name);
              model.delete(name);
            }
            if (index === at % writes.length) expected = { keys: [...model.keys()].sort(compareBytes), snapshot: state.snapshot(index) };
          }
          expected ??= { keys: [], snapshot: state.snapshot(0) };
          const { keys, snapshot } = expected;
          expect([...snapshot.range()].map((element) => element.key)).toEqual(keys);
          for (const [start, end] of bounds) {
            const expectedKeys = keys.filter(
              (element) =>
                (start === undefined || compareBytes(element, start) >= 0) && (end === undefined || compareBytes(element, end) < 0),
            );
            expect([...snapshot.range(start, end)].map((element) => element.key)).toEqual(expectedKeys);
            expect(snapshot.count(start, end)).toBe(expectedKeys.length);
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  // Ranges are read in chunks of 64.
  it.each([0, 1, 63, 64, 65, 127, 128, 129, 200])('return a range of %d entries completely and in order', (size) => {
    const state = new TypeState(type, 0);
    const keys = Array.from({ length: size }, (_, i) => `n/${String(i).padStart(3, '0')}`);
    for (const name of ['m/z', ...keys, 'o/a']) state.put(entry(name, 1), undefined);
    const snapshot = state.snapshot(1);
    const read = (start?: string, end?: string): string[] => [...snapshot.range(start, end)].map((element) => element.key);
    expect(read('n/', 'n0')).toEqual(keys);
    expect(read()).toEqual(['m/z', ...keys, 'o/a']);
    expect(read('n/')).toEqual([...keys, 'o/a']);
    expect(read(undefined, 'n0')).toEqual(['m/z', ...keys]);
    expect(read('n0', 'n/')).toEqual([]);
  });

  it('count ranges by marks when they have thousands of entries', () => {
    const state = new TypeState(type, 0);
    for (let i = 0; i < 5000; i += 1) state.put(entry(`n/${String(i).padStart(5, '0')}`, i), undefined);
    const snapshot = state.snapshot(1);
    for (const from of [0, 1, 511, 512, 513, 2048, 4999]) expect(snapshot.count(`n/${String(from).padStart(5, '0')}`)).toBe(5000 - from);
    expect(snapshot.count('n/', 'n0')).toBe(5000);
    state.delete('n/00000');
    expect(snapshot.count('n/', 'n0')).toBe(5000);
    expect(state.snapshot(2).count('n/', 'n0')).toBe(4999);
  });
});
