/** Another API server behind an APIService: what it is asked and in whose name, what becomes of its answers, and what discovery says of it. */
import { connect } from 'node:tls';
import { once } from 'node:events';
import { systemClock as clock } from '../../../shared/runtime/clock';
import { issueCertificate } from '../../../shared/runtime/pki';
import { EXTENSION_GROUP, startExtensionServer, type ExtensionServer } from '../../support/extension-server';
import { waitUntil } from '../../support/programs';
import { ADMIN, ALICE, type Answer } from './call';
import { type Fixture, startFixture } from './fixture';

const SERVICES = '/apis/apiregistration.platform.io/v1/apiservices';
const NAME = `v1.${EXTENSION_GROUP}`;
const ROOT = `/apis/${EXTENSION_GROUP}/v1`;
const FLUNDERS = `${ROOT}/namespaces/default/flunders`;
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

let api: Fixture;
let extension: ExtensionServer;

async function sent(method: string, path: string, body: object): Promise<Answer> {
  const headers = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {};
  const answer = await api.call(path, { method, body: body, headers });
  if (answer.status >= 300) throw new Error(answer.text);
  return answer;
}

type Condition = Readonly<Record<string, unknown>>;

async function condition(): Promise<Condition> {
  const status: unknown = (await api.read(`${SERVICES}/${NAME}`))['status'];
  return Object(status).conditions?.[0] ?? {};
}

/** Until it is so. */
async function available(reason: string): Promise<Condition> {
  let found = await condition();
  await waitUntil(`the reason ${reason}`, async () => {
    found = await condition();
    return found['reason'] === reason;
  });
  return found;
}

const register = (spec: object): object => ({
  metadata: { name: NAME },
  spec: { group: EXTENSION_GROUP, version: 'v1', groupPriorityMinimum: 100, versionPriority: 10, ...spec },
});

/** What makes a server look anew. */
let looks = 0;
const lookAgain = (): Promise<Answer> =>
  sent('PATCH', `${SERVICES}/${NAME}`, { spec: { versionPriority: 20 + (looks = (looks + 1) % 100) } });

beforeAll(async () => {
  const files: { cert?: Buffer; key?: Buffer } = {};
  api = await startFixture({ proxyCredentials: () => files });
  const { authority } = api;
  const subject = { commonName: 'front-proxy' };
  const proxy = await issueCertificate({ authority, usage: 'client', subject, names: [], lifetimeMs: 3_600_000, clock });
  Object.assign(files, { cert: Buffer.from(proxy.certificate), key: Buffer.from(proxy.key) });
  extension = await startExtensionServer('ext', 'agg');
});
afterAll(async () => {
  await api.stop();
  await extension.close();
});

describe('availability', () => {
  test('is told step by step, in the words of the reference', async () => {
    await sent('POST', '/api/v1/namespaces', { metadata: { name: 'agg' } });
    const { port, caBundle } = extension;
    await sent('POST', SERVICES, register({ service: { namespace: 'agg', name: 'ext', port }, caBundle }));
    expect(await available('ServiceNotFound')).toMatchObject({ status: 'False', message: 'service/ext in "agg" is not present' });
    const refused = await api.get(FLUNDERS);
    expect([refused.status, refused.text, refused.headers['content-type']]).toEqual([
      503,
      'service unavailable\n',
      'text/plain; charset=utf-8',
    ]);

    const spec = { ports: [{ port: 443, targetPort: port }] };
    await sent('POST', '/api/v1/namespaces/agg/services', { metadata: { name: 'ext' }, spec });
    expect(await available('ServicePortError')).toMatchObject({ message: `service/ext in "agg" is not listening on port ${port}` });

    await sent('PATCH', '/api/v1/namespaces/agg/services/ext', { spec: { ports: [{ port, targetPort: port }] } });
    expect(await available('EndpointsNotFound')).toMatchObject({ message: 'cannot find endpoints for service/ext in "agg"' });

    const slice = {
      metadata: { name: 'ext-1', labels: { 'kubernetes.io/service-name': 'ext' } },
      addressType: 'IPv4',
      ports: [{ name: '', port }],
      endpoints: [{ addresses: ['192.0.2.9'], conditions: { ready: false } }],
    };
    await sent('POST', '/apis/discovery.k8s.io/v1/namespaces/agg/endpointslices', slice);
    const message = 'endpoints for service/ext in "agg" have no addresses with port name ""';
    expect(await available('MissingEndpoints')).toMatchObject({ message });

    await api.delete('/api/v1/namespaces/agg/services/ext');
    const named = { type: 'ExternalName', externalName: 'localhost' };
    await sent('POST', '/api/v1/namespaces/agg/services', { metadata: { name: 'ext' }, spec: named });
    expect(await available('Passed')).toMatchObject({ status: 'True', message: 'all checks passed' });
    expect(extension.calls.find(({ line }) => line === `GET ${ROOT}`)).toMatchObject({
      commonName: 'front-proxy',
      headers: expect.arrayContaining([
        ['x-remote-user', 'system:kube-aggregator'],
        ['x-remote-group', 'system:masters'],
      ]),
    });
  });

  test.each([
    ['refuse', 'bad status from https://localhost:PORT/apis/wardle.example.com/v1: 403'],
    ['well', undefined],
  ] as const)('a server that behaves like this: %s', async (behaviour, fault) => {
    extension.behave(behaviour);
    await lookAgain();
    const found = await available(fault === undefined ? 'Passed' : 'FailedDiscoveryCheck');
    const message = `failing or missing response from https://localhost:PORT/apis/wardle.example.com/v1: ${fault}`;
    expect(found['message']).toBe(fault === undefined ? 'all checks passed' : message.replaceAll('PORT', String(extension.port)));
  });

  test('is restored within seconds after a failing server recovers, without a change of its APIService', async () => {
    extension.behave('refuse');
    await lookAgain();
    await available('FailedDiscoveryCheck');
    extension.behave('well');
    await available('Passed');
  });

  test('a server whose own certificate is named instead of who signed it', async () => {
    for (const caBundle of [extension.certificate, extension.caBundle]) {
      await sent('PATCH', `${SERVICES}/${NAME}`, { spec: { caBundle } });
      expect(await available('Passed')).toMatchObject({ status: 'True' });
      expect((await api.get(FLUNDERS)).status).toBe(200);
    }
  });
});

