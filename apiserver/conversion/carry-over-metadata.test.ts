/** The parts of a converted object that come from the response, and the responses that are rejected. */
import type { JsonObject, JsonValue } from '../../shared/values/json';
import { ConversionFailure } from './conversion-failure';
import { isOfKind, carryOverMetadata } from './carry-over-metadata';

const DESIRED = { apiVersion: 'example.com/v2', kind: 'Widget' };
const original = {
  metadata: { name: 'a', namespace: 'n', uid: 'u', generation: 3, resourceVersion: '7', labels: { l: '1' }, annotations: { n: '1' } },
  spec: { address: 'h:1' },
};
const converted = (metadata: JsonObject, members: JsonObject = {}): JsonObject => ({
  apiVersion: 'example.com/v2',
  kind: 'Widget',
  metadata: { name: 'a', namespace: 'n', uid: 'u', ...metadata },
  spec: { host: 'h' },
  ...members,
});
/** The result for an object at index 2 of a response: the converted object, or the text of the failure. */
const outcomeOf = (value: JsonValue): unknown => {
  const outcome = carryOverMetadata(original, value, DESIRED, 2);
  return outcome instanceof ConversionFailure ? outcome.text : outcome;
};

it('carryOverMetadata takes every field of the response, but only labels and annotations of its metadata', () => {
  expect(
    outcomeOf(converted({ labels: { new: 'yes' }, generation: 99, resourceVersion: '8', finalizers: ['x'], odd: 1 }, { other: 1 })),
  ).toEqual({
    metadata: { name: 'a', namespace: 'n', uid: 'u', generation: 3, resourceVersion: '7', labels: { new: 'yes' } },
    spec: { host: 'h' },
    other: 1,
  });
});

it('carryOverMetadata modifies neither the original object nor the response', () => {
  const before = JSON.stringify(original);
  const response = converted({ labels: { new: 'yes' } });
  const text = JSON.stringify(response);
  outcomeOf(response);
  expect(JSON.stringify(original)).toBe(before);
  expect(JSON.stringify(response)).toBe(text);
});

it.each<readonly [title: string, response: JsonValue, message: string]>([
  ['another name', converted({ name: 'b' }), 'must have the same name: a != b'],
  ['another namespace', converted({ namespace: 'm' }), 'must have the same namespace: n != m'],
  ['no uid', converted({ uid: '' }), 'must have the same UID: u != '],
  [
    'another version',
    converted({}, { apiVersion: 'example.com/v3' }),
    'at index 2: invalid groupVersion (expected example.com/v2, received example.com/v3)',
  ],
  ['another kind', converted({}, { kind: 'Gadget' }), 'at index 2: invalid kind (expected Widget, received Gadget)'],
  [
    'a label that is not a string',
    converted({ labels: { a: 1 } }),
    'metadata.labels[a] must be a string, but is int64 in converted object',
  ],
  [
    'annotations that are not an object',
    converted({ annotations: 'x' }),
    'invalid metadata.annotations of type string in converted object',
  ],
  ['an invalid label key', converted({ labels: { 'a b': 'c' } }), 'metadata.labels: Invalid value: "a b"'],
  ['null as object', null, 'unexpected end of JSON input'],
  ['a list as object', [], 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
])('carryOverMetadata rejects a response with %s', (_title, value, message) => {
  expect(outcomeOf(value)).toContain(message);
});

it('carryOverMetadata reports at most twenty errors', () => {
  const labels = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`a b${index}`, 'c']));
  expect(String(outcomeOf(converted({ labels }))).split('Invalid value').length - 1).toBe(20);
});

it('carryOverMetadata shows about 4,096 characters of an object without a kind', () => {
  expect(String(outcomeOf({ long: 'x'.repeat(100_000) })).length).toBeLessThan(4_200);
});

it('isOfKind compares apiVersion and kind of an object', () => {
  expect(isOfKind(converted({}), DESIRED)).toBe(true);
  expect(isOfKind(converted({}, { kind: 'Gadget' }), DESIRED)).toBe(false);
  expect(isOfKind(converted({}, { apiVersion: 'example.com/v3' }), DESIRED)).toBe(false);
  expect(isOfKind({ spec: {} }, DESIRED)).toBe(false);
});
