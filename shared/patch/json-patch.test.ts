/** The results are recorded from release 1.31.1. Titles state where they differ from RFC 6902. */
import fc from 'fast-check';
import { cloneJson, equalJson, type JsonObject, type JsonValue } from '../values/json';
import {
  applyJsonPatch,
  MAX_JSON_PATCH_OPERATIONS,
  parseOperations,
  PatchOperationError,
  PatchSyntaxError,
  TooManyOperationsError,
} from './json-patch';
import { anyCharacter } from '../../test/support/any-character';

const DOCUMENT = { name: 'n', list: ['a', 'b'], map: { k: 'v', 'a/b': 1, 'c~d': 2 } };
const apply = (patch: JsonValue, to: JsonObject = DOCUMENT): JsonObject => applyJsonPatch(cloneJson(to), parseOperations(patch).operations);

/** `changed`: the members of {@link DOCUMENT} that differ afterwards; undefined when the member is removed. */
const ACCEPTED: readonly (readonly [title: string, operation: JsonObject, changed: { readonly [member: string]: unknown }])[] = [
  ['adds a field', { op: 'add', path: '/map/x', value: [1] }, { map: { k: 'v', 'a/b': 1, 'c~d': 2, x: [1] } }],
  ['adds an item', { op: 'add', path: '/list/1', value: 'x' }, { list: ['a', 'x', 'b'] }],
  ['appends an item', { op: 'add', path: '/list/-', value: 'x' }, { list: ['a', 'b', 'x'] }],
  ['appends an item at the index equal to the length', { op: 'add', path: '/list/2', value: 'x' }, { list: ['a', 'b', 'x'] }],
  ['removes a field', { op: 'remove', path: '/map' }, { map: undefined }],
  ['removes an item', { op: 'remove', path: '/list/0' }, { list: ['b'] }],
  ['replaces a field', { op: 'replace', path: '/name', value: null }, { name: null }],
  ['unescapes a slash', { op: 'replace', path: '/map/a~1b', value: 2 }, { map: { k: 'v', 'a/b': 2, 'c~d': 2 } }],
  ['unescapes a tilde', { op: 'remove', path: '/map/c~0d' }, { map: { k: 'v', 'a/b': 1 } }],
  ['moves a field', { op: 'move', from: '/map/k', path: '/k' }, { k: 'v', map: { 'a/b': 1, 'c~d': 2 } }],
  ['moves an item within a list', { op: 'move', from: '/list/0', path: '/list/1' }, { list: ['b', 'a'] }],
  ['copies a value', { op: 'copy', from: '/list', path: '/map/k' }, { map: { k: ['a', 'b'], 'a/b': 1, 'c~d': 2 } }],
  ['tests a value', { op: 'test', path: '/list', value: ['a', 'b'] }, {}],
  ['counts indexes from the end (not in the RFC)', { op: 'remove', path: '/list/-1' }, { list: ['a'] }],
  ['inserts from the end (not in the RFC)', { op: 'add', path: '/list/-1', value: 'x' }, { list: ['a', 'b', 'x'] }],
  [
    'inserts at the start with an index from the end (not in the RFC)',
    { op: 'add', path: '/list/-3', value: 'x' },
    { list: ['x', 'a', 'b'] },
  ],
  ['reads +1 and 01 as indexes (not in the RFC)', { op: 'replace', path: '/list/+01', value: 'x' }, { list: ['a', 'x'] }],
  ['replaces a missing field (not in the RFC)', { op: 'replace', path: '/map/q', value: 1 }, { map: { ...DOCUMENT.map, q: 1 } }],
  ['copies a missing field as null (not in the RFC)', { op: 'copy', from: '/q', path: '/z' }, { z: null }],
  ['tests a missing field as equal to null (not in the RFC)', { op: 'test', path: '/q', value: null }, {}],
  ['ignores the text before the first slash (not in the RFC)', { op: 'add', path: 'x/q', value: 1 }, { q: 1 }],
  ['treats a missing value as null (not in the RFC)', { op: 'add', path: '/q' }, { q: null }],
];

it.each(ACCEPTED)('applyJsonPatch %s', (_title, operation, changed) => {
  const expected: { [member: string]: unknown } = { ...DOCUMENT, ...changed };
  expect(apply([operation])).toEqual(expected);
});

