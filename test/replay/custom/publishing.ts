/** What the documents say of a schema. */
import { FREE, INTEGER, list, map, object, STRING, type Topic } from './cases';
import type { Body } from '../reference';

const EMBEDDED: Body = { 'x-kubernetes-embedded-resource': true };
const EITHER: Body = { 'x-kubernetes-int-or-string': true };

const published = (schema: Body): { schema: Body; documents: true } => ({ schema, documents: true });

export const publishing: Topic = {
  members: published(
    object(
      {
        spec: object(
          {
            text: {
              type: 'string',
              description: 'A text.',
              title: 'T',
              minLength: 1,
              maxLength: 5,
              pattern: '^a',
              enum: ['a', 'b'],
              default: 'a',
            },
            integer: { type: 'integer', format: 'int32', minimum: 1, maximum: 5, exclusiveMinimum: true, multipleOf: 2, default: 4 },
            number: { type: 'number', maximum: 1.5, exclusiveMaximum: true, enum: [1, 2.5] },
            flag: { type: 'boolean', default: false },
            nullable: { type: 'string', nullable: true, description: 'Maybe.' },
            nullableObject: object({ a: STRING }, { nullable: true, required: ['a'], maxProperties: 3 }),
            nullableItems: list({ type: 'string', nullable: true }, { minItems: 1, maxItems: 2 }),
            nullableMap: map({ type: 'string', nullable: true }),
            nullableList: list(STRING, { nullable: true, 'x-kubernetes-list-type': 'atomic' }),
            either: { ...EITHER, description: 'Port.' },
            either2: { ...EITHER, anyOf: [INTEGER, STRING] },
            either3: { ...EITHER, allOf: [{ anyOf: [INTEGER, STRING] }, { anyOf: [{ pattern: '^a' }, { minimum: 4 }] }] },
            eitherPattern: { ...EITHER, pattern: '^a', maximum: 3 },
            free: { type: 'object', ...FREE, description: 'Free.' },
            freeMembers: object({ a: STRING }, { ...FREE, required: ['a'] }),
            any: { ...FREE, description: 'Any.' },
            anyMembers: { ...FREE, properties: { a: STRING } },
            freeItems: list({ type: 'object', ...FREE }),
            freeList: list(STRING, FREE),
            bare: { type: 'object' },
            map: map(INTEGER),
            objectMap: map(object({ a: STRING }, { required: ['a'] }), {
              minProperties: 1,
              maxProperties: 2,
              'x-kubernetes-map-type': 'granular',
            }),
            openMap: { type: 'object', additionalProperties: true },
            closed: { type: 'object', additionalProperties: false },
            atomic: object({ a: STRING }, { 'x-kubernetes-map-type': 'atomic' }),
            set: list(STRING, { 'x-kubernetes-list-type': 'set' }),
            keyed: list(object({ k: STRING, p: { type: 'integer', default: 1 } }, { required: ['k'] }), {
              'x-kubernetes-list-type': 'map',
              'x-kubernetes-list-map-keys': ['k', 'p'],
            }),
            alternatives: object(
              { a: STRING, b: STRING },
              {
                oneOf: [{ required: ['a'] }, { required: ['b'] }],
                anyOf: [{ properties: { a: { minLength: 2 } } }],
                allOf: [{ minProperties: 1 }],
                not: { required: ['c'] },
              },
            ),
            rules: object(
              { a: INTEGER },
              {
                'x-kubernetes-validations': [
                  { rule: 'self.a > 1', message: 'm', reason: 'FieldValueInvalid', fieldPath: '.a' },
                  { rule: 'true', messageExpression: "'x'" },
                ],
              },
            ),
            embedded: object({ spec: object({ a: STRING }) }, { ...EMBEDDED, required: ['spec'], description: 'Inner.' }),
            embeddedFree: { type: 'object', ...FREE, ...EMBEDDED },
            embeddedItems: list({ type: 'object', ...FREE, ...EMBEDDED }),
            embeddedNullable: { type: 'object', ...FREE, ...EMBEDDED, nullable: true },
            objectDefault: object({ a: STRING }, { default: { a: 'x' } }),
            time: { type: 'string', format: 'date-time' },
            id: { type: 'string', format: 'uuid' },
            docs: { type: 'string', externalDocs: { url: 'http://a', description: 'd' }, example: 'x' },
          },
          { required: ['text'], description: 'The spec.' },
        ),
        status: object({ a: STRING }),
        metadata: object({ name: { type: 'string', pattern: '^a' } }),
      },
      { description: 'The thing.', required: ['spec'] },
    ),
  ),
  free: published({ type: 'object', ...FREE, description: 'Free.' }),
  freeMembers: published(object({ spec: object({ a: STRING }) }, { ...FREE, required: ['spec'] })),
  bare: published({ type: 'object', description: 'Bare.' }),
  withTypeMeta: published(
    object({
      apiVersion: { type: 'string', description: 'V.' },
      kind: { type: 'string', maxLength: 9 },
      metadata: { type: 'object' },
      spec: STRING,
    }),
  ),
  alternatives: published(
    object(
      { spec: STRING, other: STRING },
      {
        anyOf: [{ required: ['spec'] }, { required: ['other'] }],
        'x-kubernetes-validations': [{ rule: 'has(self.spec)' }],
        minProperties: 3,
      },
    ),
  ),
};
