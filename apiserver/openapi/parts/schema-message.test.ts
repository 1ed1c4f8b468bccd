/** Compares schemas that are written directly with the same schemas built first and written by the general writers. */
import { MAX_SCHEMA_DEPTH } from '../../../shared/api/structural/read-schema';
import { generateDefinitions } from '../../../test/support/objects/generated-definitions';
import { arrayAt, isObject, objectAt, stringifyJson, type JsonObject, type JsonValue } from '../../../shared/values/json';
import { JsonIndex } from '../../../shared/values/json-index';
import { MessageBuffer } from '../../../shared/serialization/protobuf/message-buffer';
import { ENTRY_VALUE, MessageWriter } from '../message/message';
import { OPENAPI_MESSAGES, SCHEMAS_FIELD } from './openapi-messages';
import { PublishedSchema } from '../documents/published-schema';
import { encodeJson, encodeMembersAsJson, schemaValue } from '../documents/schema-json';
import { SchemaMessageWriter } from './schema-message';

const STRING_SCHEMA: JsonObject = { type: 'string' };
/** A schema with these properties and other members. */
const objectOf = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more });

/** A schema with a string at this depth below its root. */
function nest(depth: number): JsonObject {
  let schema = STRING_SCHEMA;
  for (let level = 0; level < depth - 1; level += 1) {
    schema = level % 2 === 0 ? objectOf({ [`m${level}`]: schema }) : { type: 'array', items: schema };
  }
  return objectOf({ spec: schema });
}

const SCHEMAS_BY_TITLE: Readonly<Record<string, JsonObject>> = {
  'an empty schema': {},
  'unsorted names, integer keys and names of Object.prototype': objectOf({
    b: STRING_SCHEMA,
    a: STRING_SCHEMA,
    10: STRING_SCHEMA,
    9: STRING_SCHEMA,
    '01': STRING_SCHEMA,
    '4294967296': STRING_SCHEMA,
    ['__proto__']: STRING_SCHEMA,
    constructor: STRING_SCHEMA,
    é: STRING_SCHEMA,
    '<&>': STRING_SCHEMA,
    '': STRING_SCHEMA,
    '\ue000': STRING_SCHEMA,
    '😀': STRING_SCHEMA,
  }),
  'properties that are no schemas': objectOf({ a: true, b: null, c: 'text', d: STRING_SCHEMA }),
  'strings with escapes and long strings': objectOf({
    a: { description: 'a <b> & "c"\n\\ \u2028 é 😀 \u0001', pattern: '^<\\d+$' },
    b: { description: 'x'.repeat(200), format: 'ü'.repeat(70), title: '<'.repeat(300) },
  }),
  'numbers at the limits of their types': objectOf({
    a: { type: 'integer', maximum: 9_223_372_036_854_775_807n, minimum: -9_223_372_036_854_775_808n, default: 9_007_199_254_740_993n },
    b: {
      type: 'number',
      minimum: -0.000_000_1,
      maximum: 1e300,
      multipleOf: 0.1,
      enum: [0, -1, 1e21, 9_007_199_254_740_993n, null, 'no', ''],
    },
  }),
  'long integers that v2 leaves out': objectOf({ a: { type: 'integer', default: 9_007_199_254_740_993n, description: '<' } }),
  'flags that are false and defaults that are false': objectOf({
    a: { type: 'boolean', default: false, nullable: false, uniqueItems: false, 'x-kubernetes-preserve-unknown-fields': false },
    b: { type: 'object', default: { 10: 1, 9: 2, b: { c: [] } }, additionalProperties: false },
    c: { type: 'object', additionalProperties: true, required: [] },
  }),
  'schemas that v2 publishes without properties': objectOf({
    a: objectOf({ b: STRING_SCHEMA }, { nullable: true, description: 'gone' }),
    c: objectOf({ b: STRING_SCHEMA }, { 'x-kubernetes-preserve-unknown-fields': true }),
  }),
  'a root that preserves unknown fields': objectOf({ a: STRING_SCHEMA }, { 'x-kubernetes-preserve-unknown-fields': true }),
  'a nullable root': objectOf({ a: STRING_SCHEMA }, { nullable: true }),
  'own schemas of metadata and kind': objectOf({
    metadata: objectOf({ name: STRING_SCHEMA }),
    kind: { description: 'mine' },
    spec: STRING_SCHEMA,
  }),
  'embedded resources': objectOf({
    a: {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      required: ['kind', 'z'],
      properties: { z: STRING_SCHEMA, kind: STRING_SCHEMA },
    },
    b: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    c: { type: 'array', items: { type: 'object', 'x-kubernetes-embedded-resource': true } },
  }),
  'int-or-string fields': objectOf({
    a: { 'x-kubernetes-int-or-string': true },
    b: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
    c: { 'x-kubernetes-int-or-string': true, allOf: [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, { pattern: 'a' }] },
    d: { 'x-kubernetes-int-or-string': true, anyOf: null },
  }),
  'alternatives and validation rules': objectOf({
    a: objectOf({ x: STRING_SCHEMA }, { oneOf: [{ required: ['x'] }, { properties: { x: { enum: ['<'] } } }], not: { required: ['y'] } }),
    b: {
      ...STRING_SCHEMA,
      'x-kubernetes-validations': [{ rule: 'self.size() < 3 && self != "no"', message: 'too\nlong', reason: 'FieldValueInvalid' }],
    },
    c: { type: 'array', items: STRING_SCHEMA, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['yes', 'n'] },
  }),
  'the maximal depth': nest(MAX_SCHEMA_DEPTH),
  'more than the maximal depth': nest(MAX_SCHEMA_DEPTH + 200),
};

