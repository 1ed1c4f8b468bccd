/** Every object that a client sends is either stored or rejected with a 4xx Status. */
import fc from 'fast-check';
import { schemaOf, type FieldType } from '../../../shared/api/types';
import type { Scalar } from '../../../shared/api/types/types';
import type { JsonObject, JsonValue } from '../../../shared/values/json';
import { StatusError } from '../../../shared/api/errors/status';
import { openWriteFixture } from '../../../test/support/store/write-fixture';
import { buildResources } from '../resources';
import { propertyRuns } from '../../../test/support/property-runs';
import { anyCharacter } from '../../../test/support/any-character';

const rows = buildResources().builtInResources.map(({ row }) => row);

const text = fc.oneof(
  fc.constantFrom(
    '',
    '_',
    'a',
    'A.b',
    '..',
    '/',
    'a/b/c',
    'None',
    '1.2.3.4',
    '10.0.0.0/8',
    '::',
    'x'.repeat(300),
    '__proto__',
    'toString',
    '\u0000',
  ),
  fc.string({ unit: anyCharacter, maxLength: 6 }),
);
const integer = fc.constantFrom(0, -1, 1, 80, 65_536, 2_147_483_647);

const SCALARS: Readonly<Record<Scalar, fc.Arbitrary<JsonValue>>> = {
  bool: fc.boolean(),
  int32: integer,
  int64: integer,
  uint32: fc.constantFrom(0, 1),
  float64: fc.constantFrom(0, 1.5),
  string: text,
  bytes: text.map((plain) => Buffer.from(plain).toString('base64')),
  time: fc.constantFrom('2024-01-01T00:00:00Z', null),
  microTime: fc.constantFrom('2024-01-01T00:00:00.000000Z', null),
  duration: fc.constantFrom('1s', null),
  quantity: fc.constantFrom('0', '1', '-1', '1.5Gi', '100m', '1e3'),
  intOrString: fc.oneof(text, integer),
  raw: fc.constant({}),
  json: fc.constantFrom<JsonValue>(null, 0, '', [], { a: { b: [null] } }),
  fields: fc.constant({}),
  strings: fc.array(text, { maxLength: 2 }),
};

const EITHERS: Readonly<Record<Extract<FieldType, { kind: 'either' }>['or'], fc.Arbitrary<JsonValue>>> = {
  bool: fc.boolean(),
  list: fc.constantFrom<JsonValue>([], [{}]),
  strings: fc.array(text, { maxLength: 2 }),
};

/** An arbitrary value of a type; objects more than `depth` levels deep are empty. */
function valueOf(type: FieldType, depth: number): fc.Arbitrary<JsonValue> {
  switch (type.kind) {
    case 'scalar':
      return SCALARS[type.scalar];
    case 'list':
      return fc.array(valueOf(type.element, depth), { maxLength: 2 });
    case 'map':
      return fc.dictionary(text, valueOf(type.element, depth), { maxKeys: 2 });
    case 'either':
      return fc.oneof(EITHERS[type.or], valueOf({ kind: 'object', type: type.object }, depth));
    case 'object':
      return depth === 0 ? fc.constant({}) : objectOf(type.type, depth - 1);
  }
}

function objectOf(type: string, depth: number): fc.Arbitrary<JsonObject> {
  const members = schemaOf(type).fields.map((field): [string, fc.Arbitrary<JsonValue>] => [
    field.name,
    // Mostly of the right type, so that most objects get beyond decoding.
    fc.oneof({ weight: 200, arbitrary: valueOf(field.type, depth) }, fc.constant(null), text),
  ]);
  return fc.record<JsonObject>(Object.fromEntries(members), { requiredKeys: [] });
}

async function expectNoServerError(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof StatusError) || error.code < 400 || error.code >= 500) throw error;
  }
}

it.each(rows.map((row) => [row.resource, row] as const))('writes of arbitrary %s succeed or fail with a 4xx', async (resource, row) => {
  const fixture = await openWriteFixture();
  const anything = objectOf(row.type, 4);
  await fc.assert(
    fc.asyncProperty(anything, anything, async (body, other) => {
      await expectNoServerError(fixture.create(resource, body));
      const named = { ...body, metadata: { ...Object(body['metadata']), name: 'a', namespace: row.namespaced ? 'ns' : '' } };
      await expectNoServerError(fixture.create(resource, named));
      await expectNoServerError(fixture.update(resource, 'a', { ...named, ...other, metadata: { name: 'a' } }));
      await expectNoServerError(fixture.patch(resource, 'a', 'merge', JSON.stringify(other)));
      await expectNoServerError(
        fixture.patch(resource, 'a', 'json', JSON.stringify([{ op: 'replace', path: '/spec', value: other['spec'] ?? null }])),
      );
      if (row.subresources?.some(({ name }) => name === 'status') === true) {
        await expectNoServerError(fixture.patch(resource, 'a', 'merge', JSON.stringify(other), { subresource: 'status' }));
      }
      await expectNoServerError(fixture.remove(resource, 'a', { gracePeriodSeconds: 1 }));
    }),
    propertyRuns(12),
  );
});
