import { isObject, objectAt, stringAt, type JsonObject, type JsonValue } from '../../shared/values/json';
import { SERVED_KINDS, type KindRow } from '../../shared/api/kinds';
import { groupIn } from '../../shared/names/dialect';
import { ManualClock } from '../../test/support/manual-clock';
import type { OpenApiAnswer, OpenApiDocuments, OpenApiRequest } from './openapi-document';
import { createOpenApi } from './openapi';

const clock = new ManualClock();
const openApi = createOpenApi({ rows: () => SERVED_KINDS, naming: 'platform', clock });

function get(path: string, more: Partial<OpenApiRequest> = {}, from: OpenApiDocuments = openApi): OpenApiAnswer {
  const answer = from.handle({ path, query: '', accept: undefined, ifNoneMatch: undefined, ...more });
  if (answer === undefined) throw new Error(`${path} is not served`);
  return answer;
}

function json(path: string, from: OpenApiDocuments = openApi): JsonObject {
  const value: JsonValue = JSON.parse(get(path, {}, from).body.toString());
  if (!isObject(value)) throw new Error('not an object');
  return value;
}

/** Every `$ref` in a document. */
function references(value: JsonValue): string[] {
  if (Array.isArray(value)) return value.flatMap(references);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([member, item]) => (member === '$ref' && typeof item === 'string' ? [item] : references(item)));
}

function operations(document: JsonObject): JsonObject[] {
  const paths = Object.values(objectAt(document, 'paths') ?? {}).filter((item) => isObject(item));
  return paths.flatMap((item) => ['get', 'put', 'post', 'delete', 'patch'].map((method) => item[method])).filter((item) => isObject(item));
}

const CORE = '/openapi/v3/api/v1';
const LEASES = '/openapi/v3/apis/coordination.platform.io/v1';

