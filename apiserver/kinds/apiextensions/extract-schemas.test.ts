import { stringifyJson, type JsonObject } from '../../../shared/values/json';
import { restoreSchemas, extractSchemas } from './extract-schemas';

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

test('restoreSchemas puts the schemas back into an encoded definition in their order', () => {
  const texts = ['{"type":"object","description":"ü$&"}', '{}'].map((text) => Buffer.from(text));
  const version = (schema: string): string => `{"name":"v","schema":{"openAPIV3Schema":${schema}}}`;
  expect(restoreSchemas(`[${version('{}')},${version('{}')}]`, texts)).toBe(`[${version(String(texts[0]))},${version('{}')}]`);
  expect(() => restoreSchemas(`[${version('{}')}]`, texts)).toThrow('schemas are missing from an outline');
});
