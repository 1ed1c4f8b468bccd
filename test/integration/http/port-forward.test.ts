/** Port forwarding over WebSockets to a fake kubelet: the bytes on both sides, as recorded from upstream. */
import { request } from 'node:https';
import type { Duplex } from 'node:stream';
import { waitUntil } from '../../support/programs';
import { stopAfterTest } from '../../support/use-resource';
import { ADMIN } from './api-call';
import { POD, useKubelet, useKubeletServer } from './kubelet-fixture';
import { RawWebSocketClient } from './raw-web-socket-client';

const PORT_FORWARD = `${POD}/portforward`;
const TUNNEL = 'SPDY/3.1+portforward.k8s.io';
/** The status 1000 of a close frame. */
const CLOSE_NORMAL = '\x03\xe8';
/** Sent to a client that does not read: more than the kernel and the server buffer together. */
const UNREAD_MEGABYTES = 64;
/** How often the unwritten bytes of the kubelet must be the same before it counts as blocked. */
const ENOUGH_CHECKS = 10;
const UPGRADE_HEADERS = { Upgrade: 'SPDY/3.1', 'X-Stream-Protocol-Version': 'portforward.k8s.io' };

/** The fake kubelet in the current test. */
const kubeletState = {
  /** Request lines with their Upgrade and X-Stream-Protocol-Version headers. */
  requests: [] as string[],
  /** Upgraded connections. */
  connections: [] as Duplex[],
  /** What these connections have received, as Latin-1. */
  receivedText: '',
  /** Headers of the response to the next upgrade, or a response with 403. */
  reply: UPGRADE_HEADERS as Readonly<Record<string, string>> | 'forbidden',
};

