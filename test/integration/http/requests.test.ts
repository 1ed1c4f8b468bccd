/** Single requests over HTTP: paths, representations, dialects, bodies, parameters and authentication. */
import { gunzipSync } from 'node:zlib';
import { ALICE, MERGE_PATCH, responseStatus, TABLE, type CallOptions } from './api-call';
import { issueClientCertificate, useServer } from './fixture';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const CONFIGMAP_ONE = `${CONFIGMAPS}/one`;
const partial = (kind: string, group = 'k8s.io'): string => `application/json;as=${kind};v=v1;g=meta.${group}`;

const api = useServer();
beforeAll(async () => {
  await api.createConfigMap('one', { a: '1', angle: '<b>' });
  await api.createConfigMap('two');
});

describe('paths', () => {
  const NO_ROUTE = 'the server could not find the requested resource';
  it.each([
    ['/api/v1/namespaces/../nodes', 404, NO_ROUTE],
    [`${CONFIGMAPS}/..`, 400, `Name parameter invalid: "..": may not be '..'`],
    [`${CONFIGMAPS}/a%25b`, 400, `Name parameter invalid: "a%b": may not contain '%'`],
    [`${CONFIGMAPS}/a%2Fb`, 404, NO_ROUTE],
    [`${CONFIGMAPS}/a%00b`, 404, 'configmaps "a\\x00b" not found'],
    ['/api/v1/namespaces//configmaps', 404, NO_ROUTE],
    ['/api//v1/namespaces/default', 404, NO_ROUTE],
    ['/api/v1/namespaces/%2e%2e/configmaps', 400, 'invalid key: "/configmaps/.."'],
    [`${CONFIGMAP_ONE}/status`, 404, NO_ROUTE],
    ['/api/v1/namespaces/default/nodes', 404, NO_ROUTE],
    ['/api/v1/gizmos', 404, NO_ROUTE],
    ['/api/v2/pods', 404, NO_ROUTE],
  ])('GET %s is rejected with %i: %s', async (path, status, message) => {
    expect((await api.get(path)).refusal).toEqual([status, message]);
  });

  it.each([
    ['//api/v1/namespaces', 404, '404 page not found\n'],
    ['/nope', 404, '404 page not found\n'],
    ['/apis/none/v1/foos', 404, '404 page not found\n'],
    [`${CONFIGMAPS}/%zz`, 400, '400 Bad Request'],
  ])('GET %s is rejected with %i as text', async (path, status, text) => {
    expect(await api.get(path)).toMatchObject({ status, text, headers: { 'content-type': 'text/plain; charset=utf-8' } });
  });

  it.each([
    ['POST', '/api/v1/configmaps'],
    ['POST', CONFIGMAP_ONE],
    ['PUT', CONFIGMAPS],
    ['DELETE', '/api/v1/configmaps'],
    ['OPTIONS', CONFIGMAPS],
    ['PROPFIND', CONFIGMAP_ONE],
  ])('%s %s is not allowed', async (method, path) => {
    const message = 'the server does not allow this method on the requested resource';
    expect((await api.call(path, { method })).refusal).toEqual([405, message]);
  });

  it('a trailing slash is ignored', async () => {
    expect((await api.get(`${CONFIGMAP_ONE}/`)).status).toBe(200);
  });
});

