/** Schemas that are written without being made, against the same ones made first and written like everything else. */
import { madeUpDefinitions } from '../../test/support/made-up-definitions';
import { isObject, objectAt, own, stringifyJson, type JsonObject, type JsonValue } from '../../shared/values/json';
import { JsonPlaces } from '../../shared/values/json-places';
import { MessageBytes } from './message-bytes';
import { MessageWriter } from './message';
import { MESSAGES, SCHEMAS } from './messages';
import { PublishedSchema } from './published-schema';
import { encodeJson, encodeMembersAsJson, schemaValue } from './schema-json';
import { SchemaMessageWriter } from './schema-message';

const string: JsonObject = { type: 'string' };
const objectOf = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more });

function nest(depth: number): JsonObject {
  let schema = string;
  for (let level = 0; level < depth; level += 1)
    schema = level % 2 === 0 ? objectOf({ [`m${level}`]: schema }) : { type: 'array', items: schema };
  return objectOf({ spec: schema });
}

const SCHEMAS_BY_TITLE: Readonly<Record<string, JsonObject>> = {
  'nothing said': {},
  'unsorted names, numbers and what objects inherit': objectOf({
    b: string,
    a: string,
    10: string,
    9: string,
    '01': string,
    '4294967296': string,
    ['__proto__']: string,
    constructor: string,
    é: string,
    '<&>': string,
    '': string,
    '\ue000': string,
    '😀': string,
  }),
  'members that are no schemas': objectOf({ a: true, b: null, c: 'text', d: string }),
  'texts with escapes, and long ones': objectOf({
    a: { description: 'a <b> & "c"\n\\ \u2028 é 😀 \u0001', pattern: '^<\\d+$' },
    b: { description: 'x'.repeat(200), format: 'ü'.repeat(70), title: '<'.repeat(300) },
  }),
  'numbers at every edge': objectOf({
    a: { type: 'integer', maximum: 9_223_372_036_854_775_807n, minimum: -9_223_372_036_854_775_808n, default: 9_007_199_254_740_993n },
    b: {
      type: 'number',
      minimum: -0.000_000_1,
      maximum: 1e300,
      multipleOf: 0.1,
      enum: [0, -1, 1e21, 9_007_199_254_740_993n, null, 'no', ''],
    },
  }),
  'long integers that version 2 leaves out': objectOf({ a: { type: 'integer', default: 9_007_199_254_740_993n, description: '<' } }),
  'flags that are not set, and defaults that are false': objectOf({
    a: { type: 'boolean', default: false, nullable: false, uniqueItems: false, 'x-kubernetes-preserve-unknown-fields': false },
    b: { type: 'object', default: { 10: 1, 9: 2, b: { c: [] } }, additionalProperties: false },
    c: { type: 'object', additionalProperties: true, required: [] },
  }),
  'what version 2 leaves open': objectOf({
    a: objectOf({ b: string }, { nullable: true, description: 'gone' }),
    c: objectOf({ b: string }, { 'x-kubernetes-preserve-unknown-fields': true }),
  }),
  'an open root': objectOf({ a: string }, { 'x-kubernetes-preserve-unknown-fields': true }),
  'a root that may be null': objectOf({ a: string }, { nullable: true }),
  'own words on what every object has': objectOf({ metadata: objectOf({ name: string }), kind: { description: 'mine' }, spec: string }),
  'objects within': objectOf({
    a: { type: 'object', 'x-kubernetes-embedded-resource': true, required: ['kind', 'z'], properties: { z: string, kind: string } },
    b: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    c: { type: 'array', items: { type: 'object', 'x-kubernetes-embedded-resource': true } },
  }),
  'integers or strings': objectOf({
    a: { 'x-kubernetes-int-or-string': true },
    b: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
    c: { 'x-kubernetes-int-or-string': true, allOf: [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, { pattern: 'a' }] },
    d: { 'x-kubernetes-int-or-string': true, anyOf: null },
  }),
  'alternatives and rules': objectOf({
    a: objectOf({ x: string }, { oneOf: [{ required: ['x'] }, { properties: { x: { enum: ['<'] } } }], not: { required: ['y'] } }),
    b: {
      ...string,
      'x-kubernetes-validations': [{ rule: 'self.size() < 3 && self != "no"', message: 'too\nlong', reason: 'FieldValueInvalid' }],
    },
    c: { type: 'array', items: string, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['yes', 'n'] },
  }),
  'as deep as may be': nest(499),
  'deeper than may be': nest(700),
};

const METADATA: JsonObject = { description: 'its metadata', $ref: '#/definitions/Meta' };
const OPTIONS = {
  objectMembers: { apiVersion: string, kind: string, metadata: METADATA },
  embeddedMembers: { apiVersion: string, kind: string, metadata: { ...METADATA, description: 'another' } },
  more: { 'x-kubernetes-group-version-kind': [{ group: 'g', kind: 'K', version: 'v1' }], 'x-kubernetes-selectable-fields': [] },
};

const large = madeUpDefinitions(6).flatMap(({ name, text }): [string, JsonObject][] => {
  const definition = new JsonPlaces(Buffer.from(text)).made(0);
  const spec = objectAt(isObject(definition) ? definition : {}, 'spec') ?? {};
  const versions = own(spec, 'versions');
  return Array.isArray(versions)
    ? versions.filter(isObject).map((of) => [name, objectAt(objectAt(of, 'schema'), 'openAPIV3Schema') ?? {}])
    : [];
});

function sameWays(version: 2 | 3, schema: JsonObject): void {
  const published = new PublishedSchema(new JsonPlaces(Buffer.from(stringifyJson(schema, 'sorted'))), { version, ...OPTIONS });
  const value = schemaValue(published);
  const [messages, [, { entries }]] = version === 2 ? [MESSAGES.v2, SCHEMAS.v2] : [MESSAGES.v3, SCHEMAS.v3];
  const [direct, made] = [new MessageBytes(), new MessageBytes()];
  new SchemaMessageWriter(messages, direct, published).root(2, entries);
  new MessageWriter(messages, made).field(2, entries, value);
  expect(direct.finish().equals(made.finish())).toBe(true);
  expect(Buffer.from(encodeMembersAsJson({ published }, new MessageBytes())).toString()).toBe(
    encodeJson({ published: value } satisfies JsonValue).slice(1, -1),
  );
}

test.each(Object.entries(SCHEMAS_BY_TITLE).flatMap(([title, schema]) => [2, 3].map((version) => [title, version, schema] as const)))(
  '%s, version %i',
  (_title, version, schema) => {
    sameWays(version === 2 ? 2 : 3, schema);
  },
);

test('members stand as objects keep them: numbers, then names by their bytes, then what every object has', () => {
  const schema = SCHEMAS_BY_TITLE['unsorted names, numbers and what objects inherit'] ?? {};
  const published = new PublishedSchema(new JsonPlaces(Buffer.from(stringifyJson(schema))), { version: 2, ...OPTIONS });
  const text = Buffer.from(encodeMembersAsJson({ published }, new MessageBytes())).toString();
  const names = [...text.matchAll(/"([^"]*)":\{"type":"string"\}/g)].map(([, name]) => name);
  const named = ['9', '10', '', '01', '4294967296', '<&>', '__proto__', 'a', 'b', 'constructor', 'é', '\ue000', '😀'];
  expect(names).toEqual([...named, 'apiVersion', 'kind']);
});

test('definitions of real size', () => {
  for (const [, schema] of large) for (const version of [2, 3] as const) sameWays(version, schema);
});