describe('a request', () => {
  test('is asked in the name of its user, and nothing that he says of himself', async () => {
    extension.calls.length = 0;
    const headers = {
      'impersonate-user': 'dev',
      'impersonate-group': ['system:masters', 'g1'],
      'impersonate-uid': 'u7',
      'impersonate-extra-foo%2fbar': 'x',
      'x-remote-user': 'bob',
      'x-forwarded-for': '9.9.9.9',
      cookie: 'a=b',
      connection: 'close',
      accept: '*/*',
    };
    const answer = await api.get(`${FLUNDERS}?limit=5&x=1%2f2`, { headers });
    expect([answer.status, answer.headers['x-own'], answer.json['kind']]).toEqual([200, '1', 'FlunderList']);
    const [asked] = extension.calls;
    expect(asked).toMatchObject({ line: `GET ${FLUNDERS}?limit=5&x=1%2f2`, commonName: 'front-proxy' });
    const { 'audit-id': auditId, connection: _, ...others } = Object.fromEntries(asked?.headers ?? []);
    expect(auditId).toBe(answer.headers['audit-id']);
    expect(others).toEqual({
      accept: '*/*',
      cookie: 'a=b',
      host: `localhost:${extension.port}`,
      'x-forwarded-for': '9.9.9.9, 127.0.0.1',
      'x-forwarded-host': `localhost:${extension.port}`,
      'x-forwarded-proto': 'https',
      'x-forwarded-uri': FLUNDERS,
      'x-remote-extra-foo%2fbar': 'x',
      'x-remote-group': 'system:authenticated',
      'x-remote-user': 'dev',
    });
    expect(asked?.headers.filter(([name]) => name === 'x-remote-group').map(([, value]) => value)).toEqual([
      'system:masters',
      'g1',
      'system:authenticated',
    ]);
  });

  test('takes its body along', async () => {
    extension.calls.length = 0;
    const answer = await api.post(`${FLUNDERS}?dryRun=All`, '{"a":1}');
    expect([answer.status, extension.calls[0]?.line, extension.calls[0]?.body]).toEqual([200, `POST ${FLUNDERS}?dryRun=All`, '{"a":1}']);
  });

  test.each([
    [`${ROOT}/`, 404, '{"message":"says the extension"}'],
    [`${ROOT}/redirect`, 502, 'the backend attempted to redirect this request, which is not permitted'],
    [`/apis/${EXTENSION_GROUP}/v2/flunders`, 404, '404 page not found\n'],
    [`/apis/${EXTENSION_GROUP}/v1x`, 404, '404 page not found\n'],
  ])('for %s', async (path, status, text) => {
    const answer = await api.get(path);
    expect([answer.status, answer.text]).toEqual([status, text]);
  });

  const DOCUMENT = `/openapi/v3${ROOT}`;

  test.each([
    [`${DOCUMENT}/../../../../secret`, 404],
    [`${DOCUMENT}/%2e%2e/%2e%2e/secret`, 404],
    [`${DOCUMENT}/..`, 404],
    [`${DOCUMENT}/sub`, 404],
    [`${DOCUMENT}/`, 404],
    [`/openapi/v3/x/..${ROOT}`, 404],
    [`${ROOT}/../../../secret`, 400],
    [`${ROOT}/namespaces/a/../default/flunders`, 400],
    [`${ROOT}/namespaces/a%2f..%2fdefault/flunders`, 400],
    [`${ROOT}/namespaces/%2E%2e/flunders`, 400],
    [`${ROOT}/namespaces/default/flunders/x\\..\\..\\y`, 400],
    [`${ROOT}/./namespaces/default/flunders`, 400],
  ])('whose path another server could normalize differently is not passed on: %s', async (path, status) => {
    extension.calls.length = 0;
    expect((await api.get(path)).status).toBe(status);
    expect(extension.calls).toEqual([]);
  });

  test.each([`${FLUNDERS}/...`, `${FLUNDERS}/a..b`, `${FLUNDERS}/.a?x=/../y`, `${FLUNDERS}/a%2fb`])(
    'with dots in names is passed on: %s',
    async (path) => {
      extension.calls.length = 0;
      await api.get(path);
      expect(extension.calls.map(({ line }) => line)).toEqual([`GET ${path}`]);
    },
  );

  test('needs permission here', async () => {
    const { status, text } = await api.get(FLUNDERS, { token: ALICE });
    expect([status, text]).toEqual([
      403,
      expect.stringContaining('User \\"alice\\" cannot list resource \\"flunders\\" in API group \\"wardle.example.com\\"'),
    ]);
    expect((await api.get(ROOT, { token: ALICE })).status).toBe(200);
  });

  test('of a watch hands events on as they come, and ends with its client', async () => {
    const socket = connect({ host: '127.0.0.1', port: api.server.port, rejectUnauthorized: false });
    socket.write(`GET ${FLUNDERS}?watch=1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${ADMIN}\r\n\r\n`);
    let heard = '';
    socket.on('data', (data: Buffer) => (heard += data.toString()));
    await waitUntil('an event', () => heard.includes('"ADDED"'));
    socket.destroy();
    await once(socket, 'close');
  });

  test('for another protocol joins the two connections', async () => {
    const socket = connect({ host: '127.0.0.1', port: api.server.port, rejectUnauthorized: false });
    const lines = [
      `GET ${FLUNDERS}?follow HTTP/1.1`,
      'Host: a',
      `Authorization: Bearer ${ADMIN}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
    ];
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    let heard = '';
    socket.on('data', (data: Buffer) => {
      if (heard === '') socket.write('hello');
      heard += data.toString();
    });
    await once(socket, 'close');
    expect(heard).toBe('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nHELLO');
  });

  test('that is not answered ends when its time is over', async () => {
    extension.behave('hang');
    const answer = await api.get(`${FLUNDERS}?timeout=1s`);
    extension.behave('well');
    expect([answer.status, answer.json['reason']]).toEqual([504, 'Timeout']);
  });
});

describe('the document of version 2', () => {
  const document = async (): Promise<Readonly<Record<string, object>>> => Object(await api.read('/openapi/v2'));
  const say = (properties: object, tag: string): void =>
    extension.describe(
      {
        swagger: '2.0',
        paths: {
          [`${ROOT}/flunders`]: { get: { responses: { 200: { schema: { $ref: '#/definitions/Flunder' } } } } },
          '/own': { get: {} },
        },
        definitions: { Flunder: { type: 'object', properties } },
      },
      tag,
    );
  /** Until it says so. */
  async function described(what: string, properties: object): Promise<void> {
    await lookAgain();
    await waitUntil(what, async () => {
      const { definitions, paths } = await document();
      return (
        JSON.stringify(Object(definitions).Flunder) === JSON.stringify({ type: 'object', properties }) &&
        `${ROOT}/flunders` in Object(paths)
      );
    });
  }

  test('says what the server says of its version, and follows it', async () => {
    say({}, '"1"');
    extension.behave('well');
    await described('the first description', {});
    const { paths } = await document();
    expect(Object(paths)['/own']).toBeUndefined();
    extension.calls.length = 0;
    say({ spec: { type: 'string' } }, '"2"');
    await described('the second description', { spec: { type: 'string' } });
    const asked = extension.calls.find(({ line }) => line === 'GET /openapi/v2');
    expect(asked?.headers).toEqual(
      expect.arrayContaining([
        ['x-remote-user', 'system:aggregator'],
        ['if-none-match', '"1"'],
      ]),
    );
    expect(asked?.headers.some(([name]) => name === 'x-remote-group')).toBe(false);
  });

  test.each(['refuse', 'lies', 'endless'] as const)('says what it said last of a server that does this: %s', async (behaviour) => {
    extension.behave(behaviour);
    extension.calls.length = 0;
    await lookAgain();
    await waitUntil('the server is asked', () => Promise.resolve(extension.calls.length > 0));
    await described('the last description', { spec: { type: 'string' } });
    extension.behave('well');
    await lookAgain();
    await available('Passed');
  });

  test('is sent in protobuf as well, and says nothing of a server that is not registered any more', async () => {
    const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
    const answer = await api.get('/openapi/v2', { accept });
    expect(answer.text.includes(`${ROOT}/flunders`)).toBe(true);
    await api.delete(`${SERVICES}/${NAME}`);
    await waitUntil('it is forgotten', async () => !(`${ROOT}/flunders` in Object((await document())['paths'])));
    const { port, caBundle } = extension;
    await sent('POST', SERVICES, register({ service: { namespace: 'agg', name: 'ext', port }, caBundle }));
    await available('Passed');
  });
});

describe('discovery', () => {
  const group = { name: EXTENSION_GROUP, versions: [{ groupVersion: `${EXTENSION_GROUP}/v1`, version: 'v1' }] };

  test('lists the group behind all others, under the one name that it has', async () => {
    const groups: unknown = (await api.read('/apis'))['groups'];
    const names = Object(groups).map(({ name }: { name: string }) => name);
    expect(names.filter((name: string) => name.includes('wardle'))).toEqual([EXTENSION_GROUP]);
    expect(await api.read(`/apis/${EXTENSION_GROUP}`)).toMatchObject({ kind: 'APIGroup', ...group });
    expect(await api.read(ROOT)).toMatchObject({ kind: 'APIResourceList' });
  });

  const aggregated = async (): Promise<object | undefined> => {
    const { items } = Object(await api.read('/apis', { accept: AGGREGATED }));
    return items.find(({ metadata }: { metadata: { name: string } }) => metadata.name === EXTENSION_GROUP)?.versions[0];
  };
  const responseKind = { group: EXTENSION_GROUP, version: 'v1', kind: 'Flunder' };

  test('tells of its resources in the aggregated form', async () => {
    expect(await aggregated()).toEqual({
      version: 'v1',
      freshness: 'Current',
      resources: [
        {
          resource: 'flunders',
          responseKind,
          scope: 'Namespaced',
          singularResource: 'flunder',
          verbs: ['get', 'list', 'watch', 'create'],
          shortNames: ['fl'],
          subresources: [{ subresource: 'status', responseKind, verbs: ['get'] }],
        },
      ],
    });
  });

  test('leads to its OpenAPI document', async () => {
    const url = `/openapi/v3${ROOT}?hash=ABC`;
    expect(await api.read('/openapi/v3')).toMatchObject({ paths: { [ROOT.slice(1)]: { serverRelativeURL: url } } });
    extension.calls.length = 0;
    expect(await api.read(url)).toMatchObject({ info: { title: 'wardle' } });
    expect(Object.fromEntries(extension.calls[0]?.headers ?? [])['x-remote-user']).toBe('system:aggregator');
  });

  test.each(['lies', 'endless'] as const)('knows of no resources where the document %s', async (behaviour) => {
    extension.behave(behaviour);
    await lookAgain();
    await waitUntil('the look', async () => JSON.stringify(Object(await aggregated()).resources) === '[]');
    extension.behave('well');
    await lookAgain();
    await waitUntil('the next look', async () => Object(await aggregated()).resources?.length === 1);
  });

  test('says that nobody knows, where the server has gone', async () => {
    await extension.close();
    const { status, text } = await api.get(FLUNDERS);
    expect([status, text]).toEqual([503, expect.stringMatching(/^error trying to reach service: dial tcp .*connection refused$/)]);
    await lookAgain();
    const { message } = await available('FailedDiscoveryCheck');
    expect(message).toMatch(/: Get "https:\/\/localhost:\d+\/apis\/wardle.example.com\/v1": dial tcp .*connection refused$/);
    expect((await api.get('/metrics')).text).toMatch(
      /aggregator_unavailable_apiservice_total\{name="v1\.wardle\.example\.com",reason="FailedDiscoveryCheck"\} [1-9]/,
    );
    expect(await aggregated()).toEqual({ version: 'v1', freshness: 'Stale' });
    await api.delete(`${SERVICES}/${NAME}`);
    await waitUntil('the group gone', async () => (await api.get(`/apis/${EXTENSION_GROUP}`)).status === 404);
    await api.served('/apis');
  });
});
