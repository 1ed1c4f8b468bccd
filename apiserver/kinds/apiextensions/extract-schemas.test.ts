import { stringifyJson, type JsonObject } from '../../../shared/values/json';
import { restoreSchemas, extractSchemas } from './extract-schemas';

/** A schema with texts that look like the start or end of a schema, and a number that is not a double. */
/** A schema with texts that look like the start or end of a schema, and a number that is not a double. */
const TRICKY: JsonObject = {
  type: 'object',
  description: 'ends with \\ and "openAPIV3Schema":{ inside } ',
  properties: { openAPIV3Schema: { type: 'object', properties: { 'a"}\\': { type: 'string' } } }, big: { maximum: 9223372036854775000n } },
};

test('extractSchemas replaces the schemas of a CustomResourceDefinition by numbers, whatever text they contain', () => {
  const definition = (schemas: readonly (JsonObject | number | undefined)[]): JsonObject => ({
    metadata: { name: 'as.example.com', annotations: { openAPIV3Schema: '{"openAPIV3Schema":{' } },
    spec: {
      versions: schemas.map((schema, index) => ({
        name: `v${index}`,
        ...(schema === undefined ? {} : { schema: { openAPIV3Schema: schema } }),
      })),
    },
    status: {},
  });
  const { object, schemas } = extractSchemas(Buffer.from(stringifyJson(definition([TRICKY, undefined, {}, { type: 'object' }]))));
  expect(object).toEqual(definition([0, undefined, 1, 2]));
  expect(schemas.map(String)).toEqual([stringifyJson(TRICKY), '{}', '{"type":"object"}']);
});

describe('restoreSchemas', () => {
  // `$&` would be replaced if the schema were the replacement of a regular expression.
  const FIRST = '{"type":"object","description":"ü$&"}';
  const SECOND = '{}';
  const schemas = [Buffer.from(FIRST), Buffer.from(SECOND)];
  const version = (schema: string): string => `{"name":"v","schema":{"openAPIV3Schema":${schema}}}`;

  test('puts the schemas back into an encoded definition in their order', () => {
    expect(restoreSchemas(`[${version('{}')},${version('{}')}]`, schemas)).toBe(`[${version(FIRST)},${version(SECOND)}]`);
  });

  test('throws when the encoded definition has fewer schemas', () => {
    expect(() => restoreSchemas(`[${version('{}')}]`, schemas)).toThrow('schemas are missing from an outline');
  });
});