const METADATA: JsonObject = { description: 'its metadata', $ref: '#/definitions/Meta' };
/** The members that are added to every schema. */
const OPTIONS = {
  objectMembers: { apiVersion: STRING_SCHEMA, kind: STRING_SCHEMA, metadata: METADATA },
  embeddedMembers: { apiVersion: STRING_SCHEMA, kind: STRING_SCHEMA, metadata: { ...METADATA, description: 'another' } },
  extraMembers: { 'x-kubernetes-group-version-kind': [{ group: 'g', kind: 'K', version: 'v1' }], 'x-kubernetes-selectable-fields': [] },
};

/** The schemas of all versions of generated definitions. */
const LARGE_SCHEMAS = generateDefinitions(6).flatMap(({ text }): readonly JsonObject[] => {
  const definition = new JsonIndex(Buffer.from(text)).toJson(0);
  const versions = arrayAt(objectAt(isObject(definition) ? definition : {}, 'spec'), 'versions') ?? [];
  return versions.filter(isObject).map((version) => objectAt(objectAt(version, 'schema'), 'openAPIV3Schema') ?? {});
});

/** `encodeMembersAsJson` writes no braces around the members. */
const withoutBraces = (json: string): string => json.slice(1, -1);

/**
 * Writes a schema directly and by way of its value, and expects equal outputs: as the value of an entry of the document's
 * schemas in a message, and as JSON.
 */
function expectEqualBytes(version: 2 | 3, schema: JsonObject): void {
  const published = new PublishedSchema(new JsonIndex(Buffer.from(stringifyJson(schema, 'sorted'))), { version, ...OPTIONS });
  const value = schemaValue(published);
  const messages = OPENAPI_MESSAGES[`v${version}`];
  const [, { entries: schemaShape }] = SCHEMAS_FIELD[`v${version}`];
  const direct = new MessageBuffer();
  const fromValue = new MessageBuffer();
  new SchemaMessageWriter(messages, direct, published).root(ENTRY_VALUE, schemaShape);
  new MessageWriter(messages, fromValue).field(ENTRY_VALUE, schemaShape, value);
  expect(direct.finish().equals(fromValue.finish())).toBe(true);
  expect(Buffer.from(encodeMembersAsJson({ published }, new MessageBuffer())).toString()).toBe(
    withoutBraces(encodeJson({ published: value } satisfies JsonValue)),
  );
}

test.each(
  Object.entries(SCHEMAS_BY_TITLE).flatMap(([title, schema]) => ([2, 3] as const).map((version) => [title, version, schema] as const)),
)('SchemaMessageWriter writes the same bytes as MessageWriter for a schema with %s in v%i', (_title, version, schema) => {
  expectEqualBytes(version, schema);
});

test('encodeMembersAsJson writes integer keys by their value, other names by their bytes, and added properties last', () => {
  const schema = SCHEMAS_BY_TITLE['unsorted names, integer keys and names of Object.prototype'] ?? {};
  const published = new PublishedSchema(new JsonIndex(Buffer.from(stringifyJson(schema))), { version: 2, ...OPTIONS });
  const text = Buffer.from(encodeMembersAsJson({ published }, new MessageBuffer())).toString();
  const names = [...text.matchAll(/"([^"]*)":\{"type":"string"\}/g)].map(([, name]) => name);
  // Integers up to 2 ** 32 - 2 are integer keys, which come first as in a JavaScript object. `OPTIONS.objectMembers` are
  // added.
  const integerKeys = ['9', '10'];
  const namesByBytes = ['', '01', '4294967296', '<&>', '__proto__', 'a', 'b', 'constructor', 'é', '\ue000', '😀'];
  expect(names).toEqual([...integerKeys, ...namesByBytes, 'apiVersion', 'kind']);
});

test('SchemaMessageWriter writes the same bytes as MessageWriter for definitions of realistic size', () => {
  for (const schema of LARGE_SCHEMAS) {
    for (const version of [2, 3] as const) expectEqualBytes(version, schema);
  }
});
