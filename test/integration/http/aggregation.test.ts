/** An extension API server behind an APIService: its availability, proxied requests, OpenAPI and discovery. */
import { once } from 'node:events';
import { EXTENSION_GROUP, startExtensionServer, type ExtensionCall } from '../../support/servers/extension-server';
import { waitUntil } from '../../support/programs';
import { useClosable } from '../../support/use-resource';
import { createExternalService, registerApiService } from './aggregation-setup';
import { ALICE, requestBytes, type ApiResponse } from './api-call';
import { requireSuccess, useServer } from './fixture';
import { issueClientCertificate, tlsPairOf } from './issue-certificates';

const SERVICES = '/apis/apiregistration.platform.io/v1/apiservices';
const NAME = `v1.${EXTENSION_GROUP}`;
const ROOT = `/apis/${EXTENSION_GROUP}/v1`;
const FLUNDERS = `${ROOT}/namespaces/default/flunders`;
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** For requests to the extension; complete once the server has started: its authority issues them. */
const proxyCredentials: { cert?: Buffer; key?: Buffer } = {};
const api = useServer({ proxyCredentials: () => proxyCredentials });
const extension = useClosable(async () => {
  Object.assign(proxyCredentials, tlsPairOf(await issueClientCertificate(api.authority, 'front-proxy', [])));
  return startExtensionServer('ext', 'agg');
});
beforeEach(() => void extension().calls.splice(0));

/** The calls without those for OpenAPI documents, which the API server reads at times of its own. */
const forwardedCalls = (): readonly ExtensionCall[] => extension().calls.filter(({ line }) => !line.startsWith('GET /openapi/'));

type Condition = Readonly<Record<string, unknown>>;

/** Waits until the condition Available has the reason. */
async function waitForAvailability(reason: string): Promise<Condition> {
  return waitUntil(`the reason ${reason}`, async () => {
    const condition: Condition = Object((await api.read(`${SERVICES}/${NAME}`))['status']).conditions?.[0] ?? {};
    return condition['reason'] === reason && condition;
  });
}

const patchService = async (spec: object): Promise<ApiResponse> => requireSuccess(await api.mergePatch(`${SERVICES}/${NAME}`, { spec }));

const registerExtension = (): Promise<ApiResponse> =>
  registerApiService(api, { group: EXTENSION_GROUP, namespace: 'agg', port: extension().port, caBundle: extension().caBundle });

/** Changes the priority of the APIService, so that the server checks its availability again at once. */
async function triggerCheck(): Promise<void> {
  const { versionPriority } = Object((await api.read(`${SERVICES}/${NAME}`))['spec']);
  await patchService({ versionPriority: versionPriority === 20 ? 21 : 20 });
}

