/**
 * The discovery documents: compared with recordings of release 1.31.1, in both spellings, all encodings and the
 * aggregated form.
 */
import { isObject, objectAt, type JsonObject, type JsonValue } from '../../shared/values/json';
import { OPTIONAL_KINDS, SERVED_KINDS } from '../../shared/api/kinds';
import { decodeProtobuf } from '../../shared/serialization';
import { readCases } from '../../test/replay/recording';
import { body, listOf, shape, text, boolean } from '../../test/replay/shape';
import type { DocumentResponse, DocumentRequest } from './document-handler';
import { createDiscovery } from './discovery';
import { compareApiVersions } from '../../shared/values/version-order';
import { servedGroups } from './groups';
import { groupInDialect } from '../../shared/names/dialect';

/** Includes the kinds that are disabled by default. */
const EVERY_KIND = [...SERVED_KINDS, ...OPTIONAL_KINDS];

/** The dependencies that the servers below share. */
const SETTINGS = {
  naming: 'platform',
  serverAddress: '192.0.2.1:6443',
} as const;
const everything = createDiscovery({ ...SETTINGS, rows: () => EVERY_KIND });
/** In the spelling of the recorded responses, also when the path does not determine it. */
const upstream = createDiscovery({ ...SETTINGS, naming: 'kubernetes', rows: () => EVERY_KIND });
/** The core group and one named group, so that whole documents can be compared. */
const twoGroups = createDiscovery({
  ...SETTINGS,
  rows: () => SERVED_KINDS.filter(({ group }) => group === '' || group === 'coordination.platform.io'),
});

/** The response to a GET; `undefined` when there is no document at the path. */
function handle(path: string, overrides: Partial<DocumentRequest> = {}, from = twoGroups): DocumentResponse | undefined {
  return from.handle({ path, query: '', accept: undefined, ifNoneMatch: undefined, pretty: false, ...overrides });
}

/** The response of a path that has a document. */
function get(path: string, overrides: Partial<DocumentRequest> = {}, from = twoGroups): DocumentResponse {
  const response = handle(path, overrides, from);
  if (response === undefined) throw new Error(`${path} is not served`);
  return response;
}

/** The document as JSON. */
function json(path: string, overrides: Partial<DocumentRequest> = {}, from = twoGroups): JsonObject {
  const value: JsonValue = JSON.parse(get(path, overrides, from).body.toString());
  if (!isObject(value)) throw new Error('not an object');
  return value;
}

/** The objects in a list of the document. */
function objectsIn(value: JsonObject, member: string): JsonObject[] {
  const list = value[member];
  return Array.isArray(list) ? list.filter((item) => isObject(item)) : [];
}

/** The clause of an Accept header that requests the aggregated form. */
const aggregated = (version = 'v2', group = 'apidiscovery.k8s.io'): string =>
  `application/json;g=${group};v=${version};as=APIGroupDiscoveryList`;
/** The Accept header of client-go. */
const STANDARD_CLIENT = `${aggregated('v2')},${aggregated('v2beta1')},application/json`;

const texts = listOf(text);
const RESOURCES = readCases(
  'discovery/resources',
  shape(
    { list: text, name: text, singularName: text, namespaced: boolean, kind: text, verbs: texts },
    { shortNames: texts, categories: texts, storageVersionHash: text, group: text, version: text },
  ),
);
const AGGREGATED = readCases(
  'discovery/aggregated',
  shape(
    { group: text, version: text, resource: text, responseKind: body, scope: text, singularResource: text, verbs: texts },
    { shortNames: texts, categories: texts, subresources: listOf(shape({ subresource: text, responseKind: body, verbs: texts })) },
  ),
);
const GROUPS = readCases('discovery/groups', text);