const api = useKubeletServer();
useKubelet(api, (kubelet) =>
  kubelet.on('upgrade', ({ method = '', url = '', headers }, socket: Duplex) => {
    kubeletState.requests.push(`${method} ${url} ${headers.upgrade ?? ''} ${String(headers['x-stream-protocol-version'])}`);
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => (kubeletState.receivedText += bytes.toString('latin1')));
    const { reply } = kubeletState;
    if (reply === 'forbidden') {
      socket.end('HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nno no');
      return;
    }
    kubeletState.connections.push(socket);
    const lines = Object.entries(reply).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n${lines.join('')}\r\nhello`);
  }),
);
beforeEach(() => void Object.assign(kubeletState, { requests: [], receivedText: '', reply: UPGRADE_HEADERS }));
/** Ends the connection of a client after the test. */
const destroyAfterTest = stopAfterTest((socket: Duplex) => socket.destroy());
afterEach(async () => {
  await waitUntil('the connections have ended', () => kubeletState.connections.every(({ destroyed }) => destroyed));
  kubeletState.connections.length = 0;
});

interface UpgradeResponse {
  readonly status: number;
  readonly protocol: string | undefined;
  readonly text: string;
}

function requestUpgrade(protocols: string, path = PORT_FORWARD): Promise<UpgradeResponse & { readonly client?: RawWebSocketClient }> {
  const headers = {
    authorization: `Bearer ${ADMIN}`,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': Buffer.alloc(16).toString('base64'),
    'sec-websocket-protocol': protocols,
  };
  const outgoing = request({ port: api.server.port, path, headers, rejectUnauthorized: false, agent: false });
  return new Promise((resolve, reject) => {
    outgoing.on('error', reject);
    outgoing.on('upgrade', ({ headers: { 'sec-websocket-protocol': protocol } }, socket: Duplex, head: Buffer) =>
      resolve({ status: 101, protocol, text: '', client: new RawWebSocketClient(destroyAfterTest(socket), head) }),
    );
    outgoing.on('response', (message) => {
      let text = '';
      message.setEncoding('utf8').on('data', (part: string) => (text += part));
      message.on('end', () => resolve({ status: message.statusCode ?? 0, protocol: undefined, text }));
    });
    outgoing.end();
  });
}

async function openTunnel(): Promise<RawWebSocketClient> {
  const { client } = await requestUpgrade(TUNNEL);
  if (client === undefined) throw new Error('no WebSocket');
  return client;
}

const waitForClose = (client: RawWebSocketClient): Promise<unknown> =>
  waitUntil('the end', () => client.frames.at(-1)?.startsWith('closed') === true);

test.each([TUNNEL, `v4.channel.k8s.io,${TUNNEL}`, `${TUNNEL}, SPDY/3.1+other`])(
  'a port is forwarded in SPDY for the subprotocols %s',
  async (protocols) => {
    const { client, protocol } = await requestUpgrade(protocols, `${PORT_FORWARD}?ports=80`);
    expect(protocol).toBe(TUNNEL);
    expect(kubeletState.requests).toEqual(['POST /portForward/default/p?port=80 SPDY/3.1 portforward.k8s.io']);
    client?.send('bytes', '\x80\x03');
    client?.send('bytes', 'more');
    await waitUntil('the bytes of the client', () => kubeletState.receivedText === '\x80\x03more');
    kubeletState.connections[0]?.write('back');
    await waitUntil('the bytes of the kubelet', () => client?.frames.length === 2);
    client?.send('close', CLOSE_NORMAL);
    await waitUntil('the end', () => client?.frames.length === 3);
    expect(client?.frames).toEqual(['2 hello', '2 back', 'closed 1000']);
  },
);

test('a port is forwarded by a kubelet that selects no stream protocol', async () => {
  kubeletState.reply = { Upgrade: 'SPDY/3.1' };
  expect(await requestUpgrade(TUNNEL)).toMatchObject({ status: 101, protocol: undefined });
});

test('the response of a kubelet that rejects the request is passed on', async () => {
  kubeletState.reply = 'forbidden';
  expect(await requestUpgrade(TUNNEL)).toMatchObject({ status: 403, text: 'no no' });
});

test('a client gets an error when the kubelet upgrades to another protocol', async () => {
  kubeletState.reply = { Upgrade: 'websocket' };
  expect(await requestUpgrade(TUNNEL)).toMatchObject({ status: 500, text: 'unable to upgrade: missing upgrade headers in response\n' });
});

test.each(['v4.channel.k8s.io', 'SPDY/3.1+other'])('the subprotocol %s is passed on to the kubelet', async (protocols) => {
  await requestUpgrade(protocols);
  expect(kubeletState.requests).toEqual(['GET /portForward/default/p websocket undefined']);
});

test('the connection of a client is closed after the last bytes when its kubelet ends its own', async () => {
  const client = await openTunnel();
  kubeletState.connections[0]?.end('bye');
  await waitForClose(client);
  expect(client.frames).toEqual(['2 hello', '2 bye', 'closed 1000']);
});

test('the connection of a client is closed when its kubelet breaks its own', async () => {
  const client = await openTunnel();
  kubeletState.connections[0]?.destroy();
  await waitForClose(client);
  expect(client.frames).toEqual(['2 hello', 'closed 1000']);
});

test('a text message closes the connection, because the tunnel carries bytes only', async () => {
  const client = await openTunnel();
  client.send('text', 'words');
  await waitForClose(client);
  expect([client.frames, kubeletState.receivedText]).toEqual([['2 hello', 'closed 1003'], '']);
});

test('a client that does not read makes its kubelet wait, and receives everything when it reads', async () => {
  const client = await openTunnel();
  client.socket.pause();
  const [source] = kubeletState.connections;
  const piece = Buffer.alloc(1024 * 1024, 'a');
  for (let written = 0; written < UNREAD_MEGABYTES; written += 1) source?.write(piece);
  let unwritten = 0;
  let unchangedChecks = 0;
  await waitUntil('the kubelet to be blocked', () => {
    const current = source?.writableLength ?? 0;
    unchangedChecks = current === unwritten && current < UNREAD_MEGABYTES * piece.length ? unchangedChecks + 1 : 0;
    unwritten = current;
    return unchangedChecks > ENOUGH_CHECKS;
  });
  // The buffers of the kernel and of the server hold far less than the other three quarters.
  expect(unwritten).toBeGreaterThan((UNREAD_MEGABYTES / 4) * piece.length);
  client.socket.resume();
  await waitUntil('all bytes', () => client.receivedBytes === 'hello'.length + UNREAD_MEGABYTES * piece.length);
});
