/**
 * The contents of the OpenAPI documents of all served kinds: references, operations, and names in both spellings. Single
 * schemas and operations are compared with recordings in documents/.
 */
import { SERVED_KINDS } from '../../shared/api/kinds';
import { isObject, objectAt, stringAt, type JsonObject, type JsonValue } from '../../shared/values/json';
import { CORE_DOCUMENT, createDocuments, getDocument, OPENID_DOCUMENTS, readDocument } from '../../test/support/openapi/document-requests';

const LEASES_DOCUMENT = '/openapi/v3/apis/coordination.platform.io/v1';
const openApi = createDocuments();

/** Every `$ref` in a document. */
function references(value: JsonValue): string[] {
  if (Array.isArray(value)) return value.flatMap(references);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([member, item]) => {
    const isReference = member === '$ref' && typeof item === 'string';
    return isReference ? [item] : references(item);
  });
}

/** The paths of a document, or the names in the index. */
function pathsOf(document: JsonObject): string[] {
  return Object.keys(objectAt(document, 'paths') ?? {});
}

/** Every operation of a document. */
function operations(document: JsonObject): JsonObject[] {
  const paths = Object.values(objectAt(document, 'paths') ?? {}).filter((item) => isObject(item));
  return paths.flatMap((item) => ['get', 'put', 'post', 'delete', 'patch'].map((method) => item[method])).filter((item) => isObject(item));
}

describe('OpenAPI documents', () => {
  test.each(['/openapi/v2', CORE_DOCUMENT, LEASES_DOCUMENT])('refer in %s only to its own definitions', async (path) => {
    const document = await readDocument(openApi, path);
    const definitions = objectAt(document, 'definitions') ?? objectAt(objectAt(document, 'components'), 'schemas') ?? {};
    const referredNames = new Set(references(document).map((reference) => reference.slice(reference.lastIndexOf('/') + 1)));
    expect([...referredNames].filter((name) => !Object.hasOwn(definitions, name))).toEqual([]);
  });

  test.each([
    ['/openapi/v2', 'twice, for the two spellings of paths', 2],
    [CORE_DOCUMENT, 'once', 1],
    [LEASES_DOCUMENT, 'once', 1],
  ])('have in %s an operation id at most %s', async (path, _times, spellings) => {
    const document = await readDocument(openApi, path);
    const ids = operations(document).map((operation) => stringAt(operation, 'operationId') ?? '');
    expect(ids.length).toBeGreaterThan(5);
    for (const id of new Set(ids)) expect(ids.filter((other) => other === id).length).toBeLessThanOrEqual(spellings);
  });

  test('have an operation for every served verb of every kind', async () => {
    const documentNames = new Set(SERVED_KINDS.map(({ group, version }) => (group === '' ? `api/${version}` : `apis/${group}/${version}`)));
    const documents = await Promise.all([...documentNames].map((name) => readDocument(openApi, `/openapi/v3/${name}`)));
    /** By kind. */
    const actions = new Map<string, Set<string>>();
    for (const operation of documents.flatMap(operations)) {
      const kind = stringAt(objectAt(operation, 'x-kubernetes-group-version-kind'), 'kind') ?? '';
      actions.set(kind, (actions.get(kind) ?? new Set()).add(stringAt(operation, 'x-kubernetes-action') ?? ''));
    }
    // The verbs with actions of other names.
    const actionsOfVerb: Readonly<Record<string, readonly string[]>> = { create: ['post'], update: ['put'], watch: ['watch', 'watchlist'] };
    for (const { kind, verbs } of SERVED_KINDS) {
      const expected = verbs.flatMap((verb) => actionsOfVerb[verb] ?? [verb]);
      expect({ kind, actions: [...(actions.get(kind) ?? [])].sort() }).toEqual({ kind, actions: expected.sort() });
    }
  });

  /** kubectl checks for this parameter before it relies on server-side field validation. */
  test('list the parameter fieldValidation for patches', async () => {
    const paths = objectAt(await readDocument(openApi, CORE_DOCUMENT), 'paths');
    const patch = objectAt(objectAt(paths, '/api/v1/namespaces/{namespace}/configmaps/{name}'), 'patch');
    expect(patch?.['parameters']).toEqual(expect.arrayContaining([expect.objectContaining({ name: 'fieldValidation', in: 'query' })]));
    expect(patch?.['x-kubernetes-group-version-kind']).toEqual({ group: '', version: 'v1', kind: 'ConfigMap' });
    expect(Object.keys(objectAt(objectAt(patch, 'requestBody'), 'content') ?? {})).toEqual([
      'application/apply-patch+yaml',
      'application/json-patch+json',
      'application/merge-patch+json',
      'application/strategic-merge-patch+json',
    ]);
  });

  /** Upstream's kubectl tests recognize lists and watches in v2 by these words. */
  test.each(['list of returned', 'Watch for changes to the described resources'])(
    'contain the words "%s" in the descriptions of parameters',
    async (words) => {
      expect((await getDocument(openApi, '/openapi/v2')).body.includes(words)).toBe(true);
    },
  );

  test('have the operation ids of upstream', async () => {
    const ids = operations(await readDocument(openApi, CORE_DOCUMENT)).map((operation) => operation['operationId']);
    for (const id of [
      'listCoreV1NamespacedPod',
      'listCoreV1PodForAllNamespaces',
      'createCoreV1NamespacedPod',
      'deleteCoreV1CollectionNamespacedPod',
      'readCoreV1NamespacedPod',
      'replaceCoreV1NamespacedPodStatus',
      'patchCoreV1Node',
      'replaceCoreV1NamespaceFinalize',
    ]) {
      expect(ids).toContain(id);
    }
  });

  test('spell names in the dialect of their path', async () => {
    const platform = await readDocument(openApi, LEASES_DOCUMENT);
    const kubernetes = await readDocument(openApi, '/openapi/v3/apis/coordination.k8s.io/v1');
    const schemaNames = (document: JsonObject): string[] => Object.keys(objectAt(objectAt(document, 'components'), 'schemas') ?? {});
    expect(schemaNames(platform)).toContain('io.platform.api.coordination.v1.Lease');
    expect(schemaNames(kubernetes)).toContain('io.k8s.api.coordination.v1.Lease');
    expect(pathsOf(kubernetes)).toContain('/apis/coordination.k8s.io/v1/leases');
  });

  test('contain kinds and paths in both spellings in v2', async () => {
    const document = await readDocument(openApi, '/openapi/v2');
    expect(pathsOf(document)).toEqual(
      expect.arrayContaining(['/api/v1/pods', '/apis/coordination.k8s.io/v1/leases', '/apis/coordination.platform.io/v1/leases']),
    );
    const lease = objectAt(objectAt(document, 'definitions'), 'io.platform.api.coordination.v1.Lease');
    expect(lease?.['x-kubernetes-group-version-kind']).toEqual([
      { group: 'coordination.platform.io', kind: 'Lease', version: 'v1' },
      { group: 'coordination.k8s.io', kind: 'Lease', version: 'v1' },
    ]);
  });

  test('list DeleteOptions as a kind of every group version', async () => {
    const schemas = objectAt(objectAt(await readDocument(openApi, LEASES_DOCUMENT), 'components'), 'schemas');
    const options = objectAt(schemas, 'io.platform.apimachinery.pkg.apis.meta.v1.DeleteOptions');
    expect(options?.['x-kubernetes-group-version-kind']).toEqual(
      expect.arrayContaining([
        { group: '', kind: 'DeleteOptions', version: 'v1' },
        { group: 'apps', kind: 'DeleteOptions', version: 'v1' },
        { group: 'coordination.platform.io', kind: 'DeleteOptions', version: 'v1' },
      ]),
    );
  });
});

