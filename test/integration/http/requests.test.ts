import { connect as connectHttp2 } from 'node:http2';
import { gunzipSync } from 'node:zlib';
import { issueCertificate } from '../../../shared/runtime/pki';
import { systemClock } from '../../../shared/runtime/clock';
import { ALICE } from './call';
import { useServer } from './fixture';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

const api = useServer();
beforeAll(async () => {
  await api.createConfigMap('one', { a: '1', angle: '<b>' });
  await api.createConfigMap('two');
});

describe('paths', () => {
  const ROUTE = 'the server could not find the requested resource';
  it.each([
    ['/api/v1/namespaces/../nodes', 404, ROUTE],
    [`${CONFIGMAPS}/..`, 400, `Name parameter invalid: "..": may not be '..'`],
    [`${CONFIGMAPS}/a%25b`, 400, `Name parameter invalid: "a%b": may not contain '%'`],
    [`${CONFIGMAPS}/a%2Fb`, 404, ROUTE],
    [`${CONFIGMAPS}/a%00b`, 404, 'configmaps "a\\x00b" not found'],
    ['/api/v1/namespaces//configmaps', 404, ROUTE],
    ['/api//v1/namespaces/default', 404, ROUTE],
    ['/api/v1/namespaces/%2e%2e/configmaps', 400, 'invalid key: "/configmaps/.."'],
    [`${CONFIGMAPS}/one/status`, 404, ROUTE],
    ['/api/v1/namespaces/default/nodes', 404, ROUTE],
    ['/api/v1/gizmos', 404, ROUTE],
    ['/api/v2/pods', 404, ROUTE],
  ])('GET %s answers %i', async (path, status, message) => {
    const answer = await api.get(path);
    expect(answer.status).toBe(status);
    expect(answer.message).toBe(message);
  });

  it.each([
    ['//api/v1/namespaces', 404, '404 page not found\n'],
    ['/nope', 404, '404 page not found\n'],
    ['/apis/none/v1/foos', 404, '404 page not found\n'],
    [`${CONFIGMAPS}/%zz`, 400, '400 Bad Request'],
  ])('GET %s answers %i as text', async (path, status, text) => {
    const answer = await api.get(path);
    expect([answer.status, answer.text, answer.headers['content-type']]).toEqual([status, text, 'text/plain; charset=utf-8']);
  });

  it.each([
    ['POST', '/api/v1/configmaps'],
    ['POST', `${CONFIGMAPS}/one`],
    ['PUT', CONFIGMAPS],
    ['DELETE', '/api/v1/configmaps'],
    ['OPTIONS', CONFIGMAPS],
    ['PROPFIND', `${CONFIGMAPS}/one`],
  ])('%s %s is not allowed', async (method, path) => {
    const answer = await api.call(path, { method });
    expect(answer.status).toBe(405);
    expect(answer.message).toBe('the server does not allow this method on the requested resource');
  });

  it('serves a trailing slash like none', async () => {
    expect((await api.get(`${CONFIGMAPS}/one/`)).status).toBe(200);
  });
});

