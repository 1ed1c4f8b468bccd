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

const anyKey = fc.tuple(fc.constantFrom('a', 'b', '\u{1f600}'), fc.nat(40)).map(([namespace, name]) => `${namespace}/${name}`);
const anyNode = fc.constantFrom<(string | undefined)[]>(undefined, 'n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7', 'n8', '__proto__');
/** A write of a pod, or a deletion when `isPut` is false. */
const anyWrite = fc.record({ key: anyKey, node: anyNode, isPut: fc.boolean() });

const keysOf = (entries: Iterable<Entry>): string[] => [...entries].map((entry) => entry.key);

describe('a list by an indexed field', () => {
  it('reads every entry with the value, in byte order, at the revision of its snapshot', () => {
    const start = 'a/2';
    const end = '\u{1f600}/3';
    fc.assert(
      fc.property(fc.array(anyWrite, { minLength: 1, maxLength: 150 }), fc.nat(), anyNode, (writes, position, value = '') => {
        const lastInSnapshot = position % writes.length;
        const state = new TypeState(pods, 0);
        /** The node of each pod in the snapshot. */
        const model = new Map<string, string>();
        let snapshot = state.snapshot(0);
        for (const [index, { key, node, isPut }] of writes.entries()) {
          if (isPut) state.put(pod(key, index, node), state.get(key));
          else state.delete(key);
          if (index > lastInSnapshot) continue;
          if (isPut) model.set(key, node ?? '');
          else model.delete(key);
          snapshot = state.snapshot(index);
        }
        const candidates = [...snapshot.rangeWith({ field: FIELD, value }, start, end)];
        const actual = keysOf(candidates.filter(({ fields }) => (fields[FIELD] ?? '') === value));
        const keysWithValue = [...model.keys()].filter((key) => model.get(key) === value);
        const inRange = keysWithValue.filter((key) => compareBytes(key, start) >= 0 && compareBytes(key, end) < 0);
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
      expect(keysOf(state.snapshot(round).rangeWith({ field: FIELD, value: 'n7' }))).toEqual(['a/57', 'a/7']);
    }
  });

  it('finishes with the entries of its snapshot while the type changes', () => {
    const state = new TypeState(pods, 0);
    for (let index = 0; index < 100; index += 1) state.put(pod(`a/${index}`, 1, `n${index % 50}`), undefined);
    const entries = state.snapshot(1).rangeWith({ field: FIELD, value: 'n7' });
    state.delete('a/7');
    expect(keysOf(entries)).toEqual(['a/57', 'a/7']);
  });

  it('reads the whole range for a value that most entries have, and for a field without an index', () => {
    const state = new TypeState(pods, 0);
    for (let index = 0; index < 10; index += 1) state.put(pod(`a/${index}`, 1, undefined), undefined);
    expect(keysOf(state.snapshot(1).rangeWith({ field: FIELD, value: '' }))).toHaveLength(10);
    expect(keysOf(state.snapshot(1).rangeWith({ field: 'status.phase', value: 'Running' }))).toHaveLength(10);
  });

  it('reads the whole range for a value that more than 1,000 entries have, so that no list sorts more keys', () => {
    const state = new TypeState(pods, 0);
    for (let index = 0; index < 10_000; index += 1) state.put(pod(`a/${index}`, 1, index < 1_001 ? 'n1' : `n${index}`), undefined);
    expect(keysOf(state.snapshot(1).rangeWith({ field: FIELD, value: 'n1' }))).toHaveLength(10_000);
    state.delete('a/0');
    expect(keysOf(state.snapshot(2).rangeWith({ field: FIELD, value: 'n1' }))).toHaveLength(1_000);
  });
});