/** Compares with release 1.31.1 for the resources that are served here; upstream has more subresources. */
describe('discovery equals that of release 1.31.1', () => {
  /** Whether a resource or subresource is served here; `group` is in upstream's spelling. */
  const isServed = (group: string, version: string, name: string): boolean => {
    const [resource, subresource] = name.split('/');
    const row = EVERY_KIND.find(
      (candidate) =>
        candidate.resource === resource && candidate.version === version && groupInDialect('kubernetes', candidate.group) === group,
    );
    return row !== undefined && (subresource === undefined || (row.subresources ?? []).some((sub) => sub.name === subresource));
  };

  test.each([...new Set(RESOURCES.map(({ list }) => list))])('in the resource list %s', (path) => {
    const [version = '', group = ''] = path.split('/').slice(2).reverse();
    const expected = RESOURCES.filter((entry) => entry.list === path && isServed(group, version, entry.name)).map(
      ({ list: _, ...entry }) => entry,
    );
    expect(expected.length).toBeGreaterThan(0);
    expect(JSON.stringify(json(path, {}, upstream)['resources'])).toBe(JSON.stringify(expected));
  });

  test.each(['/api', '/apis'])('in the aggregated document %s', (path) => {
    const resources = objectsIn(json(path, { accept: aggregated() }, everything), 'items').flatMap((group) =>
      objectsIn(group, 'versions').flatMap((version) => objectsIn(version, 'resources')),
    );
    const expected = AGGREGATED.filter(
      ({ group, version, resource }) => (group === '') === (path === '/api') && isServed(group, version, resource),
    ).map(({ group, version, subresources, ...entry }) => {
      const servedSubresources = (subresources ?? []).filter((sub) => isServed(group, version, `${entry.resource}/${sub.subresource}`));
      return { ...entry, ...(servedSubresources.length === 0 ? {} : { subresources: servedSubresources }) };
    });
    expect(JSON.stringify(resources)).toBe(JSON.stringify(expected));
  });

  test('in the order of groups', () => {
    const [row] = EVERY_KIND;
    if (row === undefined) throw new Error('no kinds');
    const rows = GROUPS.map((name) => ({ ...row, group: name.replace('.k8s.io', '.platform.io') })).reverse();
    expect(servedGroups(rows).map(({ group }) => group.replace('.platform.io', '.k8s.io'))).toEqual(GROUPS);
  });
});

describe('discovery', () => {
  test('lists the version v1 and the server address at /api', () => {
    expect(get('/api').body.toString()).toBe(
      '{"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":[{"clientCIDR":"0.0.0.0/0","serverAddress":"192.0.2.1:6443"}]}\n',
    );
  });

  test('lists every group in both spellings at /apis, canonical ones first', () => {
    const groups = objectsIn(json('/apis'), 'groups');
    expect(groups.map(({ name }) => name)).toEqual(['coordination.platform.io', 'coordination.k8s.io']);
    const [, respelledGroup] = groups;
    expect(respelledGroup).toEqual({
      name: 'coordination.k8s.io',
      versions: [{ groupVersion: 'coordination.k8s.io/v1', version: 'v1' }],
      preferredVersion: { groupVersion: 'coordination.k8s.io/v1', version: 'v1' },
    });
  });

  test('lists every group once at /apis when the naming is that of Kubernetes', () => {
    const names = objectsIn(json('/apis', {}, upstream), 'groups').map(({ name }) => name);
    expect(names.filter((name) => typeof name !== 'string' || name.includes('platform.io'))).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(['apps', 'coordination.k8s.io']));
    expect(new Set(names).size).toBe(names.length);
  });

  test('uses the spelling of the path in documents of a group and a version', () => {
    expect(json('/apis/coordination.platform.io')).toMatchObject({ kind: 'APIGroup', apiVersion: 'v1', name: 'coordination.platform.io' });
    expect(json('/apis/coordination.k8s.io')).toMatchObject({ name: 'coordination.k8s.io' });
    expect(json('/apis/coordination.platform.io/v1')).toMatchObject({ apiVersion: 'v1', groupVersion: 'coordination.platform.io/v1' });
    expect(json('/apis/coordination.k8s.io/v1')).toMatchObject({ groupVersion: 'coordination.k8s.io/v1' });
    expect(Object.keys(json('/api/v1'))).toEqual(['kind', 'groupVersion', 'resources']);
  });

  test('ignores a trailing slash', () => {
    for (const path of ['/api', '/apis', '/api/v1', '/apis/coordination.k8s.io', '/apis/coordination.k8s.io/v1']) {
      expect(get(`${path}/`).body).toEqual(get(path).body);
    }
  });

  test('does not handle a path without a document', () => {
    for (const path of [
      '/apis/none',
      '/apis/none/v1',
      '/api/v2',
      '/api/v1/pods',
      '/apis/coordination.k8s.io/v9',
      '//apis',
      '/apis//',
      '/foo',
      '/openapi/v2',
    ]) {
      expect(handle(path)).toBeUndefined();
      expect(twoGroups.serves(path)).toBe(false);
    }
  });

  test('reports all its paths', () => {
    expect([...new Set(twoGroups.paths())].sort()).toEqual([
      '/api',
      '/api/v1',
      '/apis',
      '/apis/',
      '/apis/coordination.k8s.io',
      '/apis/coordination.k8s.io/v1',
      '/apis/coordination.platform.io',
      '/apis/coordination.platform.io/v1',
    ]);
    for (const path of twoGroups.paths()) expect(twoGroups.serves(path)).toBe(true);
  });
});