const REJECTED: readonly (readonly [reason: string, operation: JsonObject])[] = [
  ['to remove a missing field', { op: 'remove', path: '/q' }],
  ['an index beyond the end', { op: 'remove', path: '/list/2' }],
  ['to remove the item after the last', { op: 'remove', path: '/list/-' }],
  ['an index that is no number', { op: 'remove', path: '/list/x' }],
  ['to remove the whole document', { op: 'remove', path: '' }],
  ['to add the whole document (not in the RFC)', { op: 'add', path: '', value: {} }],
  ['to add beyond the end', { op: 'add', path: '/list/3', value: 1 }],
  ['to add before the start', { op: 'add', path: '/list/-4', value: 1 }],
  ['an index in exponent notation', { op: 'add', path: '/list/1e0', value: 1 }],
  ['a pointer through a missing field', { op: 'add', path: '/q/x', value: 1 }],
  ['a pointer through a string', { op: 'add', path: '/name/x', value: 1 }],
  ['a missing pointer', { op: 'add', value: 1 }],
  ['to replace the item after the last', { op: 'replace', path: '/list/-', value: 1 }],
  ['to replace an item beyond the end', { op: 'replace', path: '/list/2', value: 1 }],
  ['to move a missing field', { op: 'move', from: '/q', path: '/z' }],
  ['to move an object into itself', { op: 'move', from: '/map', path: '/map/x' }],
  ['a copy without a source', { op: 'copy', path: '/z' }],
  ['a test of another value', { op: 'test', path: '/name', value: 'm' }],
  ['to test an item beyond the end', { op: 'test', path: '/list/9', value: null }],
  ['a test through a missing field', { op: 'test', path: '/q/x', value: null }],
  ['a test of the whole document against another one', { op: 'test', path: '', value: {} }],
  ['to remove an inherited property', { op: 'remove', path: '/toString' }],
  ['a pointer through an inherited property', { op: 'remove', path: '/map/constructor/name' }],
  ['an operation in capitals', { op: 'ADD', path: '/q', value: 1 }],
  ['a missing operation', { path: '/q', value: 1 }],
];

it.each(REJECTED)('applyJsonPatch rejects %s: %j', (_reason, operation) => {
  expect(() => apply([operation])).toThrow(PatchOperationError);
});

it('applyJsonPatch replaces the whole document, and only by an object', () => {
  expect(apply([{ op: 'replace', path: '', value: { a: 1 } }])).toEqual({ a: 1 });
  expect(() => apply([{ op: 'replace', path: '', value: 1 }])).toThrow(PatchOperationError);
});

it('applyJsonPatch treats __proto__ and toString as ordinary keys', () => {
  const result = apply([{ op: 'add', path: '/map/__proto__', value: { polluted: true } }]);
  expect(JSON.stringify(result['map'])).toContain('"__proto__":{"polluted":true}');
  expect({}).not.toHaveProperty('polluted');
  expect(apply([{ op: 'replace', path: '/toString', value: 'x' }])).toHaveProperty('toString', 'x');
});

const SYNTAX: readonly (readonly [patch: JsonValue, message: string])[] = [
  [{}, 'json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp'],
  ['x', 'json: cannot unmarshal string into Go value of type []handlers.jsonPatchOp'],
  [[1], 'json: cannot unmarshal number into Go value of type handlers.jsonPatchOp'],
  [[[]], 'json: cannot unmarshal array into Go value of type handlers.jsonPatchOp'],
  [[{ op: 'add', path: 5 }], 'json: cannot unmarshal number into Go struct field jsonPatchOp.path of type string'],
  [[{ op: true }], 'json: cannot unmarshal bool into Go struct field jsonPatchOp.op of type string'],
];

it.each(SYNTAX)('parseOperations rejects %j with the error of upstream', (patch, message) => {
  expect(() => parseOperations(patch)).toThrow(new PatchSyntaxError(message));
});

it('parseOperations rejects more than 10,000 operations', () => {
  const operations = (count: number): JsonValue => Array.from({ length: count }, () => ({ op: 'test', path: '/name', value: 'n' }));
  expect(MAX_JSON_PATCH_OPERATIONS).toBe(10_000);
  expect(parseOperations(operations(10_000)).operations).toHaveLength(10_000);
  expect(() => parseOperations(operations(10_001))).toThrow(TooManyOperationsError);
});

it('applyJsonPatch rejects a patch whose copies add more than 3 MiB', () => {
  const document = { megabyte: 'x'.repeat(1_000_000) };
  const copyTo = (member: string): JsonObject => ({ op: 'copy', from: '/megabyte', path: `/${member}` });
  const copied = apply([copyTo('a'), copyTo('b'), copyTo('c')], document);
  expect(Object.keys(copied)).toEqual(['megabyte', 'a', 'b', 'c']);
  expect(() => apply([copyTo('a'), copyTo('b'), copyTo('c'), copyTo('d')], document)).toThrow(PatchOperationError);
});

it('parseOperations reports unknown fields of operations with their paths', () => {
  expect(parseOperations([{ op: 'test' }, { op: 'test', x: 1, y: 2 }]).unknown).toEqual(['[1].x', '[1].y']);
});

const json = fc.jsonValue({ maxDepth: 3 }).map((value): JsonValue => JSON.parse(JSON.stringify(value)));
/** Shorter than `untouched`, so that the two never collide. */
const key = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 4 });
const escape = (token: string): string => token.replaceAll('~', '~0').replaceAll('/', '~1');

it('applyJsonPatch resolves an escaped pointer to the value added there, and leaves the patch unchanged', () => {
  fc.assert(
    fc.property(key, json, json, (name, value, other) => {
      const path = `/${escape(name)}`;
      const patch: JsonValue = [
        { op: 'add', path, value },
        { op: 'test', path, value },
        { op: 'replace', path, value: { inner: other } },
        { op: 'add', path: `${path}/more`, value: 1 },
        { op: 'remove', path },
      ];
      const before = cloneJson(patch);
      const result = apply(patch, { untouched: other });
      expect(equalJson(result, { untouched: other })).toBe(true);
      expect(equalJson(patch, before)).toBe(true);
    }),
  );
});