describe('representations', () => {
  it('an object is compact JSON with a newline, its length and the common headers', async () => {
    const { text, body, headers } = await api.get(CONFIGMAP_ONE);
    expect(text.startsWith('{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"one","namespace":"default","uid":')).toBe(true);
    expect(text.endsWith('"data":{"a":"1","angle":"\\u003cb\\u003e"}}\n')).toBe(true);
    expect(headers).toMatchObject({ 'content-length': String(body.length), 'cache-control': 'no-cache, private' });
    expect(headers['audit-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('the items of a list have no kind and apiVersion', async () => {
    const response = await api.get(`${CONFIGMAPS}?labelSelector=app%3Ddemo`);
    const { items } = response.json;
    expect(response.text.startsWith('{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"')).toBe(true);
    expect(items).toMatchObject([{ metadata: { name: 'one' } }, { metadata: { name: 'two' } }]);
    expect(JSON.stringify(items)).not.toContain('"kind"');
  });

  it('JSON is indented for curl and on request, without a newline at the end', async () => {
    const pretty = await api.get(`${CONFIGMAP_ONE}?pretty=true`);
    expect(pretty.text).toBe(JSON.stringify(JSON.parse(pretty.text), null, 2).replaceAll('<', '\\u003c').replaceAll('>', '\\u003e'));
    expect((await api.get(CONFIGMAP_ONE, { headers: { 'user-agent': 'curl/8' } })).text).toBe(pretty.text);
    expect((await api.get(`${CONFIGMAPS}?pretty=1&labelSelector=none`)).text).toMatch(/"items": \[\]\n}$/);
  });

  it('a Table has cells and metadata in its rows', async () => {
    const table = await api.read(CONFIGMAPS, { accept: TABLE });
    expect([table['kind'], table['apiVersion']]).toEqual(['Table', 'meta.k8s.io/v1']);
    const object = expect.objectContaining({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' });
    expect(table['rows']).toEqual([
      { cells: ['one', 2, expect.any(String)], object },
      { cells: ['two', 0, expect.any(String)], object: expect.anything() },
    ]);
    const bare = await api.read(`${CONFIGMAP_ONE}?includeObject=None`, { accept: TABLE });
    expect(bare['rows']).toEqual([{ cells: expect.anything(), object: null }]);
    expect((await api.get(`${CONFIGMAP_ONE}?includeObject=Foo`, { accept: TABLE })).status).toBe(400);
  });

  it('PartialObjectMetadata has the metadata only', async () => {
    const kind = 'PartialObjectMetadata';
    const metadata = expect.objectContaining({ name: 'one' });
    expect(await api.read(CONFIGMAP_ONE, { accept: partial(kind, 'platform.io') })).toEqual({
      kind,
      apiVersion: 'meta.platform.io/v1',
      metadata,
    });
    const items = [{ metadata: { name: 'one' } }, { metadata: { name: 'two' } }];
    expect(await api.read(CONFIGMAPS, { accept: partial(`${kind}List`) })).toMatchObject({ kind: `${kind}List`, items });
    const message = 'you requested PartialObjectMetadata, but the requested object is a list (*core.ConfigMapList)';
    expect((await api.get(CONFIGMAPS, { accept: partial(kind) })).refusal).toEqual([406, message]);
  });

  it('YAML has sorted members', async () => {
    const accept = 'application/yaml';
    const object = await api.get(CONFIGMAP_ONE, { accept });
    expect(object.headers['content-type']).toBe('application/yaml');
    expect(object.text).toMatch(/^apiVersion: v1\ndata:\n {2}a: "1"\n {2}angle: <b>\nkind: ConfigMap\nmetadata:\n/);
    const list = await api.get(CONFIGMAPS, { accept });
    expect(list.text).toMatch(/^apiVersion: v1\nitems:\n- data:\n {4}a: "1"\n/);
    expect(list.text).toMatch(/\nkind: ConfigMapList\nmetadata:\n {2}resourceVersion: "\d+"\n$/);
    const empty = await api.get(`${CONFIGMAPS}?labelSelector=none`, { accept });
    expect(empty.text).toMatch(/^apiVersion: v1\nitems: \[\]\nkind: ConfigMapList\n/);
  });

  it.each([
    [CONFIGMAP_ONE, 'application/vnd.kubernetes.protobuf', 'ConfigMap'],
    [CONFIGMAPS, 'application/vnd.platform.protobuf', 'ConfigMapList'],
  ])('%s as %s is protobuf with the kind %s', async (path, accept, kind) => {
    const { body, headers } = await api.get(path, { accept });
    expect([headers['content-type'], body.subarray(0, 4)]).toEqual([accept, Buffer.from('k8s\0')]);
    expect(body.includes(Buffer.from(kind))).toBe(true);
  });

  it('only a body over 128 KiB is compressed on request', async () => {
    await api.createConfigMap('large', { blob: 'x'.repeat(200_000) });
    const zipped = (path: string, codings = 'gzip') => api.get(path, { headers: { 'accept-encoding': codings } });
    const packed = await zipped(`${CONFIGMAPS}/large`);
    expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    expect(gunzipSync(packed.body)).toEqual((await api.get(`${CONFIGMAPS}/large`)).body);
    const list: { items: object[] } = JSON.parse(gunzipSync((await zipped(CONFIGMAPS, 'deflate, gzip')).body).toString());
    expect(list.items).toHaveLength(3);
    expect((await zipped(CONFIGMAP_ONE)).headers['content-encoding']).toBeUndefined();
  });

  const MEDIA_TYPES = 'application/json, application/yaml, application/vnd.platform.protobuf';
  it.each([
    ['image/png', `406: Not Acceptable\n\nAvailable representations: ${MEDIA_TYPES}`],
    [partial('Foo'), `only the following media types are accepted: ${MEDIA_TYPES}`],
  ])('Accept: %s is rejected', async (accept, message) => {
    expect((await api.get(CONFIGMAP_ONE, { accept })).refusal).toEqual([406, message]);
  });

  it('an error is in the representation that the client accepts, or indented JSON', async () => {
    const yaml = await api.get(`${CONFIGMAPS}/none`, { accept: 'application/yaml' });
    expect(yaml.text).toMatch(/^apiVersion: v1\ncode: 404\n/);
    const table = await api.get(`${CONFIGMAPS}/none`, { accept: TABLE });
    expect([table.status, table.text]).toEqual([404, JSON.stringify(JSON.parse(table.text), null, 2)]);
  });
});

describe('dialects', () => {
  const leases = (group: string): string => `/apis/coordination.${group}/v1/namespaces/default/leases`;

  it('a response and the group in an error have the dialect of the path', async () => {
    const message = 'leases.coordination.k8s.io "x" not found';
    expect(await api.read(`${leases('k8s.io')}/x`)).toMatchObject({ message, details: { group: 'coordination.k8s.io' } });
    expect((await api.get(`${leases('platform.io')}/x`)).message).toBe('leases.coordination.platform.io "x" not found');
    const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'l' }, spec: { holderIdentity: 'h' } };
    await api.create(leases('k8s.io'), body);
    expect((await api.read(`${leases('platform.io')}/l`))['apiVersion']).toBe('coordination.platform.io/v1');
  });

  it('references to groups have the dialect that is requested', async () => {
    const ownerReferences = [{ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', name: 'l', uid: 'u' }];
    await api.create(CONFIGMAPS, { metadata: { name: 'owned', ownerReferences } });
    expect((await api.get(`${CONFIGMAPS}/owned`)).text).toContain('"apiVersion":"coordination.platform.io/v1"');
    const upstream = await api.get(`${CONFIGMAPS}/owned`, { accept: partial('PartialObjectMetadata') });
    expect(upstream.text).toContain('"apiVersion":"coordination.k8s.io/v1"');
  });
});

describe('bodies', () => {
  const post = (body: string | Buffer, type = 'application/json') => api.post(`${CONFIGMAPS}?dryRun=All`, body, { type });
  const UNRECOGNIZED = 'the object provided is unrecognized (must be of type ConfigMap): ';
  const PARSE_ERROR = `${UNRECOGNIZED}couldn't get version/kind; json parse error: `;
  const LONG = '{"apiVersion":"a/b/c","x":"0123456789"}';

  it.each([
    ['', `${PARSE_ERROR}unexpected end of JSON input (<empty>)`],
    ['{"a":', `${PARSE_ERROR}unexpected end of JSON input ({"a":)`],
    ['hello', `${PARSE_ERROR}invalid character 'h' looking for beginning of value (68656c6c6f)`],
    ['{"kind":5}', `${PARSE_ERROR}json: cannot unmarshal number into Go struct field .kind of type string ({"kind":5})`],
    [LONG, `${UNRECOGNIZED}unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c","x":"012 ...)`],
    ['\ufeff{}', `${PARSE_ERROR}invalid character 'ï' looking for beginning of value (efbbbf7b7d)`],
  ])('%j is rejected with the message of upstream', async (body, message) => {
    expect((await post(body)).refusal).toEqual([400, message]);
  });

  it('deep nesting is rejected', async () => {
    const deep = `{"data":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    expect((await post(deep)).refusal).toEqual([400, expect.stringContaining('exceeded max depth')]);
  });

  it('invalid UTF-8 is rejected', async () => {
    expect((await post(Buffer.from('{"metadata":{"name":"b\xff"}}', 'latin1'))).status).toBe(422);
  });

  it('__proto__ and constructor are unknown fields', async () => {
    const polluting = await post('{"metadata":{"name":"p"},"__proto__":{"polluted":true},"constructor":1}');
    expect(polluting.status).toBe(201);
    expect(polluting.warnings).toEqual(expect.arrayContaining(['unknown field "__proto__"', 'unknown field "constructor"']));
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it('a body of more than 3 MiB is rejected before it is parsed', async () => {
    const body = Buffer.alloc(3 * 1024 * 1024 + 1, 0x20);
    expect((await post(body)).refusal).toEqual([413, 'Request entity too large: limit is 3145728']);
    // A body of 3 MiB is parsed, and has no value.
    expect((await api.post(CONFIGMAPS, body.subarray(1))).status).toBe(400);
  });

  it.each([['text/plain'], [';;'], ['application/json; x']])('Content-Type %s is rejected', async (type) => {
    expect((await post('{}', type)).status).toBe(415);
  });

  it('YAML is accepted, with a warning of unknown fields', async () => {
    const response = await post('metadata:\n  name: from-yaml\nbogus: 1\n', 'application/yaml');
    expect([response.status, response.headers['warning']]).toEqual([201, '299 - "unknown field \\"bogus\\""']);
  });

  it('a patch of an unknown type is rejected', async () => {
    const unsupported = { code: 415, message: '415: Unsupported Media Type', details: {} };
    expect((await api.patch(CONFIGMAP_ONE, '{}', 'application/json')).json).toMatchObject(unsupported);
  });
});

describe('dryRun', () => {
  const itemsIn = (list: string): string => list.slice(list.indexOf('"items"'));

  it.each([
    ['?dryRun=all', '[]string{"all"}'],
    ['?dryRun=All&dryRun=x', '[]string{"All", "x"}'],
  ])('%s is rejected for every verb, and nothing is written', async (query, shown) => {
    const requests: readonly (readonly [string, string, CallOptions])[] = [
      ['CreateOptions', CONFIGMAPS, { method: 'POST', body: { metadata: { name: 'half-dry' } } }],
      ['UpdateOptions', CONFIGMAP_ONE, { method: 'PUT', body: { metadata: { name: 'one' } } }],
      ['PatchOptions', CONFIGMAP_ONE, { method: 'PATCH', body: '{"data":null}', type: MERGE_PATCH }],
      ['DeleteOptions', CONFIGMAP_ONE, { method: 'DELETE' }],
      ['DeleteOptions', CONFIGMAPS, { method: 'DELETE' }],
    ];
    const message = `meta.platform.io "" is invalid: dryRun: Unsupported value: ${shown}: supported values: "All"`;
    const before = (await api.get(CONFIGMAPS)).text;
    for (const [kind, path, request] of requests)
      expect((await api.call(`${path}${query}`, request)).refusal).toEqual([422, `${kind}.${message}`]);
    expect(itemsIn((await api.get(CONFIGMAPS)).text)).toBe(itemsIn(before));
  });

  it('without a value is ignored, also in addition to All', async () => {
    expect((await api.post(`${CONFIGMAPS}?dryRun=`, { metadata: { name: 'wet' } })).status).toBe(201);
    expect((await api.post(`${CONFIGMAPS}?dryRun=All&dryRun=`, { metadata: { name: 'dry' } })).status).toBe(201);
    expect((await api.get(`${CONFIGMAPS}/wet`)).status).toBe(200);
    expect((await api.get(`${CONFIGMAPS}/dry`)).status).toBe(404);
    await api.delete(`${CONFIGMAPS}/wet?dryRun`);
    expect((await api.get(`${CONFIGMAPS}/wet`)).status).toBe(404);
  });

  it('of a DELETE counts in the query and in the body', async () => {
    await api.delete(`${CONFIGMAP_ONE}?dryRun=All`, { body: { kind: 'DeleteOptions' } });
    await api.delete(CONFIGMAP_ONE, { body: { dryRun: ['All'] } });
    expect((await api.get(CONFIGMAP_ONE)).status).toBe(200);
    expect((await api.delete(`${CONFIGMAP_ONE}?dryRun=x`, { body: {} })).status).toBe(422);
    const message = 'no kind "Foo" is registered for version "meta.platform.io/v1"';
    expect((await api.delete(CONFIGMAP_ONE, { body: { kind: 'Foo' } })).refusal).toEqual([400, expect.stringContaining(message)]);
  });
});

it('the system priority classes exist when the server is ready', async () => {
  expect((await api.read('/apis/scheduling.platform.io/v1/priorityclasses'))['items']).toMatchObject([
    { metadata: { name: 'system-cluster-critical' }, value: 2_000_000_000 },
    { metadata: { name: 'system-node-critical' }, value: 2_000_001_000 },
  ]);
});

/** In base64url: `{"v":"meta.k8s.io/v1","rv":1,"start":"../x"}`. */
const ESCAPING_TOKEN = 'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiIuLi94In0';
const unparsed = (text: string): string =>
  `resourceVersion: Invalid value: "${text}": strconv.ParseUint: parsing "${text}": invalid syntax`;
const INITIAL_EVENTS_FORBIDDEN =
  'ListOptions.meta.platform.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list';
it.each([
  ['limit=abc', 400, 'strconv.ParseInt: parsing "abc": invalid syntax'],
  ['limit=99999999999999999999', 400, 'strconv.ParseInt: parsing "99999999999999999999": value out of range'],
  ['resourceVersion=abc', 400, unparsed('abc')],
  ['resourceVersion=-1', 400, unparsed('-1')],
  ['resourceVersion=1e3&limit=1', 400, `invalid resource version: ${unparsed('1e3')}`],
  ['timeout=abc', 400, 'invalid timeout specified in the request URL - time: invalid duration "abc"'],
  [`continue=${ESCAPING_TOKEN}`, 400, 'invalid continue token: continue key is not valid: ../x'],
  ['sendInitialEvents=true', 422, INITIAL_EVENTS_FORBIDDEN],
])('a list with %s is rejected with %i: %s', async (query, status, message) => {
  expect((await api.get(`${CONFIGMAPS}?${query}`)).refusal).toEqual([status, message]);
});

describe('access', () => {
  const MASTERS = ['devs', 'system:masters'];

  it('an unknown token does not authenticate', async () => {
    expect((await api.get('/api', { token: 'nope' })).refusal).toEqual([401, 'Unauthorized']);
  });

  it('a client certificate authenticates the user and groups that it names', async () => {
    const admin = await issueClientCertificate(api.authority, 'root', MASTERS);
    expect((await api.get(CONFIGMAP_ONE, { token: null, certificate: admin })).status).toBe(200);
    const refused = await api.get(CONFIGMAP_ONE, {
      token: null,
      certificate: await issueClientCertificate(api.authority, 'bob', ['devs']),
    });
    expect(refused.message).toBe(
      'configmaps "one" is forbidden: User "bob" cannot get resource "configmaps" in API group "" in the namespace "default"',
    );
    expect(refused.headers['x-content-type-options']).toBe('nosniff');
  });

  it('a client certificate authenticates over HTTP/2 as well', async () => {
    const { certificate: cert, key } = await issueClientCertificate(api.authority, 'root', MASTERS);
    const session = api.connectHttp2({ cert, key });
    expect(await responseStatus(session.request({ ':path': CONFIGMAP_ONE }))).toBe(200);
    session.destroy();
  });

  it('anonymous requests may read the version and readiness, but no discovery', async () => {
    expect((await api.get('/version', { token: null })).status).toBe(200);
    expect((await api.get('/readyz', { token: null })).text).toBe('ok');
    expect((await api.get('/livez/ping', { token: null })).status).toBe(403);
    expect((await api.get('/api', { token: null })).status).toBe(403);
  });

  it('users without rights may read only discovery', async () => {
    expect((await api.get('/api', { token: ALICE })).status).toBe(200);
    expect((await api.get('/api/v1/nodes', { token: ALICE })).message).toBe(
      'nodes is forbidden: User "alice" cannot list resource "nodes" in API group "" at the cluster scope',
    );
    expect((await api.get('/metrics', { token: ALICE })).message).toBe('forbidden: User "alice" cannot get path "/metrics"');
  });

  it.each<[string, Record<string, string>, number, CallOptions?]>([
    ['plain', {}, 200],
    ['with a foreign Host', { host: 'evil.example' }, 403],
    ['with a foreign Host and a port', { host: 'evil.example:8080' }, 403],
    ['with the name of this machine as Host', { host: 'localhost' }, 200],
    ['with an Origin', { origin: 'http://localhost' }, 403],
    ['with an opaque Origin', { origin: 'null' }, 403],
    ['of a preflight', { origin: 'https://evil.example', 'access-control-request-method': 'POST' }, 403, { method: 'OPTIONS' }],
    ['of another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['of a page', { 'sec-fetch-site': 'same-origin' }, 403],
    ['of a person', { 'sec-fetch-site': 'none' }, 200],
    ['with a body of no type', { 'content-length': '2' }, 403, { method: 'PUT' }],
    ['with the token of another user', { authorization: `Bearer ${ALICE}` }, 403],
    ['with an unknown token', { authorization: 'Bearer nope' }, 401],
  ])('a request %s (%j) to the local listener gets %i', async (_title, headers, status, more = {}) => {
    const response = await api.call(CONFIGMAP_ONE, { local: true, token: null, headers, ...more });
    expect([response.status, response.headers['access-control-allow-origin']]).toEqual([status, undefined]);
  });
});

it('aggregated discovery can be cached and revalidated', async () => {
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  const { headers } = await api.get('/apis', { accept });
  expect(headers['cache-control']).toBe('public');
  const again = await api.get('/apis', { headers: { accept, 'if-none-match': headers['etag'] ?? '' } });
  expect([again.status, again.text, again.headers['content-length']]).toEqual([304, '', undefined]);
});

describe('health and metrics', () => {
  it('the health endpoints list their checks, mark excluded ones, and have a path for each', async () => {
    const verbose = await api.get('/readyz?verbose&exclude=etcd');
    expect(verbose.text.startsWith('[+]ping ok\n[+]log ok\n[+]etcd excluded: ok\n[+]etcd-readiness ok\n[+]informer-sync ok\n')).toBe(true);
    expect(verbose.text.endsWith('[+]shutdown ok\nhealthz check passed\n')).toBe(true);
    expect((await api.get('/livez/shutdown')).status).toBe(404);
    expect((await api.get('/readyz/shutdown')).text).toBe('ok');
  });

  it('requests are counted with known labels only', async () => {
    await api.get('/made/up/path');
    const text = await api.metrics();
    expect(text).toMatch(
      /apiserver_request_total\{verb="GET",[^}]*resource="configmaps",[^}]*scope="resource",component="apiserver",code="200"\} \d+/,
    );
    expect(text).toMatch(/apiserver_request_duration_seconds_bucket\{verb="LIST",[^}]*resource="configmaps"[^}]*le="\+Inf"\} \d+/);
    expect(text).toMatch(/apiserver_storage_objects\{resource="namespaces"\} 4/);
    expect(text).not.toContain('made/up');
  });
});