describe('aggregated discovery', () => {
  test('uses the Kubernetes spelling for a standard client', () => {
    const { headers, body } = get('/apis', { accept: STANDARD_CLIENT });
    expect(headers['content-type']).toBe('application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList');
    const list: JsonValue = JSON.parse(body.toString());
    expect(list).toMatchObject({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {} });
    if (!isObject(list)) throw new Error('not an object');
    expect(objectsIn(list, 'items').map((item) => objectAt(item, 'metadata'))).toEqual([
      { name: 'coordination.k8s.io', creationTimestamp: null },
    ]);
    expect(
      objectsIn(list, 'items').map((item) => objectsIn(item, 'versions').map(({ version, freshness }) => [version, freshness])),
    ).toEqual([[['v1', 'Current']]]);
  });

  test('uses the platform spelling when the Accept header does', () => {
    const accept = aggregated('v2', 'apidiscovery.platform.io');
    expect(get('/apis', { accept }).headers['content-type']).toBe(accept);
    expect(objectsIn(json('/apis', { accept }), 'items').map((item) => objectAt(item, 'metadata')?.['name'])).toEqual([
      'coordination.platform.io',
    ]);
  });

  test('lists one group without a name at /api', () => {
    expect(objectsIn(json('/api', { accept: STANDARD_CLIENT }), 'items').map(({ metadata }) => metadata)).toEqual([
      { creationTimestamp: null },
    ]);
  });

  test('is cached by its ETag, which version and encoding do not change', () => {
    const first = get('/apis', { accept: aggregated() });
    const etag = String(first.headers['etag']);
    expect(etag).toMatch(/^"[0-9A-F]{128}"$/);
    expect(first.headers).toMatchObject({ vary: 'Accept', 'cache-control': 'public' });
    expect(get('/apis', { accept: aggregated('v2beta1') }).headers['etag']).toBe(etag);
    expect(get('/apis', { accept: aggregated().replace('json', 'yaml') }).headers['etag']).toBe(etag);
    const second = get('/apis', { accept: aggregated(), ifNoneMatch: etag });
    expect(second.status).toBe(304);
    expect(second.body).toHaveLength(0);
    expect(second.headers['content-type']).toBeUndefined();
    expect(get('/apis', { accept: aggregated(), ifNoneMatch: `W/${etag}, "x"` }).status).toBe(200);
    expect(get('/api', { accept: aggregated() }).headers['etag']).not.toBe(etag);
  });

  test.each([
    [`${aggregated('v3')},application/json`, 'APIGroupList'],
    [`${aggregated('v3')},${aggregated('v2beta1')}`, 'APIGroupDiscoveryList'],
    ['*/*;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList', 'APIGroupDiscoveryList'],
    ['application/json;q=0.1,application/vnd.kubernetes.protobuf;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList', 'APIGroupList'],
  ])('follows the first matching clause of the Accept header %s', (accept, kind) => {
    expect(json('/apis', { accept })['kind']).toBe(kind);
  });
});

