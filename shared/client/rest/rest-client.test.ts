/** Requests and retries of the client on a fake API server. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { jsonResponse, statusResponse } from '../../../test/support/controllers/fake-api';
import { fakeClient } from '../../../test/support/controllers/fake-client';
import { FixedRandom } from '../../../test/support/clock/fixed-random';
import { ManualClock } from '../../../test/support/clock/manual-clock';
import { ApiError, isNotFound } from './api-error';
import { CredentialSource } from '../kubeconfig/credential-source';
import { resourceOf } from './resource';
import { RestClient } from './rest-client';
import { ConnectionError, type Transport, type TransportRequest } from '../transport/transport';

const MAPS = resourceOf('core.v1.ConfigMap');
const LEASES = resourceOf('coordination.v1.Lease');
const map = (name: string, data = {}) => ({ metadata: { namespace: 'n', name }, data });

test.each([
  ['platform', 'coordination.platform.io'],
  ['kubernetes', 'coordination.k8s.io'],
] as const)('RestClient spells paths and bodies in the dialect %s', async (dialect, group) => {
  const { api, client } = fakeClient({ dialect });
  const leases = client.of(LEASES).namespace('n');
  await leases.create({ metadata: { name: 'l' } });
  expect((await leases.get('l')).body['apiVersion']).toBe(`${group}/v1`);
  expect(api.requests).toEqual([`POST /apis/${group}/v1/namespaces/n/leases`, `GET /apis/${group}/v1/namespaces/n/leases/l`]);
});

test('RestClient escapes the segments of paths and the values of queries', async () => {
  const { api, client } = fakeClient();
  await client.of(MAPS).namespace('a/b').list({ labelSelector: 'a in (b)', limit: 3 });
  expect(api.requests).toEqual(['GET /api/v1/namespaces/a%2Fb/configmaps?labelSelector=a+in+%28b%29&limit=3']);
});

test('RestClient throws an error with the code, reason and message of the Status', async () => {
  const { client } = fakeClient();
  const error = await client
    .of(MAPS)
    .namespace('n')
    .get('x')
    .catch((thrown: unknown) => thrown);
  expect(isNotFound(error)).toBe(true);
  expect(error).toMatchObject({ code: 404, reason: 'NotFound', message: 'fake NotFound' });
});

test('RestClient keeps 64-bit integers exact from get to update', async () => {
  const { api, client } = fakeClient();
  const body = async function* (): AsyncGenerator<Buffer> {
    yield Buffer.from('{"metadata":{"name":"x","namespace":"n"},"big":9223372036854775807}');
  };
  let sent = '';
  api.intercept = (request) => {
    if (request.method === 'GET') return { status: 200, header: () => undefined, body: body() };
    sent = request.body?.toString() ?? '';
    return undefined;
  };
  const object = await client.of(MAPS).namespace('n').get('x');
  await client
    .of(MAPS)
    .namespace(object.namespace)
    .update(object.body)
    .catch(() => undefined);
  expect(sent).toContain('"big":9223372036854775807');
});

test('RestClient reads and writes the scale of an object of any kind as a Scale', async () => {
  const { api, client } = fakeClient();
  const sent: string[] = [];
  const scale = { metadata: { name: 'web', namespace: 'n' }, spec: { replicas: 3 } };
  api.intercept = ({ method, path, body }) => {
    sent.push(`${method} ${path} ${body?.toString() ?? ''}`);
    return jsonResponse(200, scale);
  };
  const { body } = await client.of(resourceOf('apps.v1.Deployment')).namespace('n').getScale('web');
  await client
    .of(resourceOf('apps.v1.Deployment'))
    .namespace('n')
    .updateScale({ ...body, spec: { replicas: (body.spec?.replicas ?? 0) + 1 } });
  const path = '/apis/apps/v1/namespaces/n/deployments/web/scale';
  const written = JSON.stringify({ ...scale, spec: { replicas: 4 }, apiVersion: 'autoscaling/v1', kind: 'Scale' });
  expect(sent).toEqual([`GET ${path} `, `PUT ${path} ${written}`]);
});

describe('retries of RestClient', () => {
  /** A fake client: its requests get the outcomes in turn, then the fake server's own responses. */
  function scripted(...outcomes: (ReturnType<typeof statusResponse> | Error)[]) {
    const fake = fakeClient();
    fake.api.put('/api/v1/configmaps', map('x'));
    fake.api.intercept = () => outcomes.shift();
    return fake;
  }

  const lost = (): Error => new ConnectionError('lost', { wasSent: true });
  const unsent = (): Error => new ConnectionError('refused', { wasSent: false });

  test('repeat a read whose response is lost', async () => {
    const { api, clock, client } = scripted(lost(), lost());
    const got = client.of(MAPS).namespace('n').get('x');
    await clock.advanceAsync(1_000);
    expect((await got).name).toBe('x');
    expect(api.requests).toHaveLength(3);
  });

  test('do not repeat a write whose response is lost', async () => {
    const { api, client } = scripted(lost());
    await expect(client.of(MAPS).namespace('n').delete('x')).rejects.toThrow('lost');
    expect(api.requests).toHaveLength(1);
  });

  test('repeat a write that was never sent', async () => {
    const { api, clock, client } = scripted(unsent());
    const deleted = client.of(MAPS).namespace('n').delete('x');
    await clock.advanceAsync(1_000);
    await deleted;
    expect(api.get('/api/v1/configmaps', 'n', 'x')).toBeUndefined();
  });

  test('wait for Retry-After, also before writes', async () => {
    const { api, clock, client } = scripted(
      statusResponse(429, 'TooManyRequests', { 'retry-after': '7' }),
      statusResponse(503, '', { 'retry-after': '1' }),
    );
    const updated = client
      .of(MAPS)
      .namespace('n')
      .update(map('x', { a: 'b' }));
    await clock.advanceAsync(6_900);
    expect(api.requests).toHaveLength(1);
    await clock.advanceAsync(200);
    expect(api.requests).toHaveLength(2);
    await clock.advanceAsync(1_000);
    expect((await updated).body['data']).toEqual({ a: 'b' });
  });

  test('do not repeat a request after 503 without Retry-After', async () => {
    const { api, client } = scripted(statusResponse(503, 'ServiceUnavailable'));
    await expect(client.of(MAPS).namespace('n').get('x')).rejects.toBeInstanceOf(ApiError);
    expect(api.requests).toHaveLength(1);
  });

  test('stop at the deadline', async () => {
    const { api, clock, client } = fakeClient();
    api.intercept = () => unsent();
    const got = client
      .of(MAPS)
      .namespace('n')
      .get('x', { timeoutMs: 5_000 })
      .catch((error: unknown) => error);
    await clock.advanceAsync(6_000);
    expect(await got).toBeInstanceOf(ConnectionError);
    expect(clock.pending).toBe(0);
  });

  test('stop waiting for a response at the deadline', async () => {
    const { api, clock, client } = fakeClient();
    api.intercept = ({ signal }) =>
      new Promise((resolve) => signal?.addEventListener('abort', () => resolve(signal.reason), { once: true }));
    const got = client
      .of(MAPS)
      .namespace('n')
      .get('x', { timeoutMs: 5_000 })
      .catch((error: unknown) => error);
    await clock.advanceAsync(5_000);
    expect(await got).toMatchObject({ name: 'ConnectionError', message: expect.stringContaining('in time') });
  });
});