describe('OpenAPI paths of the OpenID discovery documents', () => {
  test.each(OPENID_DOCUMENTS)('contain %s in v2 and v3 when it is served', async (name) => {
    const path = `/${name}/`;
    expect(pathsOf(await readDocument(openApi, `/openapi/v3/${name}`))).toEqual([path]);
    const pathsV2 = objectAt(await readDocument(openApi, '/openapi/v2'), 'paths');
    expect(objectAt(pathsV2, path)).toHaveProperty('get.responses.200.schema', { type: 'string' });
    for (const version of ['v2', `v3/${name}`]) {
      const accept = `application/com.github.proto-openapi.spec.${version.slice(0, 2)}@v1.0+protobuf`;
      expect((await getDocument(openApi, `/openapi/${version}`, { accept })).body.includes(path)).toBe(true);
    }
  });

  test('are absent when the documents are not served', async () => {
    const without = createDocuments({ servesOpenId: false });
    for (const path of ['/openapi/v3', '/openapi/v2']) {
      const names = pathsOf(await readDocument(without, path));
      expect(names.filter((name) => name.includes('openid'))).toEqual([]);
    }
    for (const name of OPENID_DOCUMENTS) expect((await getDocument(without, `/openapi/v3/${name}`)).status).toBe(404);
  });

  test('change the hash of the v2 document', async () => {
    const etags = [openApi, createDocuments({ servesOpenId: false })].map(
      async (documents) => (await getDocument(documents, '/openapi/v2')).headers['etag'],
    );
    const [withPaths, withoutPaths] = await Promise.all(etags);
    expect(withoutPaths).not.toBe(withPaths);
  });
});
