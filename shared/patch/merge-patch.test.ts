import fc from 'fast-check';
import { cloneJson, equalJson, type JsonObject, type JsonValue } from '../values/json';
import { mergePatch } from './merge-patch';

/** The examples of RFC 7386, appendix A. */
const EXAMPLES: readonly (readonly [target: JsonValue, patch: JsonValue, result: JsonValue])[] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

/** Nulls in lists, which the RFC keeps. */
const NULLS_IN_LISTS: typeof EXAMPLES = [
  // Upstream removes null members of objects in a list, but not null items.
  [{ a: [] }, { a: [{ b: null, c: [null, { d: null }] }] }, { a: [{ c: [null, {}] }] }],
  // Also in objects of these objects, and when the target has no such member.
  [{}, { a: [{ b: { c: null, d: 1 } }] }, { a: [{ b: { d: 1 } }] }],
  // A list that replaces an object is taken unchanged.
  [{ a: {} }, { a: [{ b: null }] }, { a: [{ b: null }] }],
];

it.each([...EXAMPLES, ...NULLS_IN_LISTS])('mergePatch merges into %j the patch %j', (target, patch, result) => {
  expect(mergePatch(target, patch)).toEqual(result);
});

it('mergePatch treats __proto__ and constructor as ordinary keys', () => {
  const patch: JsonValue = JSON.parse('{"__proto__":{"x":1},"constructor":"c","toString":null}');
  const result = mergePatch({}, patch);
  expect(JSON.stringify(result)).toBe('{"__proto__":{"x":1},"constructor":"c"}');
  expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
});

// The round trip gives values the form that JSON.parse returns: without -0 and without objects that have no prototype.
const json = fc.jsonValue({ maxDepth: 4 }).map((value): JsonValue => JSON.parse(JSON.stringify(value)));
const object = fc.dictionary(fc.string({ maxLength: 3 }), json).map((value): JsonObject => JSON.parse(JSON.stringify(value)));

// Not from the first one on: a list that replaces an object keeps its nulls, and the second application removes them.
it('mergePatch changes neither target nor patch, and is idempotent from the second application on', () => {
  fc.assert(
    fc.property(object, object, (target, patch) => {
      const before = [cloneJson(target), cloneJson(patch)];
      const twice = mergePatch(mergePatch(target, patch), patch);
      expect(equalJson([target, patch], before)).toBe(true);
      expect(equalJson(mergePatch(twice, patch), twice)).toBe(true);
    }),
  );
});