test('RestClient reads the token file again when the server rejects the token', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'client-'));
  try {
    const file = path.join(folder, 'token');
    writeFileSync(file, 'old\n');
    const seen: (string | undefined)[] = [];
    const transport: Transport = {
      send: async ({ headers }: TransportRequest) => {
        seen.push(headers['authorization']?.toString());
        return headers['authorization'] === 'Bearer new'
          ? jsonResponse(200, { metadata: { name: 'x' } })
          : statusResponse(401, 'Unauthorized');
      },
      close: () => undefined,
    };
    const clock = new ManualClock();
    const credentials = new CredentialSource({ type: 'token-file', file }, clock);
    const client = new RestClient({ transport, credentials, dialect: 'platform', userAgent: 't', clock, random: new FixedRandom() });
    await expect(client.of(MAPS).namespace('n').get('x')).rejects.toMatchObject({ code: 401 });
    writeFileSync(file, 'new\n');
    await client.of(MAPS).namespace('n').get('x');
    expect(seen).toEqual(['Bearer old', 'Bearer old', 'Bearer new']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a fenced client sends its lease fence with writes only', async () => {
  const { api, client } = fakeClient();
  const headers: (string | undefined)[] = [];
  api.intercept = (request) => void headers.push(request.headers['x-lease-fence']?.toString());
  const fenced = client.withFence({ namespace: 's', name: 'l', holder: 'me here_1', transitions: 3 });
  await fenced.of(MAPS).list();
  await fenced
    .of(MAPS)
    .namespace('n')
    .create(map('x'))
    .catch(() => undefined);
  expect(headers).toEqual([undefined, 's/l;3;me%20here_1']);
});

test('watch returns events in order, across chunk boundaries, until the server ends the stream', async () => {
  const { api, client } = fakeClient();
  const lines = [
    '{"type":"ADDED","object":{"metadata":{"name":"ä","resourceVersion":"1"}}}',
    '{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"2"}}}',
  ];
  const bytes = Buffer.from(`${lines.join('\n')}\n{"type":"ADD`);
  api.intercept = () => ({
    status: 200,
    header: () => undefined,
    body: (async function* () {
      for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
    })(),
  });
  const seen = [];
  for await (const event of client.of(MAPS).watch({ from: { resourceVersion: '0' }, timeoutSeconds: 5 })) seen.push(event);
  expect(seen).toMatchObject([
    { type: 'ADDED', object: { name: 'ä' } },
    { type: 'BOOKMARK', resourceVersion: '2' },
  ]);
});

test('withUserAgent changes the User-Agent header of the returned client only', async () => {
  const { api, client } = fakeClient();
  const agents: unknown[] = [];
  api.intercept = ({ headers }) => void agents.push(headers['user-agent']);
  await client.withUserAgent('program/v1 (linux/amd64)').of(MAPS).namespace('n').create(map('a'));
  await client.of(MAPS).namespace('n').create(map('b'));
  expect(agents).toEqual(['program/v1 (linux/amd64)', 'test']);
});

test('apply sends its field manager and forces conflicts', async () => {
  const { api, client } = fakeClient({ dialect: 'kubernetes' });
  api.put('/api/v1/configmaps', map('a'));
  const bodies: unknown[] = [];
  api.intercept = ({ headers, body }) => void bodies.push(headers['content-type'], JSON.parse(body?.toString() ?? ''));
  await client
    .of(MAPS)
    .namespace('n')
    .apply(map('a', { x: '1' }), { fieldManager: 'm/n', subresource: 'status' });
  expect(api.requests).toEqual(['PATCH /api/v1/namespaces/n/configmaps/a/status?fieldManager=m%2Fn&force=true']);
  expect(bodies).toEqual(['application/apply-patch+yaml', { apiVersion: 'v1', kind: 'ConfigMap', ...map('a', { x: '1' }) }]);
});
