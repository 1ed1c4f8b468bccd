/**
 * Compares the OpenAPI documents of custom resources with those of release 1.31.1 for the same definitions
 * (openapi/custom-operations).
 */
import { readRecording } from '../../../test/replay/recording';
import { body, listOf, shape, text } from '../../../test/replay/shape';
import { parseDefinition } from '../../../test/support/objects/parse-definition';
import { operationsIn, withShortDescriptions } from '../../../test/replay/formats/openapi-operations';
import { canonicalGroup } from '../../../shared/names/dialect';
import { objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import type { KindRow } from '../../../shared/api/kinds';
import { buildDocumentV2, buildDocumentV3 } from './documents';

const { head, cases: recorded } = readRecording(
  'openapi/custom-operations',
  shape({ format: text, definitions: listOf(body) }),
  shape({ name: text, v2: body, v3: body, schemas: body }),
);

/** The recorded definition as the store has it once its names are accepted: group in canonical spelling, names complete. */
function storedDefinition({ spec, metadata }: JsonObject): JsonObject {
  const recordedSpec = objectAt({ spec: spec ?? {} }, 'spec') ?? {};
  const names = objectAt(recordedSpec, 'names') ?? {};
  const group = canonicalGroup(stringAt(recordedSpec, 'group') ?? '');
  const kind = stringAt(names, 'kind') ?? '';
  const acceptedNames = { ...names, singular: kind.toLowerCase(), listKind: `${kind}List` };
  return { metadata: metadata ?? {}, spec: { ...recordedSpec, group }, status: { acceptedNames } };
}

const rows: readonly KindRow[] = head.definitions.flatMap((definition) => parseDefinition(storedDefinition(definition)).rows);
const v2 = buildDocumentV2(rows, 'kubernetes');

describe.each(recorded.map((kind) => [kind.name, kind] as const))('the OpenAPI documents of %s', (name, expected) => {
  const [, group = '', version = ''] = name.split('/');
  const v3 = buildDocumentV3(rows, { group: canonicalGroup(group), version }, 'kubernetes');

  test('describe its operations in v2 as recorded', () => {
    expect(operationsIn(v2, name)).toEqual(expected.v2);
  });

  test('describe its operations in v3 as recorded', () => {
    expect(operationsIn(v3, name)).toEqual(expected.v3);
  });

  test('describe its schemas with the recorded beginnings of their descriptions', () => {
    const schemas = objectAt(objectAt(v3, 'components'), 'schemas') ?? {};
    const described = Object.keys(expected.schemas).map((type) => [type, withShortDescriptions(schemas[type] ?? null)]);
    expect(Object.fromEntries(described)).toEqual(expected.schemas);
  });
});
