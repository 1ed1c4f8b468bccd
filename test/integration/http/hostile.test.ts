import { connect as connectHttp2, constants } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { waitUntil } from '../../support/programs';
import { ADMIN } from './call';
import { startFixture, useServer } from './fixture';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';

const api = useServer({ connectionLimits: { headersMs: 300, idleMs: 60_000, checkMs: 50 } });
beforeAll(async () => {});

async function answers(): Promise<boolean> {
  return (await api.get('/readyz')).text === 'ok';
}

async function metric(name: string): Promise<number> {
  const { text } = await api.get('/metrics');
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
}

it('cuts off a watcher that never reads, and nobody else', async () => {
  await api.createConfigMap('big', { blob: 'x'.repeat(400_000) });
  const idle = connect(api.server.localPort ?? 0, '127.0.0.1');
  idle.on('error', () => undefined);
  idle.pause();
  idle.write(`GET ${CONFIGMAPS}?watch=1 HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  await waitUntil('the watch', () => api.server.cache.statistics.watchers.get('configmaps') === 1);
  for (let turn = 0; turn < 60 && api.server.cache.statistics.watchers.get('configmaps') === 1; turn += 1) {
    const body = JSON.stringify({ data: { blob: 'y'.repeat(400_000), turn: String(turn) } });
    await api.merge(`${CONFIGMAPS}/big`, body);
  }
  await waitUntil('the end of the watch', () => api.server.cache.statistics.watchers.get('configmaps') === 0);
  expect(await answers()).toBe(true);
  idle.destroy();
}, 60_000);

it('closes a connection whose head does not come', async () => {
  const socket = connectTls({ host: '127.0.0.1', port: api.server.port, rejectUnauthorized: false });
  const seen = await closing(socket, () => socket.write('GET /readyz HTTP/1.1\r\nHost: x\r\nX-Slow: '));
  expect(seen).toMatch(/^HTTP\/1\.1 408 /);
  expect(await answers()).toBe(true);
});

it('refuses a head of more than a megabyte', async () => {
  const socket = connectTls({ host: '127.0.0.1', port: api.server.port, rejectUnauthorized: false });
  const seen = await closing(socket, () => socket.write(`GET /readyz HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(1_100_000)}\r\n\r\n`));
  // A reset may overtake the answer while the client is still writing.
  expect(seen === '' || seen.startsWith('HTTP/1.1 431 ')).toBe(true);
  expect(await answers()).toBe(true);
});

it('survives bytes that are no HTTP, and a client that goes in the middle of its body', async () => {
  const garbage = connectTls({ host: '127.0.0.1', port: api.server.port, rejectUnauthorized: false });
  expect(await closing(garbage, () => garbage.write('\x00\x01\x02 garbage\r\n\r\n'))).toMatch(/^HTTP\/1\.1 400 /);
  const leaving = connect(api.server.localPort ?? 0, '127.0.0.1');
  leaving.on('error', () => undefined);
  leaving.write(`POST ${CONFIGMAPS} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"meta`);
  await new Promise<void>((resolve) => leaving.once('connect', () => setImmediate(resolve)));
  leaving.destroy();
  expect(await answers()).toBe(true);
});

it.each([
  ['a request whose response is pending', `${CONFIGMAPS}?resourceVersion=999999&timeout=1s`],
  ['a request that is answered immediately', '/version'],
])('closes a connection that pipelines an upgrade request after %s', async (_title, url) => {
  const socket = connectTls({ host: '127.0.0.1', port: api.server.port, rejectUnauthorized: false });
  const credentials = `Host: x\r\nAuthorization: Bearer ${ADMIN}\r\n`;
  const upgrade =
    'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
  const requests = `GET ${url} HTTP/1.1\r\n${credentials}\r\nGET ${CONFIGMAPS}?watch=1 HTTP/1.1\r\n${credentials}${upgrade}\r\n`;
  expect(await closing(socket, () => socket.write(requests))).not.toContain('101 Switching Protocols');
  expect(await answers()).toBe(true);
});

it.each([
  ['is not authenticated', '', '', /^HTTP\/1\.1 401 /],
  ['asks for something that does not upgrade', `Authorization: Bearer ${ADMIN}\r\n`, '', /^HTTP\/1\.1 200 /],
  ['has a body', `Authorization: Bearer ${ADMIN}\r\n`, 'Content-Length: 3\r\n', /^HTTP\/1\.1 400 /],
])(
  'closes the connection of a refused upgrade that %s, although its client neither closes nor stops sending',
  async (_title, token, length, answer) => {
    const socket = connectTls({ host: '127.0.0.1', port: api.server.port, rejectUnauthorized: false });
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\n';
    const head = `GET ${CONFIGMAPS} HTTP/1.1\r\nHost: x\r\n${token === '' ? 'Authorization: Bearer wrong\r\n' : token}${upgrade}${length}\r\n`;
    const seen = await closing(socket, () => void socket.write(head + 'more'.repeat(50_000)));
    expect(seen === '' || answer.test(seen)).toBe(true);
    expect(await metric('apiserver_open_connections')).toBeLessThanOrEqual(1);
  },
);

it('ends an HTTP/2 connection that opens and resets streams without end', async () => {
  const session = connectHttp2(`https://127.0.0.1:${api.server.port}`, { rejectUnauthorized: false });
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
  expect(await answers()).toBe(true);
}, 60_000);

it('turns away more requests than it may work on, and exempts administrators', async () => {
  const small = await startFixture({ maxReadOnly: 1, flowControl: false, authorization: () => ['AlwaysAllow'] });
  const stuck = Array.from({ length: 8 }, () => small.get(`${CONFIGMAPS}?resourceVersion=999999`, { token: 'alice-token' }));
  const statuses = (await Promise.all(stuck)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 504)).toHaveLength(1);
  expect(statuses.filter((status) => status === 429)).toHaveLength(7);
  expect((await small.get(CONFIGMAPS)).status).toBe(200);
  await small.stop();
}, 30_000);

/** What a socket says before it is closed by the server. */
function closing(socket: Socket, start: () => void): Promise<string> {
  let seen = '';
  socket.on('data', (chunk: Buffer) => (seen += chunk.toString('latin1')));
  socket.on('error', () => undefined);
  return new Promise((resolve) => {
    socket.once('secureConnect', start);
    socket.once('close', () => resolve(seen));
  });
}
