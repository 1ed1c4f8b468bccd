/** Representations of responses: JSON, Tables, PartialObjectMetadata, YAML, protobuf, gzip, errors, and both dialects. */
import { gunzipSync } from 'node:zlib';
import { TABLE } from './api-call';
import { useServer } from './fixture';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const CONFIGMAP = `${CONFIGMAPS}/one`;
const NO_ITEMS = 'labelSelector=none';
/** The media type of an object that is converted to a kind of the group `meta`. */
const convertedTo = (kind: string, group = 'k8s.io'): string => `application/json;as=${kind};v=v1;g=meta.${group}`;

const api = useServer();
beforeAll(async () => {
  await api.createConfigMap('one', { a: '1', angle: '<b>' });
  await api.createConfigMap('two');
});

/** JSON as the server indents it: without a newline at the end, and with `<` and `>` escaped. */
function indented(json: string): string {
  return JSON.stringify(JSON.parse(json), null, 2).replaceAll('<', '\\u003c').replaceAll('>', '\\u003e');
}

describe('JSON', () => {
  it('of an object is compact and ends with a newline, with its length and the common headers', async () => {
    const { text, body, headers } = await api.get(CONFIGMAP);
    expect(text.startsWith('{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"one","namespace":"default","uid":')).toBe(true);
    expect(text.endsWith('"data":{"a":"1","angle":"\\u003cb\\u003e"}}\n')).toBe(true);
    expect(headers).toMatchObject({ 'content-length': String(body.length), 'cache-control': 'no-cache, private' });
    expect(headers['audit-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('of a list has items without kind and apiVersion', async () => {
    const response = await api.get(`${CONFIGMAPS}?labelSelector=app%3Ddemo`);
    const { items } = response.json;
    expect(response.text.startsWith('{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"')).toBe(true);
    expect(items).toMatchObject([{ metadata: { name: 'one' } }, { metadata: { name: 'two' } }]);
    expect(JSON.stringify(items)).not.toContain('"kind"');
  });

  it('is indented with the parameter pretty', async () => {
    const { text } = await api.get(`${CONFIGMAP}?pretty=true`);
    expect(text).toBe(indented(text));
    expect((await api.get(`${CONFIGMAPS}?pretty=1&${NO_ITEMS}`)).text).toMatch(/"items": \[\]\n}$/);
  });

  it('is indented for curl', async () => {
    const { text } = await api.get(CONFIGMAP, { headers: { 'user-agent': 'curl/8' } });
    expect(text).toBe(indented(text));
  });

  const PATHS = ['/api/v1/namespaces/default', '/api/v1/namespaces', '/api/v1/namespaces/missing', '/api/v1'];

  it.each(PATHS)('of %s is indented for the media type with pretty=1, whatever the query parameter', async (path) => {
    const { text } = await api.get(`${path}?pretty=0`, { accept: 'application/json;pretty=1' });
    expect(text).toMatch(/^\{\n {2}"kind": /);
  });

  it.each(PATHS)('of %s is compact for the media type with pretty=true', async (path) => {
    const { text } = await api.get(path, { accept: 'application/json;pretty=true' });
    expect(text).toMatch(/^\{"kind":/);
  });
});

describe('a Table', () => {
  it('has a row with cells and metadata for each object', async () => {
    const table = await api.read(CONFIGMAPS, { accept: TABLE });
    expect([table['kind'], table['apiVersion']]).toEqual(['Table', 'meta.k8s.io/v1']);
    const object = expect.objectContaining({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' });
    // The columns of a ConfigMap are Name, Data and Age.
    expect(table['rows']).toEqual([
      { cells: ['one', 2, expect.any(String)], object },
      { cells: ['two', 0, expect.any(String)], object },
    ]);
  });

  it('has rows without objects with includeObject=None', async () => {
    const table = await api.read(`${CONFIGMAP}?includeObject=None`, { accept: TABLE });
    expect(table['rows']).toEqual([{ cells: expect.anything(), object: null }]);
  });

  it('is refused with an unknown value of includeObject', async () => {
    expect((await api.get(`${CONFIGMAP}?includeObject=Foo`, { accept: TABLE })).status).toBe(400);
  });
});

describe('PartialObjectMetadata', () => {
  it('of an object has its metadata only', async () => {
    expect(await api.read(CONFIGMAP, { accept: convertedTo('PartialObjectMetadata', 'platform.io') })).toEqual({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.platform.io/v1',
      metadata: expect.objectContaining({ name: 'one' }),
    });
  });

  it('of a list has the metadata of each item', async () => {
    const kind = 'PartialObjectMetadataList';
    const items = [{ metadata: { name: 'one' } }, { metadata: { name: 'two' } }];
    expect(await api.read(CONFIGMAPS, { accept: convertedTo(kind) })).toMatchObject({ kind, items });
  });

  it('is refused for a list unless the kind is that of a list', async () => {
    const message = 'you requested PartialObjectMetadata, but the requested object is a list (*core.ConfigMapList)';
    expect((await api.get(CONFIGMAPS, { accept: convertedTo('PartialObjectMetadata') })).refusal).toEqual([406, message]);
  });

  it('as the kind of a list ends a watch without an event', async () => {
    const accept = convertedTo('PartialObjectMetadataList');
    expect(await api.get('/api/v1/namespaces?watch=1', { accept })).toMatchObject({ status: 200, text: '' });
  });
});

describe('YAML', () => {
  const accept = 'application/yaml';

  it('of an object has sorted members', async () => {
    const { text, headers } = await api.get(CONFIGMAP, { accept });
    expect(headers['content-type']).toBe('application/yaml');
    expect(text).toMatch(/^apiVersion: v1\ndata:\n {2}a: "1"\n {2}angle: <b>\nkind: ConfigMap\nmetadata:\n/);
  });

  it('of a list has sorted members', async () => {
    const { text } = await api.get(CONFIGMAPS, { accept });
    expect(text).toMatch(/^apiVersion: v1\nitems:\n- data:\n {4}a: "1"\n/);
    expect(text).toMatch(/\nkind: ConfigMapList\nmetadata:\n {2}resourceVersion: "\d+"\n$/);
  });

  it('of a list without items has an empty array', async () => {
    const { text } = await api.get(`${CONFIGMAPS}?${NO_ITEMS}`, { accept });
    expect(text).toMatch(/^apiVersion: v1\nitems: \[\]\nkind: ConfigMapList\n/);
  });
});

describe('protobuf', () => {
  it.each([
    [CONFIGMAP, 'application/vnd.kubernetes.protobuf', 'ConfigMap'],
    [CONFIGMAPS, 'application/vnd.platform.protobuf', 'ConfigMapList'],
  ])('of %s is returned for %s and names the kind %s', async (path, accept, kind) => {
    const { body, headers } = await api.get(path, { accept });
    // Every message starts with these four bytes.
    expect([headers['content-type'], body.subarray(0, 4)]).toEqual([accept, Buffer.from('k8s\0')]);
    expect(body.includes(Buffer.from(kind))).toBe(true);
  });
});

describe('gzip', () => {
  const getCompressed = (path: string, codings = 'gzip') => api.get(path, { headers: { 'accept-encoding': codings } });
  // More than the 128 KiB from which responses are compressed.
  beforeAll(() => api.createConfigMap('large', { blob: 'x'.repeat(200_000) }));

  it('compresses an object over 128 KiB', async () => {
    const compressed = await getCompressed(`${CONFIGMAPS}/large`);
    expect(compressed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    expect(gunzipSync(compressed.body)).toEqual((await api.get(`${CONFIGMAPS}/large`)).body);
  });

  it('compresses a list over 128 KiB for a client that also accepts other codings', async () => {
    const compressed = await getCompressed(CONFIGMAPS, 'deflate, gzip');
    const list: { items: object[] } = JSON.parse(gunzipSync(compressed.body).toString());
    expect(list.items).toMatchObject([{ metadata: { name: 'large' } }, { metadata: { name: 'one' } }, { metadata: { name: 'two' } }]);
  });

  it('does not compress a smaller object', async () => {
    expect((await getCompressed(CONFIGMAP)).headers['content-encoding']).toBeUndefined();
  });
});

describe('an error', () => {
  const SUPPORTED = 'application/json, application/yaml, application/vnd.platform.protobuf';

  it.each([
    ['image/png', `406: Not Acceptable\n\nAvailable representations: ${SUPPORTED}`],
    [convertedTo('Foo'), `only the following media types are accepted: ${SUPPORTED}`],
  ])('with the status 406 is returned for Accept: %s', async (accept, message) => {
    expect((await api.get(CONFIGMAP, { accept })).refusal).toEqual([406, message]);
  });

  it('is in the representation that the client accepts', async () => {
    const { text } = await api.get(`${CONFIGMAPS}/none`, { accept: 'application/yaml' });
    expect(text).toMatch(/^apiVersion: v1\ncode: 404\n/);
  });

  it('is indented JSON for a client that accepts Tables', async () => {
    const { status, text } = await api.get(`${CONFIGMAPS}/none`, { accept: TABLE });
    expect([status, text]).toEqual([404, indented(text)]);
  });
});

describe('the dialect', () => {
  const leases = (group: string): string => `/apis/coordination.${group}/v1/namespaces/default/leases`;

  it('of the path is that of the group in an error', async () => {
    const message = 'leases.coordination.k8s.io "x" not found';
    expect(await api.read(`${leases('k8s.io')}/x`)).toMatchObject({ message, details: { group: 'coordination.k8s.io' } });
    expect((await api.get(`${leases('platform.io')}/x`)).message).toBe('leases.coordination.platform.io "x" not found');
  });

  it('of the path is that of the apiVersion in a response, whatever the dialect in which the object was created', async () => {
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'l' }, spec: { holderIdentity: 'h' } };
    await api.create(leases('k8s.io'), lease);
    expect((await api.read(`${leases('platform.io')}/l`))['apiVersion']).toBe('coordination.platform.io/v1');
  });

  it('of a response is that of the groups in owner references', async () => {
    const ownerReferences = [{ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', name: 'l', uid: 'u' }];
    await api.create(CONFIGMAPS, { metadata: { name: 'owned', ownerReferences } });
    expect((await api.get(`${CONFIGMAPS}/owned`)).text).toContain('"apiVersion":"coordination.platform.io/v1"');
    const upstream = await api.get(`${CONFIGMAPS}/owned`, { accept: convertedTo('PartialObjectMetadata') });
    expect(upstream.text).toContain('"apiVersion":"coordination.k8s.io/v1"');
  });
});

it('aggregated discovery can be cached and revalidated by its ETag', async () => {
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  const { headers } = await api.get('/apis', { accept });
  expect(headers['cache-control']).toBe('public');
  const revalidated = await api.get('/apis', { headers: { accept, 'if-none-match': headers['etag'] ?? '' } });
  expect([revalidated.status, revalidated.text, revalidated.headers['content-length']]).toEqual([304, '', undefined]);
});
