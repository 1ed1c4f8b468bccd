/**
 * Compares the published schema of a definition that uses every schema field with that of release 1.31.1, without
 * descriptions.
 */
import { readRecording } from '../../../test/replay/recording';
import { body, shape, text } from '../../../test/replay/shape';
import { isObject, objectAt, type JsonObject, type JsonValue } from '../../../shared/values/json';
import { OPENAPI_NAME_PREFIX } from '../../../shared/names/dialect';
import { parseDefinition } from '../../../test/support/objects/parse-definition';
import { customSchemas } from './custom-schemas';
import { buildDocumentV2, buildDocumentV3 } from './documents';
import { PublishedSchema } from './published-schema';
import { schemaValue } from './schema-json';

const { head, cases } = readRecording('openapi/custom-schemas', shape({ spec: body }), shape({ version: text, v2: body, v3: body }));
const names = { plural: 'pubs', singular: 'pub', kind: 'Pub', listKind: 'PubList' };
const definition: JsonObject = JSON.parse(
  JSON.stringify({ metadata: { name: 'pubs.pub.example.com' }, spec: head.spec, status: { acceptedNames: names } }),
);
const { rows } = parseDefinition(definition);
const namePrefix = OPENAPI_NAME_PREFIX.kubernetes;

/** The recorded schemas have no descriptions of apiVersion, kind and metadata. */
function withoutOwnTexts(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutOwnTexts);
  if (!isObject(value)) return value;
  const isOwn = (text: JsonValue | undefined): boolean =>
    typeof text === 'string' && /^([Aa]piVersion|[Kk]ind|APIVersion|Standard object's) /.test(text);
  const entries = Object.entries(value).filter(([name, member]) => !(name === 'description' && isOwn(member)));
  return Object.fromEntries(entries.map(([name, member]) => [name, withoutOwnTexts(member)]));
}

describe.each(cases.map((published) => [published.version, published] as const))(
  'the schema of a custom resource of the version %s',
  (version, published) => {
    test.each([
      [2, published.v2],
      [3, published.v3],
    ] as const)('is published in OpenAPI v%i as recorded', (openApi, expected) => {
      const row = rows.find((candidate) => candidate.version === version);
      const schema = row === undefined ? undefined : customSchemas(row, { version: openApi, namePrefix })[`com.example.pub.${version}.Pub`];
      expect(schema instanceof PublishedSchema && withoutOwnTexts(schemaValue(schema))).toEqual(expected);
    });
  },
);

it('the OpenAPI documents contain a custom resource with its list, its paths and the schemas that these refer to', () => {
  const rowsOfVersion = rows.filter(({ version }) => version === 'v1');
  const [row] = rowsOfVersion;
  if (row === undefined) throw new Error('no row');
  const v3 = buildDocumentV3(rowsOfVersion, row, 'kubernetes');
  const schemas = objectAt(objectAt(v3, 'components'), 'schemas') ?? {};
  expect(Object.keys(schemas)).toEqual(
    expect.arrayContaining([
      'com.example.pub.v1.Pub',
      'com.example.pub.v1.PubList',
      `${namePrefix}.apimachinery.pkg.apis.meta.v1.ObjectMeta`,
    ]),
  );
  expect(schemas['com.example.pub.v1.PubList']).toMatchObject({
    required: ['items'],
    properties: { items: { type: 'array', items: { $ref: '#/components/schemas/com.example.pub.v1.Pub' } } },
    'x-kubernetes-group-version-kind': [{ group: 'pub.example.com', kind: 'PubList', version: 'v1' }],
  });
  const paths = objectAt(buildDocumentV2(rowsOfVersion, 'kubernetes'), 'paths') ?? {};
  const path = '/apis/pub.example.com/v1/namespaces/{namespace}/pubs';
  expect(Object.keys(paths).filter((name) => name.includes('pubs'))).toEqual([path, `${path}/{name}`, '/apis/pub.example.com/v1/pubs']);
  expect(objectAt(objectAt(paths, path), 'post')).toMatchObject({
    operationId: 'createPubExampleComV1NamespacedPub',
    consumes: ['application/json', 'application/yaml'],
    produces: ['application/json', 'application/yaml'],
  });
  expect(objectAt(objectAt(paths, `${path}/{name}`), 'patch')).toMatchObject({
    consumes: ['application/json-patch+json', 'application/merge-patch+json', 'application/apply-patch+yaml'],
  });
});