describe('the condition Available', () => {
  // Each test adds or changes one of the objects that the APIService needs, and continues with those of the tests before
  // it. The reasons and messages are those of the reference server.
  test('is false without the Service', async () => {
    await api.create('/api/v1/namespaces', { metadata: { name: 'agg' } });
    await registerExtension();
    expect(await waitForAvailability('ServiceNotFound')).toMatchObject({ status: 'False', message: 'service/ext in "agg" is not present' });
    const headers = { 'content-type': 'text/plain; charset=utf-8' };
    expect(await api.get(FLUNDERS)).toMatchObject({ status: 503, text: 'service unavailable\n', headers });
  });

  test('is false when the Service has another port', async () => {
    const { port } = extension();
    const spec = { ports: [{ port: 443, targetPort: port }] };
    await api.create('/api/v1/namespaces/agg/services', { metadata: { name: 'ext' }, spec });
    expect(await waitForAvailability('ServicePortError')).toMatchObject({
      status: 'False',
      message: `service/ext in "agg" is not listening on port ${port}`,
    });
  });

  test('is false without endpoints', async () => {
    const { port } = extension();
    requireSuccess(await api.mergePatch('/api/v1/namespaces/agg/services/ext', { spec: { ports: [{ port, targetPort: port }] } }));
    const message = 'cannot find endpoints for service/ext in "agg"';
    expect(await waitForAvailability('EndpointsNotFound')).toMatchObject({ status: 'False', message });
  });

  test('is false when no endpoint is ready', async () => {
    const slice = {
      metadata: { name: 'ext-1', labels: { 'kubernetes.io/service-name': 'ext' } },
      addressType: 'IPv4',
      ports: [{ name: '', port: extension().port }],
      endpoints: [{ addresses: ['192.0.2.9'], conditions: { ready: false } }],
    };
    await api.create('/apis/discovery.k8s.io/v1/namespaces/agg/endpointslices', slice);
    const message = 'endpoints for service/ext in "agg" have no addresses with port name ""';
    expect(await waitForAvailability('MissingEndpoints')).toMatchObject({ status: 'False', message });
  });

  test('is true when the server can be reached', async () => {
    await api.delete('/api/v1/namespaces/agg/services/ext');
    await createExternalService(api, 'agg');
    expect(await waitForAvailability('Passed')).toMatchObject({ status: 'True', message: 'all checks passed' });
    const discoveryCall = extension().calls.find(({ line }) => line === `GET ${ROOT}`);
    const identity = Object.entries({ 'x-remote-user': 'system:kube-aggregator', 'x-remote-group': 'system:masters' });
    expect(discoveryCall).toMatchObject({ commonName: 'front-proxy', headers: expect.arrayContaining(identity) });
  });

  test('is false with the failure of the server until it recovers', async () => {
    extension().setBehaviour('forbid');
    await triggerCheck();
    const url = `https://localhost:${extension().port}/apis/wardle.example.com/v1`;
    const message = `failing or missing response from ${url}: bad status from ${url}: 403`;
    expect(await waitForAvailability('FailedDiscoveryCheck')).toMatchObject({ status: 'False', message });
    extension().setBehaviour('normal');
    expect(await waitForAvailability('Passed')).toMatchObject({ status: 'True', message: 'all checks passed' });
  });

  test('is true with the certificate of the server itself as caBundle', async () => {
    for (const caBundle of [extension().certificate, extension().caBundle]) {
      await patchService({ caBundle });
      expect(await waitForAvailability('Passed')).toMatchObject({ status: 'True' });
      expect((await api.get(FLUNDERS)).status).toBe(200);
    }
  });
});

