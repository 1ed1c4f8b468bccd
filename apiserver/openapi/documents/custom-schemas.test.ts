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

describe('the OpenAPI documents of a custom resource', () => {
  const GROUP_VERSION = { group: 'pub.example.com', version: 'v1' };
  const COLLECTION_PATH = '/apis/pub.example.com/v1/namespaces/{namespace}/pubs';
  const rowsOfVersion = rows.filter(({ version }) => version === GROUP_VERSION.version);
  const v3 = buildDocumentV3(rowsOfVersion, GROUP_VERSION, 'kubernetes');
  const schemas = objectAt(objectAt(v3, 'components'), 'schemas') ?? {};
  const paths = objectAt(buildDocumentV2(rowsOfVersion, 'kubernetes'), 'paths') ?? {};

  it('contain its schema, that of its list, and those to which these refer', () => {
    expect(Object.keys(schemas)).toEqual(
      expect.arrayContaining([
        'com.example.pub.v1.Pub',
        'com.example.pub.v1.PubList',
        `${namePrefix}.apimachinery.pkg.apis.meta.v1.ObjectMeta`,
      ]),
    );
  });

  it('describe the items of its list by a reference to its schema', () => {
    expect(schemas['com.example.pub.v1.PubList']).toMatchObject({
      required: ['items'],
      properties: { items: { type: 'array', items: { $ref: '#/components/schemas/com.example.pub.v1.Pub' } } },
      'x-kubernetes-group-version-kind': [{ ...GROUP_VERSION, kind: 'PubList' }],
    });
  });

  it('contain its paths', () => {
    const pathsOfResource = Object.keys(paths).filter((name) => name.includes('pubs'));
    expect(pathsOfResource).toEqual([COLLECTION_PATH, `${COLLECTION_PATH}/{name}`, '/apis/pub.example.com/v1/pubs']);
  });

  it('offer it in JSON and YAML only', () => {
    expect(objectAt(objectAt(paths, COLLECTION_PATH), 'post')).toMatchObject({
      operationId: 'createPubExampleComV1NamespacedPub',
      consumes: ['application/json', 'application/yaml'],
      produces: ['application/json', 'application/yaml'],
    });
  });

  it('offer no strategic merge patch of it', () => {
    expect(objectAt(objectAt(paths, `${COLLECTION_PATH}/{name}`), 'patch')).toMatchObject({
      consumes: ['application/json-patch+json', 'application/merge-patch+json', 'application/apply-patch+yaml'],
    });
  });
});
