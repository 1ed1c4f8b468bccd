import * as fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../values/json';
import { readSchema } from './read-schema';
import type { SchemaNode } from './schema-node';

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
    expect(list).toMatchObject({ type: 'array', listType: 'map', listMapKeys: ['name'] });
    expect(list?.items?.properties.get('name')).toMatchObject({ type: 'string', maxLength: 3, defaultValue: 'a' });
    expect(node.properties.get('free')).toMatchObject({ type: undefined, preservesUnknownFields: true, nullable: true });
    expect(node.properties.get('port')).toMatchObject({ intOrString: true, anyOf: [{ type: 'integer' }, { type: 'string' }] });
    expect(node.properties.get('labels')).toMatchObject({ additionalProperties: { type: 'string' } });
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
    for (let depth = 0; depth < 4000; depth += 1) source = { type: 'array', items: source };
    const levels: SchemaNode[] = [];
    for (let node: SchemaNode | undefined = readSchema(source); node !== undefined; node = node.items) levels.push(node);
    expect(levels).toHaveLength(500 + 1);
    expect(levels.at(499)?.type).toBe('array');
    expect(levels.at(500)).toMatchObject({ type: undefined, preservesUnknownFields: true });
  });

  it('reads a schema with alternatives that are nested thousands of levels deep', () => {
    let source: JsonObject = { type: 'string' };
    for (let depth = 0; depth < 2000; depth += 1) source = { type: 'object', allOf: [{ items: { type: 'array', items: source } }] };
    expect(readSchema(source).allOf).toHaveLength(1);
  });
});
