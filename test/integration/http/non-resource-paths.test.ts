/** Paths besides those of resources: the methods that they accept, their content, and responses to unknown paths. */
import { STORED_KINDS } from '../../../shared/api/kinds';
import { ALICE } from './api-call';
import { useServer } from './fixture';

const api = useServer();

const METHODS = ['HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const ANY_METHOD_PATHS = '/ /index.html /healthz /livez/ping /readyz /metrics /apis /apis/ /apis/apps /openapi/v2 /openapi/v3'.split(' ');
const GET_ONLY_PATHS = '/version /version/ /api /api/ /api/v1 /api/v1/ /apis/apps/v1 /apis/rbac.authorization.k8s.io/v1'.split(' ');
const UNKNOWN_PATHS = '// //api /index.html/ /API /apis/none /apis/none/v1 /apis//v1 /healthz/ /metrics/ /openapi /logs /a:b /*'.split(' ');
const UNKNOWN_API_PATHS = '/api/v9 /api// /apis/apps/v9 /apis/apps//'.split(' ');

it.each(ANY_METHOD_PATHS)('%s accepts every method', async (path) => {
  const { text, headers } = await api.get(path);
  for (const method of METHODS) {
    const response = await api.call(path, { method });
    expect([method, response.status, response.headers['content-type']]).toEqual([method, 200, headers['content-type']]);
    if (path !== '/metrics') expect(response.text).toBe(method === 'HEAD' ? '' : text);
  }
});

it.each(GET_ONLY_PATHS)('%s accepts GET only', async (path) => {
  expect((await api.get(path)).status).toBe(200);
  for (const method of METHODS) {
    const response = await api.call(path, { method });
    expect([method, response.status]).toEqual([method, 405]);
    if (method !== 'HEAD') expect(response.json).toMatchObject({ kind: 'Status', reason: 'MethodNotAllowed' });
  }
});

it.each(UNKNOWN_PATHS)('%s is not found for GET and POST', async (path) => {
  for (const method of ['GET', 'POST']) {
    const response = await api.call(path, { method });
    expect([response.status, response.text]).toEqual([404, '404 page not found\n']);
  }
});

it.each(UNKNOWN_API_PATHS)('%s is not found for GET and POST, with a Status', async (path) => {
  for (const method of ['GET', 'POST']) {
    const response = await api.call(path, { method });
    expect([response.status, response.json['reason']]).toEqual([404, 'NotFound']);
  }
});

it('a path is unescaped before it is routed', async () => {
  expect((await api.get('/%61pi')).status).toBe(200);
  expect((await api.get('/livez/%70ing')).text).toBe('ok');
  expect((await api.get('/version%3fx')).status).toBe(404);
  expect((await api.get('/version%23')).status).toBe(404);
});

it('/api has the advertised address', async () => {
  expect((await api.read('/api'))['serverAddressByClientCIDRs']).toEqual([{ clientCIDR: '0.0.0.0/0', serverAddress: '192.0.2.1:0' }]);
});

it('/ lists served paths in their order, each of which responds', async () => {
  const { paths } = await api.read('/');
  if (!Array.isArray(paths)) throw new Error('no list');
  const listed = paths.map(String);
  expect(listed).toEqual([...listed].sort());
  expect(listed).toEqual(
    expect.arrayContaining(['/api', '/api/v1', '/healthz', '/livez', '/metrics', '/openapi/v2', '/openapi/v3', '/readyz', '/version']),
  );
  expect(listed).not.toContain('/openid/v1/jwks');
  expect(listed.length).toBeLessThan(STORED_KINDS.length * 2);
  for (const path of listed) expect([path, (await api.get(path)).status]).toEqual([path, 200]);
});

it.each(['/statusz', '/flagz'])('%s is a page of text that needs permission', async (path) => {
  const { status, headers, text } = await api.get(path);
  expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(text).toContain('Warning: This page is for people.');
  expect((await api.call(path, { token: ALICE })).status).toBe(403);
});

describe('the health endpoints', () => {
  it('list their checks, and mark excluded ones', async () => {
    const { text } = await api.get('/readyz?verbose&exclude=etcd');
    expect(text.startsWith('[+]ping ok\n[+]log ok\n[+]etcd excluded: ok\n[+]etcd-readiness ok\n[+]informer-sync ok\n')).toBe(true);
    expect(text.endsWith('[+]shutdown ok\nhealthz check passed\n')).toBe(true);
  });

  it('have a path for each of their checks', async () => {
    expect((await api.get('/readyz/shutdown')).text).toBe('ok');
    // A server that shuts down is still live.
    expect((await api.get('/livez/shutdown')).status).toBe(404);
  });
});

describe('/metrics', () => {
  it('counts and times requests by verb, resource and scope', async () => {
    await api.get('/api/v1/namespaces/default/configmaps');
    await api.get('/api/v1/namespaces/default/configmaps/none');
    const text = await api.metrics();
    expect(text).toMatch(
      /apiserver_request_total\{verb="GET",[^}]*resource="configmaps",[^}]*scope="resource",component="apiserver",code="404"\} 1/,
    );
    expect(text).toMatch(/apiserver_request_duration_seconds_bucket\{verb="LIST",[^}]*resource="configmaps"[^}]*le="\+Inf"\} 1/);
  });

  it('has no label with a path that the server does not serve', async () => {
    await api.get('/made/up/path');
    expect(await api.metrics()).not.toContain('made/up');
  });

  it('counts stored objects, such as the four initial namespaces', async () => {
    expect(await api.metrics()).toMatch(/apiserver_storage_objects\{resource="namespaces"\} 4/);
  });
});

it('/docs is not served by default', async () => {
  for (const path of ['/docs', '/docs/', '/docs/redoc.js']) expect((await api.get(path)).status).toBe(404);
});