describe('discovery encodings', () => {
  test('disable caching of unaggregated documents', () => {
    expect(get('/apis').headers).toEqual({ 'content-type': 'application/json', 'cache-control': 'no-cache, private' });
  });

  test('sort the members in YAML', () => {
    const { headers, body } = get('/apis/coordination.k8s.io', { accept: 'application/yaml' });
    expect(headers['content-type']).toBe('application/yaml');
    expect(body.toString()).toBe(
      'apiVersion: v1\nkind: APIGroup\nname: coordination.k8s.io\npreferredVersion:\n  groupVersion: coordination.k8s.io/v1\n  version: v1\n' +
        'versions:\n- groupVersion: coordination.k8s.io/v1\n  version: v1\n',
    );
  });

  test.each([
    ['/api', 'meta.v1.APIVersions', 'APIVersions'],
    ['/apis', 'meta.v1.APIGroupList', 'APIGroupList'],
    ['/apis/coordination.k8s.io', 'meta.v1.APIGroup', 'APIGroup'],
    ['/api/v1', 'meta.v1.APIResourceList', 'APIResourceList'],
  ])('contain the same data in protobuf of %s as in JSON', (path, type, kind) => {
    const { headers, body } = get(path, { accept: 'application/vnd.kubernetes.protobuf' });
    expect(headers['content-type']).toBe('application/vnd.kubernetes.protobuf');
    const decoded = decodeProtobuf(type, body);
    const { kind: _, apiVersion: __, ...expected } = json(path);
    expect(decoded.kind).toBe(kind);
    expect(decoded.apiVersion).toBe('v1');
    expect(decoded.object).toMatchObject(expected);
  });

  test('indent pretty-printed JSON and end it without a newline', () => {
    expect(get('/apis/coordination.k8s.io', { pretty: true }).body.toString()).toMatch(/^\{\n  "kind": "APIGroup",\n[^]*\n\}$/);
  });

  const MEDIA_TYPES = 'application/json, application/yaml, application/vnd.platform.protobuf';
  const REPRESENTATIONS_ERROR = `406: Not Acceptable\n\nAvailable representations: ${MEDIA_TYPES}`;
  const ACCEPTED_TYPES_ERROR = `only the following media types are accepted: ${MEDIA_TYPES}`;
  test.each([
    ['/apis', 'application/xml', ACCEPTED_TYPES_ERROR],
    ['/apis/coordination.k8s.io', 'garbage', ACCEPTED_TYPES_ERROR],
    ['/api', 'application/xml', REPRESENTATIONS_ERROR],
    ['/api/v1', 'text/html', REPRESENTATIONS_ERROR],
    ['/api/v1', 'application/json;as=Table;g=meta.k8s.io;v=v1', ACCEPTED_TYPES_ERROR],
    ['/apis', aggregated('v3'), ACCEPTED_TYPES_ERROR],
    ['/apis', 'application/json;g=apidiscovery.k8s.io;v=v2', ACCEPTED_TYPES_ERROR],
    ['/apis/coordination.k8s.io', aggregated(), ACCEPTED_TYPES_ERROR],
  ])('reject %s with the Accept header %s: %s', (path, accept, message) => {
    expect(() => get(path, { accept })).toThrow(expect.objectContaining({ code: 406, message }));
  });
});

test('compareApiVersions sorts stable before beta before alpha versions, highest number first', () => {
  const versions = ['foo10', 'v1', 'v1alpha1', 'v2', 'v1beta2', 'v10', 'foo1', 'v1beta1', 'v11alpha2', 'v0', 'v11beta2'];
  expect(versions.sort(compareApiVersions)).toEqual([
    'v10',
    'v2',
    'v1',
    'v11beta2',
    'v1beta2',
    'v1beta1',
    'v11alpha2',
    'v1alpha1',
    'foo1',
    'foo10',
    'v0',
  ]);
});