describe('documents', () => {
  test.each(['/openapi/v2', CORE, LEASES])('%s refers only to what it defines, and names every operation once', (path) => {
    const document = json(path);
    const definitions = objectAt(document, 'definitions') ?? objectAt(objectAt(document, 'components'), 'schemas') ?? {};
    const wanted = new Set(references(document).map((reference) => reference.slice(reference.lastIndexOf('/') + 1)));
    expect([...wanted].filter((name) => !Object.hasOwn(definitions, name))).toEqual([]);
    const ids = operations(document).map((operation) => stringAt(operation, 'operationId') ?? '');
    const spellings = path === '/openapi/v2' ? 2 : 1;
    expect(ids.length).toBeGreaterThan(5);
    for (const id of new Set(ids)) expect(ids.filter((other) => other === id).length).toBeLessThanOrEqual(spellings);
  });

  test('every verb that is served is an operation of its kind', () => {
    const actions = new Map<string, Set<string>>();
    const places = new Set(SERVED_KINDS.map(({ group, version }) => (group === '' ? `api/${version}` : `apis/${group}/${version}`)));
    for (const operation of [...places].flatMap((place) => operations(json(`/openapi/v3/${place}`)))) {
      const kind = stringAt(objectAt(operation, 'x-kubernetes-group-version-kind'), 'kind') ?? '';
      actions.set(kind, (actions.get(kind) ?? new Set()).add(stringAt(operation, 'x-kubernetes-action') ?? ''));
    }
    const names: Readonly<Record<string, readonly string[]>> = { create: ['post'], update: ['put'], watch: ['watch', 'watchlist'] };
    for (const row of SERVED_KINDS) {
      const expected = row.verbs.flatMap((verb) => names[verb] ?? [verb]);
      expect([row.kind, [...(actions.get(row.kind) ?? [])].sort()]).toEqual([row.kind, expected.sort()]);
    }
  });

  /** kubectl looks for this before it leaves the check of fields to the server. */
  test('patches take fieldValidation', () => {
    const paths = objectAt(json(CORE), 'paths');
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

  test('operations are named as upstream names them', () => {
    const ids = operations(json(CORE)).map((operation) => operation['operationId']);
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

  test('the spelling of names follows the path', () => {
    const names = (path: string): string[] => Object.keys(objectAt(objectAt(json(path), 'components'), 'schemas') ?? {});
    expect(names(LEASES)).toContain('io.platform.api.coordination.v1.Lease');
    expect(names('/openapi/v3/apis/coordination.k8s.io/v1')).toContain('io.k8s.api.coordination.v1.Lease');
    expect(Object.keys(objectAt(json('/openapi/v3/apis/coordination.k8s.io/v1'), 'paths') ?? {})).toContain(
      '/apis/coordination.k8s.io/v1/leases',
    );
  });

  test('version 2 knows kinds and paths in both spellings', () => {
    const document = json('/openapi/v2');
    expect(Object.keys(objectAt(document, 'paths') ?? {})).toEqual(
      expect.arrayContaining(['/api/v1/pods', '/apis/coordination.k8s.io/v1/leases', '/apis/coordination.platform.io/v1/leases']),
    );
    expect(
      objectAt(objectAt(document, 'definitions'), 'io.platform.api.coordination.v1.Lease')?.['x-kubernetes-group-version-kind'],
    ).toEqual([
      { group: 'coordination.platform.io', kind: 'Lease', version: 'v1' },
      { group: 'coordination.k8s.io', kind: 'Lease', version: 'v1' },
    ]);
  });

  test('options are a kind of every group version', () => {
    const schemas = objectAt(objectAt(json(LEASES), 'components'), 'schemas');
    expect(objectAt(schemas, 'io.platform.apimachinery.pkg.apis.meta.v1.DeleteOptions')?.['x-kubernetes-group-version-kind']).toEqual(
      expect.arrayContaining([
        { group: '', kind: 'DeleteOptions', version: 'v1' },
        { group: 'apps', kind: 'DeleteOptions', version: 'v1' },
        { group: 'coordination.platform.io', kind: 'DeleteOptions', version: 'v1' },
      ]),
    );
  });
});

describe('/openapi/v3', () => {
  test('is an index with hashes that lead to documents which never change', () => {
    const { headers, body } = get('/openapi/v3');
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    const paths: JsonValue = JSON.parse(body.toString());
    if (!isObject(paths)) throw new Error('not an object');
    const entries = objectAt(paths, 'paths') ?? {};
    expect(Object.keys(entries)).toEqual(expect.arrayContaining(['api/v1', 'apis/apps/v1', 'apis/coordination.k8s.io/v1']));
    const spellings = SERVED_KINDS.flatMap(({ group, version }) =>
      group === '' ? [`api/${version}`] : [group, groupIn('kubernetes', group)].map((name) => `apis/${name}/${version}`),
    );
    expect(Object.keys(entries)).toEqual([...new Set(spellings)].sort());
    for (const [name, entry] of Object.entries(entries)) {
      const url = (isObject(entry) ? stringAt(entry, 'serverRelativeURL') : undefined) ?? '';
      const [path = '', query = ''] = url.split('?');
      expect([path, query]).toEqual([`/openapi/v3/${name}`, expect.stringMatching(/^hash=[0-9A-F]{128}$/)]);
      const answer = get(path, { query });
      expect(answer.status).toBe(200);
      expect(answer.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'public, immutable', vary: 'Accept' });
      expect(answer.headers['etag']).toBe(`"${query.slice('hash='.length)}"`);
      expect(answer.headers['expires']).toBe(new Date(clock.now() + 365 * 86_400_000).toUTCString());
    }
  });

  test('another hash leads to the present document, no hash to an answer that is not cached', () => {
    const plain = get(CORE);
    expect(plain.headers['cache-control']).toBe('no-cache, private');
    const moved = get(CORE, { query: 'hash=x&timeout=32s' });
    expect([moved.status, moved.body.length]).toEqual([301, 0]);
    expect(moved.headers['location']).toBe(`${CORE}?hash=${String(plain.headers['etag']).replaceAll('"', '')}`);
  });

  test('an ETag that is known is answered without the document', () => {
    const etag = String(get(CORE).headers['etag']);
    expect(get(CORE, { ifNoneMatch: etag })).toMatchObject({ status: 304, body: Buffer.alloc(0) });
    expect(get(CORE, { ifNoneMatch: '"x"' }).status).toBe(200);
  });

  test.each(['/openapi/v3/', '/openapi/v3/nope', '/openapi/v3/apis/coordination.platform.io/v9', '/openapi/v3/api/v1/'])(
    '%s is 404, empty',
    (path) => {
      expect(get(path)).toMatchObject({ status: 404, body: Buffer.alloc(0) });
    },
  );

  test('other paths are left to the router', () => {
    for (const path of ['/openapi', '/openapi/v2/', '/openapi/v4']) {
      expect(openApi.handle({ path, query: '', accept: undefined, ifNoneMatch: undefined })).toBeUndefined();
    }
  });
});

describe('negotiation', () => {
  test.each([undefined, '', '*/*', 'application/json', 'text/html, application/json;q=0.5', 'application/*'])('%p is JSON', (accept) => {
    for (const path of ['/openapi/v2', CORE]) expect(get(path, { accept }).headers['content-type']).toBe('application/json');
  });

  test.each(['v2', 'v3'])('the protobuf form of %s goes by two names and is answered under the one that is a media type', (version) => {
    const path = version === 'v2' ? '/openapi/v2' : CORE;
    const name = `application/com.github.proto-openapi.spec.${version}`;
    for (const accept of [`${name}@v1.0+protobuf`, `${name}.v1.0+protobuf, application/json`]) {
      const { status, headers, body } = get(path, { accept });
      expect([status, headers['content-type'], headers['etag']]).toEqual([200, `${name}.v1.0+protobuf`, get(path).headers['etag']]);
      expect(body.subarray(2, version === 'v2' ? 5 : 7).toString()).toBe(version === 'v2' ? '2.0' : '3.0.0');
    }
  });

  test.each(['application/xml', 'application/yaml', 'garbage'])('%p is refused with an empty 406', (accept) => {
    for (const path of ['/openapi/v2', CORE]) expect(get(path, { accept })).toMatchObject({ status: 406, body: Buffer.alloc(0) });
  });

  test('/openapi/v2 is cached by its ETag', () => {
    const first = get('/openapi/v2');
    expect(first.headers['etag']).toMatch(/^"[0-9A-F]{128}"$/);
    expect(first.headers['vary']).toEqual(['Accept-Encoding', 'Accept']);
    expect(get('/openapi/v2', { ifNoneMatch: String(first.headers['etag']) })).toMatchObject({ status: 304, body: Buffer.alloc(0) });
  });
});

test('a document is made once while it is asked for, and forgotten when it is not', () => {
  let made = 0;
  const [first] = SERVED_KINDS;
  if (first === undefined) throw new Error('no kinds');
  const counting = new Proxy(first, {
    get(row: KindRow, member) {
      if (member === 'verbs') made += 1;
      return Reflect.get(row, member);
    },
  });
  const rows = [counting];
  const documents = createOpenApi({ rows: () => rows, naming: 'platform', clock });
  const cost = (): number => {
    const before = made;
    get(CORE, {}, documents);
    return made - before;
  };
  const once = cost();
  expect(once).toBeGreaterThan(0);
  clock.advance(29_000);
  expect(cost()).toBe(0);
  clock.advance(29_000);
  expect(cost()).toBe(0);
  clock.advance(30_000);
  expect(cost()).toBe(once);
});
