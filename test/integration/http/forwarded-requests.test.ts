/** Requests that an API server forwards to an extension API server: what the extension receives, and what the client gets. */
import { once } from 'node:events';
import { EXTENSION_GROUP } from '../../support/servers/extension-server';
import { waitUntil } from '../../support/programs';
import { EXTENSION_ROOT, FLUNDERS, headerValues, useAggregatedServer } from './aggregated-server';
import { ALICE, requestBytes } from './api-call';

const aggregated = useAggregatedServer();
const { api, extension } = aggregated;
beforeAll(() => aggregated.makeAvailable());

describe('a request to an extension', () => {
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

    const [forwarded] = aggregated.forwardedCalls();
    if (forwarded === undefined) throw new Error('the extension received no request');
    expect(forwarded).toMatchObject({ line: `GET ${FLUNDERS}?limit=5&x=1%2f2`, commonName: 'front-proxy' });
    expect(headerValues(forwarded, 'audit-id')).toEqual([response.headers['audit-id']]);
    expect(headerValues(forwarded, 'x-remote-group')).toEqual(['system:masters', 'g1', 'system:authenticated']);
    const compared = forwarded.headers.filter(([name]) => !['audit-id', 'connection', 'x-remote-group'].includes(name));
    expect(Object.fromEntries(compared)).toEqual({
      accept: '*/*',
      cookie: 'a=b',
      host: `localhost:${extension().port}`,
      'x-forwarded-for': '9.9.9.9, 127.0.0.1',
      'x-forwarded-host': `localhost:${extension().port}`,
      'x-forwarded-proto': 'https',
      'x-forwarded-uri': FLUNDERS,
      'x-remote-extra-foo%2fbar': 'x',
      'x-remote-user': 'dev',
    });
  });

  test('is sent with its body and query', async () => {
    const response = await api.post(`${FLUNDERS}?dryRun=All`, '{"a":1}');
    expect(response.status).toBe(200);
    expect(aggregated.forwardedCalls()).toMatchObject([{ line: `POST ${FLUNDERS}?dryRun=All`, body: '{"a":1}' }]);
  });

  test.each([
    [`${EXTENSION_ROOT}/`, 404, '{"message":"says the extension"}'],
    [`${EXTENSION_ROOT}/redirect`, 502, 'the backend attempted to redirect this request, which is not permitted'],
    [`/apis/${EXTENSION_GROUP}/v2/flunders`, 404, '404 page not found\n'],
    [`/apis/${EXTENSION_GROUP}/v1x`, 404, '404 page not found\n'],
  ])('for %s gets %i: %s', async (path, status, text) => {
    const response = await api.get(path);
    expect([response.status, response.text]).toEqual([status, text]);
  });

  const DOCUMENT = `/openapi/v3${EXTENSION_ROOT}`;

  test.each([
    [`${DOCUMENT}/../../../../secret`, 404],
    [`${DOCUMENT}/%2e%2e/%2e%2e/secret`, 404],
    [`${DOCUMENT}/..`, 404],
    [`${DOCUMENT}/sub`, 404],
    [`${DOCUMENT}/`, 404],
    [`/openapi/v3/x/..${EXTENSION_ROOT}`, 404],
    [`${EXTENSION_ROOT}/../../../secret`, 400],
    [`${EXTENSION_ROOT}/namespaces/a/../default/flunders`, 400],
    [`${EXTENSION_ROOT}/namespaces/a%2f..%2fdefault/flunders`, 400],
    [`${EXTENSION_ROOT}/namespaces/%2E%2e/flunders`, 400],
    [`${EXTENSION_ROOT}/namespaces/default/flunders/x\\..\\..\\y`, 400],
    [`${EXTENSION_ROOT}/./namespaces/default/flunders`, 400],
  ])('for %s, which another server could normalize differently, is rejected with %i', async (path, status) => {
    expect((await api.get(path)).status).toBe(status);
    expect(aggregated.forwardedCalls()).toEqual([]);
  });

  test.each([`${FLUNDERS}/...`, `${FLUNDERS}/a..b`, `${FLUNDERS}/.a?x=/../y`, `${FLUNDERS}/a%2fb`])(
    'for %s, with dots or an escaped slash in a name, is passed on',
    async (path) => {
      await api.get(path);
      expect(aggregated.forwardedCalls().map(({ line }) => line)).toEqual([`GET ${path}`]);
    },
  );

  test('is rejected without permission on the API server', async () => {
    const { status, text } = await api.get(FLUNDERS, { token: ALICE });
    expect([status, text]).toEqual([
      403,
      expect.stringContaining('User \\"alice\\" cannot list resource \\"flunders\\" in API group \\"wardle.example.com\\"'),
    ]);
  });

  test('for discovery needs no role', async () => {
    expect((await api.get(EXTENSION_ROOT, { token: ALICE })).status).toBe(200);
  });

  test('for a watch sends events as they arrive, and ends when the client closes its connection', async () => {
    const socket = api.openSocket();
    socket.write(requestBytes(`GET ${FLUNDERS}?watch=1`));
    let received = '';
    socket.on('data', (data: Buffer) => (received += data.toString()));
    await waitUntil('an event', () => received.includes('"ADDED"'));
    expect(extension().openWatches).toBe(1);
    socket.destroy();
    await waitUntil('the end of the watch on the extension', () => extension().openWatches === 0);
  });

  test('for an upgrade connects the client with the extension in both directions', async () => {
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
