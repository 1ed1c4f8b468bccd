/** Clients that do not read, do not finish, or do not speak HTTP: their connections end, and the server answers others. */
import { constants } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { waitUntil } from '../../support/programs';
import { ADMIN, ALICE, requestBytes } from './call';
import { startFixture, useServer } from './fixture';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';

const api = useServer({ connectionTimeouts: { headersMs: 300, idleMs: 60_000, checkMs: 50 } });
afterEach(async () => expect((await api.get('/readyz')).text).toBe('ok'));

it('ends the watch of a client that never reads', async () => {
  await api.createConfigMap('big', { blob: 'x'.repeat(400_000) });
  const idle = connect(api.server.localPort ?? 0, '127.0.0.1');
  idle.on('error', () => undefined);
  idle.pause();
  idle.write(`GET ${CONFIGMAPS}?watch=1 HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  await waitUntil('the watch', () => api.server.cache.statistics.watchers.get('configmaps') === 1);
  for (let turn = 0; turn < 60 && api.server.cache.statistics.watchers.get('configmaps') === 1; turn += 1)
    await api.merge(`${CONFIGMAPS}/big`, { data: { blob: 'y'.repeat(400_000), turn: String(turn) } });
  await waitUntil('the end of the watch', () => api.server.cache.statistics.watchers.get('configmaps') === 0);
  idle.destroy();
}, 60_000);

it('closes a connection whose header is not completed', async () => {
  const socket = api.connect();
  const seen = await closing(socket, () => socket.write('GET /readyz HTTP/1.1\r\nHost: x\r\nX-Slow: '));
  expect(seen).toMatch(/^HTTP\/1\.1 408 /);
});

it('rejects a header of more than a megabyte', async () => {
  const socket = api.connect();
  const seen = await closing(socket, () => socket.write(`GET /readyz HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(1_100_000)}\r\n\r\n`));
  // A reset may overtake the answer while the client is still writing.
  expect(seen === '' || seen.startsWith('HTTP/1.1 431 ')).toBe(true);
});

it('goes on after bytes that are no HTTP, and after a client that leaves in the middle of its body', async () => {
  const garbage = api.connect();
  expect(await closing(garbage, () => garbage.write('\x00\x01\x02 garbage\r\n\r\n'))).toMatch(/^HTTP\/1\.1 400 /);
  const leaving = connect(api.server.localPort ?? 0, '127.0.0.1');
  leaving.on('error', () => undefined);
  leaving.write(`POST ${CONFIGMAPS} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"meta`);
  await new Promise<void>((resolve) => leaving.once('connect', () => setImmediate(resolve)));
  leaving.destroy();
});

it.each([
  ['a request whose response is pending', `${CONFIGMAPS}?resourceVersion=999999&timeout=1s`],
  ['a request that is answered immediately', '/version'],
])('closes a connection that pipelines an upgrade request after %s', async (_title, url) => {
  const socket = api.connect();
  const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='];
  const requests = requestBytes(`GET ${url}`) + requestBytes(`GET ${CONFIGMAPS}?watch=1`, upgrade);
  expect(await closing(socket, () => socket.write(requests))).not.toContain('101 Switching Protocols');
});

it.each<[string, string, string[], RegExp]>([
  ['is not authenticated', 'wrong', [], /^HTTP\/1\.1 401 /],
  ['asks for something that does not upgrade', ADMIN, [], /^HTTP\/1\.1 200 /],
  ['has a body', ADMIN, ['Content-Length: 3'], /^HTTP\/1\.1 400 /],
])(
  'closes the connection of a rejected upgrade that %s, although its client neither closes nor stops sending',
  async (_title, token, length, answer) => {
    const socket = api.connect();
    const head = requestBytes(`GET ${CONFIGMAPS}`, ['Connection: Upgrade', 'Upgrade: websocket', ...length], token);
    const seen = await closing(socket, () => void socket.write(head + 'more'.repeat(50_000)));
    expect(seen === '' || answer.test(seen)).toBe(true);
    expect(await api.metric('apiserver_open_connections')).toBeLessThanOrEqual(1);
  },
);

it('ends an HTTP/2 connection that opens and resets streams without end', async () => {
  const session = api.connectHttp2();
  let gone = false;
  session.on('close', () => (gone = true));
  session.on('goaway', () => (gone = true));
  session.on('error', () => (gone = true));
  for (let round = 0; round < 200 && !gone; round += 1) {
    for (let index = 0; index < 50 && !gone; index += 1) {
      const stream = session.request({ ':path': '/readyz', authorization: `Bearer ${ADMIN}` });
      stream.on('error', () => undefined);
      stream.close(constants.NGHTTP2_CANCEL);
    }
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  await waitUntil('the end of the connection', () => gone);
  session.destroy();
}, 60_000);

it('rejects requests over the maximum in flight with 429, unless administrators send them', async () => {
  const small = await startFixture({ maxReadOnly: 1, flowControl: false, authorization: () => ['AlwaysAllow'] });
  const stuck = Array.from({ length: 8 }, () => small.get(`${CONFIGMAPS}?resourceVersion=999999`, { token: ALICE }));
  const statuses = (await Promise.all(stuck)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 504)).toHaveLength(1);
  expect(statuses.filter((status) => status === 429)).toHaveLength(7);
  expect((await small.get(CONFIGMAPS)).status).toBe(200);
  await small.stop();
}, 30_000);

/** The bytes that a socket receives before the server closes it. */
function closing(socket: Socket, start: () => void): Promise<string> {
  let seen = '';
  socket.on('data', (chunk: Buffer) => (seen += chunk.toString('latin1')));
  return new Promise((resolve) => {
    socket.once('secureConnect', start);
    socket.once('close', () => resolve(seen));
  });
}
