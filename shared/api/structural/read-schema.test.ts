import * as fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../values/json';
import { readSchema } from './read-schema';

describe('readSchema', () => {
  it('reads the types, constraints and extensions of a schema, its properties and its items', () => {
    const source: JsonObject = {
      type: 'object',
      required: ['list'],
      properties: {
        list: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: { type: 'object', properties: { name: { type: 'string', maxLength: 3, default: 'a' } } },
        },
        free: { 'x-kubernetes-preserve-unknown-fields': true, nullable: true },
        port: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
        labels: { type: 'object', additionalProperties: { type: 'string' } },
      },
      'x-kubernetes-validations': [{ rule: 'self.a', message: 'no', optionalOldSelf: true }],
    };
    const node = readSchema(source);
    expect(node.source).toBe(source);
    expect(node.required).toEqual(['list']);
    const list = node.properties.get('list');
    expect([list?.type, list?.listType, list?.listMapKeys]).toEqual(['array', 'map', ['name']]);
    const name = list?.items?.properties.get('name');
    expect([name?.type, name?.maxLength, name?.defaultValue]).toEqual(['string', 3, 'a']);
    const unrestricted = node.properties.get('free');
    expect([unrestricted?.type, unrestricted?.preservesUnknownFields, unrestricted?.nullable]).toEqual([undefined, true, true]);
    const port = node.properties.get('port');
    expect([port?.intOrString, port?.anyOf.map(({ type }) => type)]).toEqual([true, ['integer', 'string']]);
    const labels = node.properties.get('labels')?.additionalProperties;
    expect(typeof labels === 'object' && labels.type).toBe('string');
    expect(node.rules).toEqual([
      { rule: 'self.a', message: 'no', messageExpression: '', reason: undefined, fieldPath: '', optionalOldSelf: true },
    ]);
  });

  it('does not throw, whatever the schema', () => {
    const members = fc.constantFrom('type', 'properties', 'items', 'additionalProperties', 'allOf', 'not', 'enum', 'required', 'default');
    const { schema } = fc.letrec<{ schema: JsonObject; value: JsonValue }>((tie) => ({
      schema: fc.dictionary(members, tie('value'), { maxKeys: 3 }),
      value: fc.oneof({ maxDepth: 4 }, fc.constantFrom(null, 1, 'object', true), tie('schema'), fc.array(tie('schema'), { maxLength: 2 })),
    }));
    fc.assert(fc.property(schema, (source) => readSchema(source).source === source));
  });

  it('preserves unknown fields below a depth of 500 instead of descending further', () => {
    let source: JsonObject = { type: 'string' };
    for (let i = 0; i < 4000; i += 1)
      source = i % 2 === 0 ? { type: 'array', items: source } : { type: 'object', allOf: [{ items: source }] };
    expect(readSchema(source).allOf).toHaveLength(1);
    for (let i = 0; i < 4000; i += 1) source = { type: 'array', items: source };
    let depth = 0;
    for (let node = readSchema(source).items; node !== undefined; node = node.items) {
      depth += 1;
      if (depth < 500) expect(node.type).toBe('array');
      else expect(node.preservesUnknownFields).toBe(true);
    }
    expect(depth).toBe(500);
  });
});
