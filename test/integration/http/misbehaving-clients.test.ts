/**
 * Clients that do not read, do not finish their requests, do not send HTTP, reset their streams or send too many
 * requests: the server ends their watches and connections or rejects their requests, and serves others.
 */
import { constants } from 'node:http2';
import { connect } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { waitUntil } from '../../support/programs';
import { ADMIN, ALICE, requestBytes } from './api-call';
import { useServer } from './fixture';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';

const api = useServer({ connectionTimeouts: { headersMs: 300, idleMs: 60_000, checkMs: 50 } });
// After each of these clients, the server serves others.
afterEach(async () => expect((await api.get('/readyz')).text).toBe('ok'));

it('the server ends the watch of a client that never reads', async () => {
  await api.createConfigMap('big', { blob: 'x'.repeat(400_000) });
  // The loopback listener without TLS needs no credentials.
  const idle = connect(api.server.localPort ?? 0, '127.0.0.1');
  idle.on('error', () => undefined);
  idle.pause();
  idle.write(`GET ${CONFIGMAPS}?watch=1 HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  await waitUntil('the watch', () => api.server.cache.statistics.watchers.get('configmaps') === 1);
  // 60 events of 400 kB are more than the buffers of the sockets and of the watch hold.
  for (let turn = 0; turn < 60 && api.server.cache.statistics.watchers.get('configmaps') === 1; turn += 1)
    await api.mergePatch(`${CONFIGMAPS}/big`, { data: { blob: 'y'.repeat(400_000), turn: String(turn) } });
  await waitUntil('the end of the watch', () => api.server.cache.statistics.watchers.get('configmaps') === 0);
  idle.destroy();
}, 60_000);

it('the server closes a connection with incomplete request headers', async () => {
  const socket = api.openSocket();
  const received = await receiveUntilClose(socket, () => socket.write('GET /readyz HTTP/1.1\r\nHost: x\r\nX-Slow: '));
  expect(received).toMatch(/^HTTP\/1\.1 408 /);
});

it('the server rejects a header of more than a megabyte', async () => {
  const socket = api.openSocket();
  const received = await receiveUntilClose(socket, () =>
    socket.write(`GET /readyz HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(1_100_000)}\r\n\r\n`),
  );
  // A TCP reset may arrive before the response while the client is still writing.
  expect(received === '' || received.startsWith('HTTP/1.1 431 ')).toBe(true);
});

it('the server rejects bytes that are not HTTP', async () => {
  const socket = api.openSocket();
  expect(await receiveUntilClose(socket, () => socket.write('\x00\x01\x02 garbage\r\n\r\n'))).toMatch(/^HTTP\/1\.1 400 /);
});

it('the server keeps serving after a client that disconnects in the middle of its body', async () => {
  const abortedClient = connect(api.server.localPort ?? 0, '127.0.0.1');
  abortedClient.on('error', () => undefined);
  abortedClient.write(
    `POST ${CONFIGMAPS} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"meta`,
  );
  await new Promise<void>((resolve) => abortedClient.once('connect', () => setImmediate(resolve)));
  abortedClient.destroy();
});

it.each([
  ['a request whose response is pending', `${CONFIGMAPS}?resourceVersion=999999&timeout=1s`],
  ['a request with an immediate response', '/version'],
])('the server closes a connection that pipelines an upgrade request after %s, without switching protocols', async (_title, url) => {
  const socket = api.openSocket();
  const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='];
  const requests = requestBytes(`GET ${url}`) + requestBytes(`GET ${CONFIGMAPS}?watch=1`, upgrade);
  expect(await receiveUntilClose(socket, () => socket.write(requests))).not.toContain('101 Switching Protocols');
});

it.each<[string, string, string[], RegExp]>([
  ['is not authenticated', 'wrong', [], /^HTTP\/1\.1 401 /],
  ['asks for something that does not upgrade', ADMIN, [], /^HTTP\/1\.1 200 /],
  ['has a body', ADMIN, ['Content-Length: 3'], /^HTTP\/1\.1 400 /],
])(
  'the server closes the connection of a rejected upgrade that %s, although its client neither closes nor stops sending',
  async (_title, token, extraHeaders, expected) => {
    const socket = api.openSocket();
    const head = requestBytes(`GET ${CONFIGMAPS}`, ['Connection: Upgrade', 'Upgrade: websocket', ...extraHeaders], token);
    const received = await receiveUntilClose(socket, () => void socket.write(head + 'more'.repeat(50_000)));
    // A TCP reset may arrive before the response while the client is still writing.
    expect(received === '' || expected.test(received)).toBe(true);
    // The request for the metrics has the only connection that is open.
    expect(await api.metric('apiserver_open_connections')).toBeLessThanOrEqual(1);
  },
);

it('the server ends an HTTP/2 connection that opens and resets streams endlessly', async () => {
  const session = api.connectHttp2();
  let isClosed = false;
  session.on('close', () => (isClosed = true));
  session.on('goaway', () => (isClosed = true));
  session.on('error', () => (isClosed = true));
  for (let round = 0; round < 200 && !isClosed; round += 1) {
    for (let index = 0; index < 50 && !isClosed; index += 1) {
      const stream = session.request({ ':path': '/readyz', authorization: `Bearer ${ADMIN}` });
      stream.on('error', () => undefined);
      stream.close(constants.NGHTTP2_CANCEL);
    }
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  await waitUntil('the end of the connection', () => isClosed);
  session.destroy();
}, 60_000);

describe('a server that serves one read-only request at a time', () => {
  const limited = useServer({ maxReadOnly: 1, flowControl: false, authorization: () => ['AlwaysAllow'] });

  it('rejects further requests with 429, except those of administrators', async () => {
    const statuses: number[] = [];
    // The server waits 3 s for a resource version that does not exist, and then responds with 504.
    const responses = Array.from({ length: 8 }, async () => {
      const { status } = await limited.get(`${CONFIGMAPS}?resourceVersion=999999`, { token: ALICE });
      statuses.push(status);
    });
    await waitUntil('all requests but one to be rejected', () => statuses.length === 7);
    expect((await limited.get(CONFIGMAPS)).status).toBe(200);
    expect(statuses).toEqual([429, 429, 429, 429, 429, 429, 429]);
    await Promise.all(responses);
    expect(statuses.at(-1)).toBe(504);
  }, 30_000);
});

/** Writes a request when the connection is open, and resolves with the bytes that arrive before the server closes it. */
function receiveUntilClose(socket: TLSSocket, start: () => void): Promise<string> {
  let received = '';
  socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
  return new Promise((resolve) => {
    socket.once('secureConnect', start);
    socket.once('close', () => resolve(received));
  });
}
