/** Lists by an indexed field: compared with a model, for any sequence of writes. */
import fc from 'fast-check';
import { compareBytes } from '../../../shared/values/json';
import type { Entry, StoredType } from '../cache';
import { TypeState } from './type-state';

const FIELD = 'spec.nodeName';
const pods: StoredType = { name: 'pods', segment: 'pods', namespaced: true, indexedFields: [FIELD] };

const pod = (key: string, revision: number, node: string | undefined): Entry => ({
  key,
  revision,
  bytes: Buffer.alloc(0),
  labels: {},
  fields: node === undefined ? {} : { [FIELD]: node },
  isDialectSensitive: false,
});

const key = fc.tuple(fc.constantFrom('a', 'b', '\u{1f600}'), fc.nat(40)).map(([namespace, name]) => `${namespace}/${name}`);
const node = fc.constantFrom<(string | undefined)[]>(undefined, 'n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7', 'n8', '__proto__');
const keys = (entries: Iterable<Entry>): string[] => [...entries].map((entry) => entry.key);

describe('a list by an indexed field', () => {
  it('reads every entry with the value, in byte order, at the revision of its snapshot', () => {
    const write = fc.record({ key, node, isPut: fc.boolean() });
    fc.assert(
      fc.property(fc.array(write, { minLength: 1, maxLength: 150 }), fc.nat(), node, (writes, at, value = '') => {
        const state = new TypeState(pods, 0);
        const expected = new Map<string, string>();
        const isBefore = (index: number): boolean => index <= at % writes.length;
        let snapshot = state.snapshot(0);
        for (const [index, { key: name, node: nodeName, isPut }] of writes.entries()) {
          if (isPut) state.put(pod(name, index, nodeName), state.get(name));
          else state.delete(name);
          if (!isBefore(index)) continue;
          if (isPut) expected.set(name, nodeName ?? '');
          else expected.delete(name);
          snapshot = state.snapshot(index);
        }
        const candidates = [...snapshot.rangeWith({ field: FIELD, value }, 'a/2', '\u{1f600}/3')];
        const actual = keys(candidates.filter(({ fields }) => (fields[FIELD] ?? '') === value));
        const wanted = [...expected].filter(([, nodeName]) => nodeName === value).map(([name]) => name);
        const inRange = wanted.filter((name) => compareBytes(name, 'a/2') >= 0 && compareBytes(name, '\u{1f600}/3') < 0);
        expect(actual).toEqual(inRange.sort(compareBytes));
      }),
      { numRuns: 300 },
    );
  });

  it('reads only the entries with the value, also after the state was cleared and loaded again', () => {
    const state = new TypeState(pods, 0);
    for (const round of [1, 2]) {
      state.clear(() => undefined);
      for (let index = 0; index < 100; index += 1) state.put(pod(`a/${index}`, round, `n${index % 50}`), undefined);
      expect(keys(state.snapshot(round).rangeWith({ field: FIELD, value: 'n7' }))).toEqual(['a/57', 'a/7']);
    }
  });

  it('finishes with the entries of its snapshot while the type changes', () => {
    const state = new TypeState(pods, 0);
    for (let index = 0; index < 100; index += 1) state.put(pod(`a/${index}`, 1, `n${index % 50}`), undefined);
    const entries = state.snapshot(1).rangeWith({ field: FIELD, value: 'n7' });
    state.delete('a/7');
    expect(keys(entries)).toEqual(['a/57', 'a/7']);
  });

  it('reads the whole range for a value that most entries have, and for a field without an index', () => {
    const state = new TypeState(pods, 0);
    for (let index = 0; index < 10; index += 1) state.put(pod(`a/${index}`, 1, undefined), undefined);
    expect(keys(state.snapshot(1).rangeWith({ field: FIELD, value: '' }))).toHaveLength(10);
    expect(keys(state.snapshot(1).rangeWith({ field: 'status.phase', value: 'Running' }))).toHaveLength(10);
  });

  it('reads the whole range for a value that more than 1,000 entries have, so that no list sorts more keys', () => {
    const state = new TypeState(pods, 0);
    for (let index = 0; index < 10_000; index += 1) state.put(pod(`a/${index}`, 1, index < 1_001 ? 'n1' : `n${index}`), undefined);
    expect(keys(state.snapshot(1).rangeWith({ field: FIELD, value: 'n1' }))).toHaveLength(10_000);
    state.delete('a/0');
    expect(keys(state.snapshot(2).rangeWith({ field: FIELD, value: 'n1' }))).toHaveLength(1_000);
  });
});