describe('a request', () => {
  test('is sent in the name of its user, without the identity headers of the client', async () => {
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
    const response = await api.get(`${FLUNDERS}?limit=5&x=1%2f2`, { headers });
    expect([response.status, response.headers['x-own'], response.json['kind']]).toEqual([200, '1', 'FlunderList']);
    const [forwarded] = forwardedCalls();
    expect(forwarded).toMatchObject({ line: `GET ${FLUNDERS}?limit=5&x=1%2f2`, commonName: 'front-proxy' });
    const { 'audit-id': auditId, connection: _, ...others } = Object.fromEntries(forwarded?.headers ?? []);
    expect(auditId).toBe(response.headers['audit-id']);
    expect(others).toEqual({
      accept: '*/*',
      cookie: 'a=b',
      host: `localhost:${extension().port}`,
      'x-forwarded-for': '9.9.9.9, 127.0.0.1',
      'x-forwarded-host': `localhost:${extension().port}`,
      'x-forwarded-proto': 'https',
      'x-forwarded-uri': FLUNDERS,
      'x-remote-extra-foo%2fbar': 'x',
      'x-remote-group': 'system:authenticated',
      'x-remote-user': 'dev',
    });
    expect(forwarded?.headers.filter(([name]) => name === 'x-remote-group').map(([, value]) => value)).toEqual([
      'system:masters',
      'g1',
      'system:authenticated',
    ]);
  });

  test('is sent with its body and query', async () => {
    const response = await api.post(`${FLUNDERS}?dryRun=All`, '{"a":1}');
    expect(response.status).toBe(200);
    expect(forwardedCalls()).toMatchObject([{ line: `POST ${FLUNDERS}?dryRun=All`, body: '{"a":1}' }]);
  });

  test.each([
    [`${ROOT}/`, 404, '{"message":"says the extension"}'],
    [`${ROOT}/redirect`, 502, 'the backend attempted to redirect this request, which is not permitted'],
    [`/apis/${EXTENSION_GROUP}/v2/flunders`, 404, '404 page not found\n'],
    [`/apis/${EXTENSION_GROUP}/v1x`, 404, '404 page not found\n'],
  ])('for %s gets %i: %s', async (path, status, text) => {
    const response = await api.get(path);
    expect([response.status, response.text]).toEqual([status, text]);
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
  ])('for %s, which another server could normalize differently, is rejected with %i', async (path, status) => {
    expect((await api.get(path)).status).toBe(status);
    expect(forwardedCalls()).toEqual([]);
  });

  test.each([`${FLUNDERS}/...`, `${FLUNDERS}/a..b`, `${FLUNDERS}/.a?x=/../y`, `${FLUNDERS}/a%2fb`])(
    'for %s, with dots in names, is passed on',
    async (path) => {
      await api.get(path);
      expect(forwardedCalls().map(({ line }) => line)).toEqual([`GET ${path}`]);
    },
  );

  test('requires permission on this server', async () => {
    const { status, text } = await api.get(FLUNDERS, { token: ALICE });
    expect([status, text]).toEqual([
      403,
      expect.stringContaining('User \\"alice\\" cannot list resource \\"flunders\\" in API group \\"wardle.example.com\\"'),
    ]);
    expect((await api.get(ROOT, { token: ALICE })).status).toBe(200);
  });

  test('for a watch sends events as they arrive, and ends with its client', async () => {
    const socket = api.openSocket();
    socket.write(requestBytes(`GET ${FLUNDERS}?watch=1`));
    let received = '';
    socket.on('data', (data: Buffer) => (received += data.toString()));
    await waitUntil('an event', () => received.includes('"ADDED"'));
    expect(extension().openWatches).toBe(1);
    socket.destroy();
    await waitUntil('the end of the watch of the extension server', () => extension().openWatches === 0);
  });

  test('for an upgrade connects the client with the extension server', async () => {
    const socket = api.openSocket();
    socket.write(requestBytes(`GET ${FLUNDERS}?follow`, ['Connection: Upgrade', 'Upgrade: websocket']));
    let received = '';
    socket.on('data', (data: Buffer) => {
      if (received === '') socket.write('hello');
      received += data.toString();
    });
    await once(socket, 'close');
    expect(received).toBe('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nHELLO');
  });

  test('without a response ends with its timeout', async () => {
    extension().setBehaviour('hang');
    const response = await api.get(`${FLUNDERS}?timeout=1s`);
    extension().setBehaviour('normal');
    expect([response.status, response.json['reason']]).toEqual([504, 'Timeout']);
  });
});

