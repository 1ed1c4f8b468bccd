import * as fc from 'fast-check';
import { canonicalFieldSet, parseFieldSet } from './canonical-field-set';
import {
  difference,
  differenceBelow,
  intersection,
  listMemberPaths,
  formatElementPath,
  FieldSetBuilder,
  union,
  unionOfAll,
  type FieldSet,
  type PathElement,
} from './field-set';

const element = fc.constantFrom('f:a', 'f:b', 'k:{"n":1}', 'k:{"n":10}', 'k:{"n":9}', 'v:"x"', 'v:2', 'i:3');
const members = fc.array(fc.array(element, { minLength: 1, maxLength: 3 }), { maxLength: 12 });

function setOf(paths: readonly PathElement[][]): FieldSet {
  const builder = new FieldSetBuilder();
  for (const path of paths) builder.insert(path);
  return canonicalFieldSet(builder.set);
}

const texts = (set: FieldSet): Set<string> => new Set(listMemberPaths(set).map((path) => path.join(' ')));
const only = (list: readonly PathElement[][]): Set<string> => new Set(list.map((path) => path.join(' ')));

describe('field sets', () => {
  it('support union, intersection and difference like sets of paths', () => {
    fc.assert(
      fc.property(members, members, (first, second) => {
        const a = setOf(first);
        const b = setOf(second);
        const inA = only(first);
        const inB = only(second);
        expect(texts(a)).toEqual(inA);
        expect(texts(union(a, b))).toEqual(new Set([...inA, ...inB]));
        expect(canonicalFieldSet(unionOfAll([b, a, b]))).toEqual(canonicalFieldSet(union(a, b)));
        expect(texts(intersection(a, b))).toEqual(new Set([...inA].filter((path) => inB.has(path))));
        expect(texts(difference(a, b))).toEqual(new Set([...inA].filter((path) => !inB.has(path))));
        const isBelow = (path: string): boolean => [...inB].some((other) => path === other || path.startsWith(`${other} `));
        expect(texts(differenceBelow(a, b))).toEqual(new Set([...inA].filter((path) => !isBelow(path))));
      }),
    );
  });

  it('have one canonical text, however they were built', () => {
    fc.assert(
      fc.property(members, members, (first, second) => {
        const a = setOf(first);
        const b = setOf(second);
        expect(JSON.stringify(canonicalFieldSet(union(a, b)))).toBe(JSON.stringify(setOf([...second, ...first].reverse())));
        expect(JSON.stringify(parseFieldSet(a))).toBe(JSON.stringify(a));
        expect(difference(a, setOf([['f:zz']]))).toBe(a);
      }),
    );
  });

  it('sort field names, then keys by their values, then values, then indexes', () => {
    const set = setOf([['i:10'], ['i:9'], ['v:"b"'], ['v:10'], ['v:9'], ['k:{"p":443}'], ['k:{"p":80}'], ['f:b'], ['f:B']]);
    expect(Object.keys(set)).toEqual(['f:B', 'f:b', 'k:{"p":80}', 'k:{"p":443}', 'v:9', 'v:10', 'v:"b"', 'i:9', 'i:10']);
  });

  it('mark a path with members below it as a member itself with a dot', () => {
    expect(setOf([['f:a', 'f:b'], ['f:a']])).toEqual({ 'f:a': { '.': {}, 'f:b': {} } });
    expect(setOf([['f:a'], ['f:a', 'f:b']])).toEqual({ 'f:a': { '.': {}, 'f:b': {} } });
  });

  it('skip path elements of an unknown type', () => {
    expect(parseFieldSet({ 'x:a': {}, 'f:b': {} })).toEqual({ 'f:b': {} });
  });

  it.each([[{ $a: {} }], [{ 'k:[]': {} }], [{ 'k:{': {} }], [{ 'i:x': {} }], [{ 'f:a': 1 }], [null], ['f:a']])(
    'are not parsed from %j',
    (value) => {
      expect(parseFieldSet(value)).toBeUndefined();
    },
  );

  it('are parsed from any JSON spelling of their keys', () => {
    expect(parseFieldSet({ 'k:{ "b":2,"a":"x" }': {} })).toEqual({ 'k:{"a":"x","b":2}': {} });
  });

  it('print paths as in conflict messages', () => {
    expect(formatElementPath(['f:spec', 'f:ports', 'k:{"port":80,"protocol":"TCP"}', 'f:x'])).toBe('.spec.ports[port=80,protocol="TCP"].x');
    expect(formatElementPath(['v:"a"', 'i:3'])).toBe('[="a"][3]');
  });
});