describe('representations', () => {
  it('answers JSON with head, length and newline', async () => {
    const answer = await api.get(`${CONFIGMAPS}/one`);
    expect(answer.text.startsWith('{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"one","namespace":"default","uid":')).toBe(
      true,
    );
    expect(answer.text.endsWith('"data":{"a":"1","angle":"\\u003cb\\u003e"}}\n')).toBe(true);
    expect(answer.headers['content-length']).toBe(String(answer.body.length));
    expect(answer.headers['cache-control']).toBe('no-cache, private');
    expect(answer.headers['audit-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('lists items without kind and apiVersion', async () => {
    const answer = await api.get(`${CONFIGMAPS}?labelSelector=app%3Ddemo`);
    const { items } = answer.json;
    expect(answer.text.startsWith('{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"')).toBe(true);
    expect(items).toEqual([
      expect.objectContaining({ metadata: expect.objectContaining({ name: 'one' }) }),
      expect.objectContaining({ metadata: expect.objectContaining({ name: 'two' }) }),
    ]);
    expect(JSON.stringify(items)).not.toContain('"kind"');
  });

  it('indents for curl and on request, without a newline at the end', async () => {
    const asked = await api.get(`${CONFIGMAPS}/one?pretty=true`);
    expect(asked.text).toBe(JSON.stringify(JSON.parse(asked.text), null, 2).replaceAll('<', '\\u003c').replaceAll('>', '\\u003e'));
    const curl = await api.get(`${CONFIGMAPS}/one`, { headers: { 'user-agent': 'curl/8' } });
    expect(curl.text).toBe(asked.text);
    const list = await api.get(`${CONFIGMAPS}?pretty=1&labelSelector=none`);
    expect(list.text).toMatch(/"items": \[\]\n}$/);
  });

  it('answers a Table whose rows hold cells and metadata', async () => {
    const answer = await api.get(CONFIGMAPS, { accept: TABLE });
    const table = answer.json;
    expect(table['kind']).toBe('Table');
    expect(table['apiVersion']).toBe('meta.k8s.io/v1');
    expect(table['rows']).toEqual([
      {
        cells: ['one', 2, expect.any(String)],
        object: expect.objectContaining({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' }),
      },
      { cells: ['two', 0, expect.any(String)], object: expect.anything() },
    ]);
    const bare = await api.get(`${CONFIGMAPS}/one?includeObject=None`, { accept: TABLE });
    expect(bare.json['rows']).toEqual([{ cells: expect.anything(), object: null }]);
    const wrong = await api.get(`${CONFIGMAPS}/one?includeObject=Foo`, { accept: TABLE });
    expect(wrong.status).toBe(400);
  });

  it('answers metadata only', async () => {
    const one = await api.get(`${CONFIGMAPS}/one`, { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.platform.io' });
    expect(one.json).toEqual({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.platform.io/v1',
      metadata: expect.objectContaining({ name: 'one' }),
    });
    const list = await api.get(CONFIGMAPS, { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' });
    expect(list.json).toMatchObject({
      kind: 'PartialObjectMetadataList',
      items: [{ metadata: { name: 'one' } }, { metadata: { name: 'two' } }],
    });
    const wrong = await api.get(CONFIGMAPS, { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' });
    expect(wrong.status).toBe(406);
    expect(wrong.message).toBe('you requested PartialObjectMetadata, but the requested object is a list (*core.ConfigMapList)');
  });

  it('answers YAML, lists member by member', async () => {
    const one = await api.get(`${CONFIGMAPS}/one`, { accept: 'application/yaml' });
    expect(one.headers['content-type']).toBe('application/yaml');
    expect(one.text).toMatch(/^apiVersion: v1\ndata:\n {2}a: "1"\n {2}angle: <b>\nkind: ConfigMap\nmetadata:\n/);
    const list = await api.get(CONFIGMAPS, { accept: 'application/yaml' });
    expect(list.text).toMatch(/^apiVersion: v1\nitems:\n- data:\n {4}a: "1"\n/);
    expect(list.text).toMatch(/\nkind: ConfigMapList\nmetadata:\n {2}resourceVersion: "\d+"\n$/);
    const empty = await api.get(`${CONFIGMAPS}?labelSelector=none`, { accept: 'application/yaml' });
    expect(empty.text).toMatch(/^apiVersion: v1\nitems: \[\]\nkind: ConfigMapList\n/);
  });

  it('answers the binary form in the dialect of its media type', async () => {
    const one = await api.get(`${CONFIGMAPS}/one`, { accept: 'application/vnd.kubernetes.protobuf' });
    expect(one.headers['content-type']).toBe('application/vnd.kubernetes.protobuf');
    expect(one.body.subarray(0, 4)).toEqual(Buffer.from('k8s\0'));
    expect(one.body.includes(Buffer.from('ConfigMap'))).toBe(true);
    const list = await api.get(CONFIGMAPS, { accept: 'application/vnd.platform.protobuf' });
    expect(list.body.subarray(0, 4)).toEqual(Buffer.from('k8s\0'));
    expect(list.body.includes(Buffer.from('ConfigMapList'))).toBe(true);
  });

  it('compresses what is longer than 128 KiB, and nothing else', async () => {
    await api.createConfigMap('large', { blob: 'x'.repeat(200_000) });
    const plain = await api.get(`${CONFIGMAPS}/large`);
    const packed = await api.get(`${CONFIGMAPS}/large`, { headers: { 'accept-encoding': 'gzip' } });
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(packed.headers['vary']).toBe('Accept-Encoding');
    expect(gunzipSync(packed.body)).toEqual(plain.body);
    const list = await api.get(CONFIGMAPS, { headers: { 'accept-encoding': 'deflate, gzip' } });
    expect({ ...list, text: gunzipSync(list.body).toString() }.json['items']).toHaveLength(3);
    const small = await api.get(`${CONFIGMAPS}/one`, { headers: { 'accept-encoding': 'gzip' } });
    expect(small.headers['content-encoding']).toBeUndefined();
  });

  it.each([
    [
      'image/png',
      '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.platform.protobuf',
    ],
    [
      'application/json;as=Foo;v=v1;g=meta.k8s.io',
      'only the following media types are accepted: application/json, application/yaml, application/vnd.platform.protobuf',
    ],
  ])('refuses Accept: %s', async (accept, message) => {
    const answer = await api.get(`${CONFIGMAPS}/one`, { accept });
    expect(answer.status).toBe(406);
    expect(answer.message).toBe(message);
  });

  it('writes errors as the client accepts them, else as indented JSON', async () => {
    const yaml = await api.get(`${CONFIGMAPS}/none`, { accept: 'application/yaml' });
    expect(yaml.text).toMatch(/^apiVersion: v1\ncode: 404\n/);
    const table = await api.get(`${CONFIGMAPS}/none`, { accept: TABLE });
    expect(table.text).toBe(JSON.stringify(JSON.parse(table.text), null, 2));
    expect(table.status).toBe(404);
  });
});

describe('dialects', () => {
  it('answers in the dialect of the path, and spells groups in errors with it', async () => {
    const missing = await api.get('/apis/coordination.k8s.io/v1/namespaces/default/leases/x');
    expect(missing.json).toMatchObject({ message: 'leases.coordination.k8s.io "x" not found', details: { group: 'coordination.k8s.io' } });
    const neutral = await api.get('/apis/coordination.platform.io/v1/namespaces/default/leases/x');
    expect(neutral.message).toBe('leases.coordination.platform.io "x" not found');
    const body = JSON.stringify({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'l' },
      spec: { holderIdentity: 'h' },
    });
    await api.post('/apis/coordination.k8s.io/v1/namespaces/default/leases', body);
    const lease = await api.get('/apis/coordination.platform.io/v1/namespaces/default/leases/l');
    expect(lease.json['apiVersion']).toBe('coordination.platform.io/v1');
  });

  it('spells references to groups in the dialect asked for', async () => {
    const ownerReferences = [{ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', name: 'l', uid: 'u' }];
    const body = JSON.stringify({ metadata: { name: 'owned', ownerReferences } });
    await api.post(CONFIGMAPS, body);
    const neutral = await api.get(`${CONFIGMAPS}/owned`);
    expect(neutral.text).toContain('"apiVersion":"coordination.platform.io/v1"');
    const upstream = await api.get(`${CONFIGMAPS}/owned`, { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' });
    expect(upstream.text).toContain('"apiVersion":"coordination.k8s.io/v1"');
  });
});

describe('bodies', () => {
  const post = (body: string | Buffer, type = 'application/json', query = '?dryRun=All') =>
    api.post(`${CONFIGMAPS}${query}`, body, { type: type });
  const UNRECOGNIZED = 'the object provided is unrecognized (must be of type ConfigMap): ';
  const HEAD = `${UNRECOGNIZED}couldn't get version/kind; json parse error: `;

  it.each([
    ['', `${HEAD}unexpected end of JSON input (<empty>)`],
    ['{"a":', `${HEAD}unexpected end of JSON input ({"a":)`],
    ['hello', `${HEAD}invalid character 'h' looking for beginning of value (68656c6c6f)`],
    ['{"kind":5}', `${HEAD}json: cannot unmarshal number into Go struct field .kind of type string ({"kind":5})`],
    [
      '{"apiVersion":"a/b/c","x":"0123456789"}',
      `${UNRECOGNIZED}unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c","x":"012 ...)`,
    ],
    ['\ufeff{}', `${HEAD}invalid character 'ï' looking for beginning of value (efbbbf7b7d)`],
  ])('refuses %j with upstream\u2019s words', async (body, message) => {
    const answer = await post(body);
    expect(answer.status).toBe(400);
    expect(answer.message).toBe(message);
  });

  it('refuses deep nesting, invalid UTF-8 and a polluting member without harm', async () => {
    const deep = await post(`{"data":${'['.repeat(20_000)}${']'.repeat(20_000)}}`);
    expect(deep.status).toBe(400);
    expect(deep.message).toContain('exceeded max depth');
    expect((await post(Buffer.from('{"metadata":{"name":"b\xff"}}', 'latin1'))).status).toBe(422);
    const polluting = await post('{"metadata":{"name":"p"},"__proto__":{"polluted":true},"constructor":1}');
    expect(polluting.status).toBe(201);
    expect(polluting.headers['warning']).toContain('unknown field \\"__proto__\\"');
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it('refuses more than 3 MiB, told beforehand or not', async () => {
    const body = Buffer.alloc(3 * 1024 * 1024 + 1, 0x20);
    const told = await post(body);
    expect(told.status).toBe(413);
    expect(told.message).toBe('Request entity too large: limit is 3145728');
    expect((await api.post(CONFIGMAPS, Buffer.alloc(3 * 1024 * 1024, 0x20))).status).toBe(400);
  });

  it.each([['text/plain'], [';;'], ['application/json; x']])('refuses Content-Type %s', async (type) => {
    const answer = await post('{}', type);
    expect(answer.status).toBe(415);
  });

  it('takes YAML, and warns of unknown fields', async () => {
    const answer = await post('metadata:\n  name: from-yaml\nbogus: 1\n', 'application/yaml');
    expect(answer.status).toBe(201);
    expect(answer.headers['warning']).toBe('299 - "unknown field \\"bogus\\""');
  });

  it('refuses a patch of an unknown type', async () => {
    const answer = await api.call(`${CONFIGMAPS}/one`, { method: 'PATCH', body: '{}' });
    expect(answer.json).toMatchObject({ code: 415, message: '415: Unsupported Media Type', details: {} });
  });

  it.each([
    ['?dryRun=all', '[]string{"all"}'],
    ['?dryRun=All&dryRun=x', '[]string{"All", "x"}'],
  ])('takes %s for no dry run and for no write', async (query, shown) => {
    const requests = [
      ['CreateOptions', '', { method: 'POST', body: '{"metadata":{"name":"half-dry"}}' }],
      ['PatchOptions', '/one', { method: 'PATCH', body: '{}', headers: { 'content-type': 'application/merge-patch+json' } }],
      ['DeleteOptions', '/one', { method: 'DELETE' }],
      ['DeleteOptions', '', { method: 'DELETE' }],
    ] as const;
    for (const [kind, path, request] of requests) {
      const answer = await api.call(`${CONFIGMAPS}${path}${query}`, request);
      expect(answer.json).toMatchObject({
        code: 422,
        message: `${kind}.meta.platform.io "" is invalid: dryRun: Unsupported value: ${shown}: supported values: "All"`,
      });
    }
    expect((await api.get(`${CONFIGMAPS}/half-dry`)).status).toBe(404);
  });

  it('takes a dryRun without a value for none, and honours one beside it', async () => {
    const create = (query: string, name: string): Promise<number> =>
      api.post(`${CONFIGMAPS}${query}`, { metadata: { name } }).then(({ status }) => status);
    expect(await create('?dryRun=', 'wet')).toBe(201);
    expect(await create('?dryRun=All&dryRun=', 'dry')).toBe(201);
    expect((await api.get(`${CONFIGMAPS}/wet`)).status).toBe(200);
    expect((await api.get(`${CONFIGMAPS}/dry`)).status).toBe(404);
    await api.delete(`${CONFIGMAPS}/wet?dryRun`);
    expect((await api.get(`${CONFIGMAPS}/wet`)).status).toBe(404);
  });

  it('honours a dry run of DELETE wherever it stands', async () => {
    await api.delete(`${CONFIGMAPS}/one?dryRun=All`, { body: '{"kind":"DeleteOptions"}' });
    await api.delete(`${CONFIGMAPS}/one`, { body: '{"dryRun":["All"]}' });
    expect((await api.get(`${CONFIGMAPS}/one`)).status).toBe(200);
    const wrong = await api.delete(`${CONFIGMAPS}/one?dryRun=x`, { body: '{}' });
    expect(wrong.status).toBe(422);
    const kind = await api.delete(`${CONFIGMAPS}/one`, { body: '{"kind":"Foo"}' });
    expect(kind.json).toMatchObject({
      code: 400,
      message: expect.stringContaining('no kind "Foo" is registered for version "meta.platform.io/v1"'),
    });
  });
});

it('has the priority classes of every cluster when it is ready', async () => {
  const list = await api.get('/apis/scheduling.platform.io/v1/priorityclasses');
  expect(list.json['items']).toMatchObject([
    { metadata: { name: 'system-cluster-critical' }, value: 2_000_000_000 },
    { metadata: { name: 'system-node-critical' }, value: 2_000_001_000 },
  ]);
});

describe('parameters', () => {
  it.each([
    ['?limit=abc', 400, 'strconv.ParseInt: parsing "abc": invalid syntax'],
    ['?limit=99999999999999999999', 400, 'strconv.ParseInt: parsing "99999999999999999999": value out of range'],
    ['?resourceVersion=abc', 400, 'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax'],
    ['?resourceVersion=-1', 400, 'resourceVersion: Invalid value: "-1": strconv.ParseUint: parsing "-1": invalid syntax'],
    [
      '?resourceVersion=1e3&limit=1',
      400,
      'invalid resource version: resourceVersion: Invalid value: "1e3": strconv.ParseUint: parsing "1e3": invalid syntax',
    ],
    ['?timeout=abc', 400, 'invalid timeout specified in the request URL - time: invalid duration "abc"'],
    [
      '?continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiIuLi94In0',
      400,
      'invalid continue token: continue key is not valid: ../x',
    ],
    [
      '?sendInitialEvents=true',
      422,
      'ListOptions.meta.platform.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list',
    ],
  ])('GET %s', async (query, status, message) => {
    const answer = await api.get(`${CONFIGMAPS}${query}`);
    expect(answer.status).toBe(status);
    expect(answer.message).toBe(message);
  });
});

describe('access', () => {
  it('knows tokens and client certificates, and refuses what it does not know', async () => {
    const bad = await api.get('/api', { token: 'nope' });
    expect([bad.status, bad.message]).toEqual([401, 'Unauthorized']);
    const authority = api.authority;
    const request = { lifetimeMs: 3_600_000, clock: systemClock, usage: 'client' } as const;
    const admin = await issueCertificate({
      ...request,
      authority,
      subject: { commonName: 'root', organizations: ['devs', 'system:masters'] },
    });
    expect((await api.get(`${CONFIGMAPS}/one`, { token: null, certificate: admin })).status).toBe(200);
    const nobody = await issueCertificate({ ...request, authority, subject: { commonName: 'bob', organizations: ['devs'] } });
    const refused = await api.get(`${CONFIGMAPS}/one`, { token: null, certificate: nobody });
    expect(refused.message).toBe(
      'configmaps "one" is forbidden: User "bob" cannot get resource "configmaps" in API group "" in the namespace "default"',
    );
    expect(refused.headers['x-content-type-options']).toBe('nosniff');
  });

  it('knows a client certificate over HTTP/2 as well', async () => {
    const certificate = await issueCertificate({
      lifetimeMs: 3_600_000,
      clock: systemClock,
      usage: 'client',
      authority: api.authority,
      subject: { commonName: 'root', organizations: ['devs', 'system:masters'] },
    });
    const session = connectHttp2(`https://127.0.0.1:${api.server.port}`, {
      rejectUnauthorized: false,
      cert: certificate.certificate,
      key: certificate.key,
    });
    const stream = session.request({ ':path': `${CONFIGMAPS}/one` });
    const status = await new Promise((resolve, reject) => {
      stream.on('response', (headers) => resolve(headers[':status']));
      stream.on('error', reject);
    });
    session.destroy();
    expect(status).toBe(200);
  });

  it('lets everyone see the version, users the discovery, and nobody else anything', async () => {
    expect((await api.get('/version', { token: null })).status).toBe(200);
    expect((await api.get('/readyz', { token: null })).text).toBe('ok');
    expect((await api.get('/livez/ping', { token: null })).status).toBe(403);
    expect((await api.get('/api', { token: null })).status).toBe(403);
    expect((await api.get('/api', { token: ALICE })).status).toBe(200);
    const list = await api.get('/api/v1/nodes', { token: ALICE });
    expect(list.message).toBe('nodes is forbidden: User "alice" cannot list resource "nodes" in API group "" at the cluster scope');
    const metrics = await api.get('/metrics', { token: ALICE });
    expect(metrics.message).toBe('forbidden: User "alice" cannot get path "/metrics"');
  });

  it('keeps web pages away from the local listener, which is the administrator\u2019s', async () => {
    const local = (headers: Record<string, string>, more: object = {}) =>
      api.call(`${CONFIGMAPS}/one`, { local: true, token: null, headers, ...more });
    expect((await local({})).status).toBe(200);
    expect((await local({ host: 'evil.example' })).status).toBe(403);
    expect((await local({ origin: 'http://localhost' })).status).toBe(403);
    expect((await local({ 'sec-fetch-site': 'same-origin' })).status).toBe(403);
    expect((await local({ 'sec-fetch-site': 'none' })).status).toBe(200);
    expect((await local({ 'content-length': '2' }, { method: 'PUT' })).status).toBe(403);
    expect((await local({ authorization: `Bearer ${ALICE}` })).status).toBe(403);
    expect((await local({ authorization: 'Bearer nope' })).status).toBe(401);
  });
});

it('has discovery say for itself how long it keeps', async () => {
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  const first = await api.get('/apis', { accept });
  expect(first.headers['cache-control']).toBe('public');
  const again = await api.get('/apis', { headers: { accept, 'if-none-match': first.headers['etag'] ?? '' } });
  expect([again.status, again.text, again.headers['content-length']]).toEqual([304, '', undefined]);
});

describe('health and metrics', () => {
  it('lists checks when asked and answers single ones', async () => {
    const verbose = await api.get('/readyz?verbose&exclude=etcd');
    expect(verbose.text.startsWith('[+]ping ok\n[+]log ok\n[+]etcd excluded: ok\n[+]etcd-readiness ok\n[+]informer-sync ok\n')).toBe(true);
    expect(verbose.text.endsWith('[+]shutdown ok\nhealthz check passed\n')).toBe(true);
    expect((await api.get('/livez/shutdown')).status).toBe(404);
    expect((await api.get('/readyz/shutdown')).text).toBe('ok');
  });

  it('counts requests by known labels only', async () => {
    await api.get('/made/up/path');
    const { text } = await api.get('/metrics');
    expect(text).toMatch(
      /apiserver_request_total\{verb="GET",[^}]*resource="configmaps",[^}]*scope="resource",component="apiserver",code="200"\} \d+/,
    );
    expect(text).toMatch(/apiserver_request_duration_seconds_bucket\{verb="LIST",[^}]*resource="configmaps"[^}]*le="\+Inf"\} \d+/);
    expect(text).toMatch(/apiserver_storage_objects\{resource="namespaces"\} 4/);
    expect(text).not.toContain('made/up');
  });
});