describe('the document of version 2', () => {
  const document = async (): Promise<Readonly<Record<string, object>>> => Object(await api.read('/openapi/v2'));
  const setOpenApi = (properties: object, tag: string): void =>
    extension().publishOpenApi(
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
  /** Waits until the document has these properties of the kind Flunder. */
  async function waitForDefinition(description: string, properties: object): Promise<void> {
    await triggerCheck();
    await waitUntil(description, async () => {
      const { definitions, paths } = await document();
      return (
        JSON.stringify(Object(definitions).Flunder) === JSON.stringify({ type: 'object', properties }) &&
        `${ROOT}/flunders` in Object(paths)
      );
    });
  }

  test('has the paths and definitions of the group, and follows their changes', async () => {
    setOpenApi({}, '"1"');
    extension().setBehaviour('normal');
    await waitForDefinition('the first description', {});
    const { paths } = await document();
    expect(Object(paths)['/own']).toBeUndefined();
    extension().calls.length = 0;
    setOpenApi({ spec: { type: 'string' } }, '"2"');
    await waitForDefinition('the second description', { spec: { type: 'string' } });
    const documentCall = extension().calls.find(({ line }) => line === 'GET /openapi/v2');
    expect(documentCall?.headers).toEqual(
      expect.arrayContaining([
        ['x-remote-user', 'system:aggregator'],
        ['if-none-match', '"1"'],
      ]),
    );
    expect(documentCall?.headers.some(([name]) => name === 'x-remote-group')).toBe(false);
  });

  test.each(['forbid', 'invalid-json', 'endless'] as const)(
    'keeps the last document of a server with the behaviour "%s"',
    async (behaviour) => {
      extension().setBehaviour(behaviour);
      await triggerCheck();
      // With `forbid` the check of availability fails already, so that the document is not requested.
      await waitUntil('a request to the extension server', () => extension().calls.length > 0);
      await waitForDefinition('the last description', { spec: { type: 'string' } });
      extension().setBehaviour('normal');
      await triggerCheck();
      await waitForAvailability('Passed');
    },
  );

  test('is available in protobuf', async () => {
    const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
    const response = await api.get('/openapi/v2', { accept });
    expect(response.text.includes(`${ROOT}/flunders`)).toBe(true);
  });

  test('loses the paths of a deleted APIService', async () => {
    await api.delete(`${SERVICES}/${NAME}`);
    await waitUntil('the paths to be removed', async () => !(`${ROOT}/flunders` in Object((await document())['paths'])));
    await registerExtension();
    await waitForAvailability('Passed');
  });
});

describe('discovery', () => {
  const group = { name: EXTENSION_GROUP, versions: [{ groupVersion: `${EXTENSION_GROUP}/v1`, version: 'v1' }] };

  test('lists the group once, under its own name', async () => {
    const groups: unknown = (await api.read('/apis'))['groups'];
    const names = Object(groups).map(({ name }: { name: string }) => name);
    expect(names.filter((name: string) => name.includes('wardle'))).toEqual([EXTENSION_GROUP]);
    expect(await api.read(`/apis/${EXTENSION_GROUP}`)).toMatchObject({ kind: 'APIGroup', ...group });
    expect(await api.read(ROOT)).toMatchObject({ kind: 'APIResourceList' });
  });

  const aggregatedVersion = async (): Promise<object | undefined> => {
    const { items } = Object(await api.read('/apis', { accept: AGGREGATED }));
    return items.find(({ metadata }: { metadata: { name: string } }) => metadata.name === EXTENSION_GROUP)?.versions[0];
  };
  const responseKind = { group: EXTENSION_GROUP, version: 'v1', kind: 'Flunder' };

  test('has the resources of the group in the aggregated document', async () => {
    expect(await aggregatedVersion()).toEqual({
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

  test('has the URL of its OpenAPI v3 document', async () => {
    const url = `/openapi/v3${ROOT}?hash=ABC`;
    expect(await api.read('/openapi/v3')).toMatchObject({ paths: { [ROOT.slice(1)]: { serverRelativeURL: url } } });
    expect(await api.read(url)).toMatchObject({ info: { title: 'wardle' } });
    expect(Object.fromEntries(extension().calls[0]?.headers ?? [])['x-remote-user']).toBe('system:aggregator');
  });

  test.each(['invalid-json', 'endless'] as const)('has no resources of a server whose discovery document is "%s"', async (behaviour) => {
    extension().setBehaviour(behaviour);
    await triggerCheck();
    await waitUntil('the discovery of the group to fail', async () => JSON.stringify(Object(await aggregatedVersion()).resources) === '[]');
    extension().setBehaviour('normal');
    await triggerCheck();
    await waitUntil('the next discovery of the group', async () => Object(await aggregatedVersion()).resources?.length === 1);
  });

  test('marks the group as stale when the server is down', async () => {
    await extension().close();
    const { status, text } = await api.get(FLUNDERS);
    expect([status, text]).toEqual([503, expect.stringMatching(/^error trying to reach service: dial tcp .*connection refused$/)]);
    await triggerCheck();
    const { message } = await waitForAvailability('FailedDiscoveryCheck');
    expect(message).toMatch(/: Get "https:\/\/localhost:\d+\/apis\/wardle.example.com\/v1": dial tcp .*connection refused$/);
    expect(await api.metrics()).toMatch(
      /aggregator_unavailable_apiservice_total\{name="v1\.wardle\.example\.com",reason="FailedDiscoveryCheck"\} [1-9]/,
    );
    expect(await aggregatedVersion()).toEqual({ version: 'v1', freshness: 'Stale' });
    await api.delete(`${SERVICES}/${NAME}`);
    await waitUntil('the group to be removed', async () => (await api.get(`/apis/${EXTENSION_GROUP}`)).status === 404);
    await api.waitUntilServed('/apis');
  });
});
