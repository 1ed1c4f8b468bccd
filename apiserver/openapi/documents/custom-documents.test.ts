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

/** The definition as the store has it. */
function established({ spec, metadata }: JsonObject): JsonObject {
  const given = objectAt({ spec: spec ?? {} }, 'spec') ?? {};
  const names = objectAt(given, 'names') ?? {};
  const group = canonicalGroup(stringAt(given, 'group') ?? '');
  const kind = stringAt(names, 'kind') ?? '';
  const acceptedNames = { ...names, singular: kind.toLowerCase(), listKind: `${kind}List` };
  return { metadata: metadata ?? {}, spec: { ...given, group }, status: { acceptedNames } };
}

const rows: readonly KindRow[] = head.definitions.flatMap((definition) => parseDefinition(established(definition)).rows);
const v2 = buildDocumentV2(rows, 'kubernetes');

describe.each(recorded.map((of) => [of.name, of] as const))('the OpenAPI documents of %s', (name, of) => {
  const [, group = '', version = ''] = name.split('/');
  const v3 = buildDocumentV3(rows, { group: canonicalGroup(group), version }, 'kubernetes');

  test('describe its operations in v2 as recorded', () => {
    expect(operationsIn(v2, name)).toEqual(of.v2);
  });

  test('describe its operations in v3 as recorded', () => {
    expect(operationsIn(v3, name)).toEqual(of.v3);
  });

  test('describe its schemas with the recorded beginnings of their descriptions', () => {
    const schemas = objectAt(objectAt(v3, 'components'), 'schemas') ?? {};
    const own = Object.keys(of.schemas).map((type) => [type, withShortDescriptions(schemas[type] ?? null)]);
    expect(Object.fromEntries(own)).toEqual(of.schemas);
  });
});
