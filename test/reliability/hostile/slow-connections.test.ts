/**
 * Hundreds of slow connections (thousands with SLOW_CONNECTIONS=2000): headers and bodies that arrive byte by byte,
 * HTTP/2 without a request, TLS handshakes that never complete. The server closes all of them and serves other clients
 * meanwhile, and one address cannot use all connections. The tests count requests and do not measure time.
 */
import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { waitUntil } from '../../support/programs';
import { useHostileTarget, CONFIGMAPS } from './hostile-client';

/** Slow connections, in four groups. */
const CONNECTIONS = Number(process.env['SLOW_CONNECTIONS'] ?? 240);
/** More than one group, which has an address of its own. */
const PER_ADDRESS = CONNECTIONS / 2;
const target = useHostileTarget(`--max-connections-per-address=${PER_ADDRESS}`);

/** Connections that are slow in the same way. */
interface ConnectionGroup {
  readonly sockets: readonly Socket[];
  /** Bytes that each connection keeps sending; empty when it sends nothing more. */
  readonly trickle: string;
}

/** A request of which the headers never end. */
const HEAD = `GET ${CONFIGMAPS} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: `;
/** A request of which the body never ends. */
const BODY = `POST ${CONFIGMAPS} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{`;
/** HTTP/2 without a request. */
const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
/** The type and version of a TLS record: a handshake that never completes. */
const HELLO = '\u0016\u0003\u0001';
const GROUP_SIZE = CONNECTIONS / 4;
/** Connections opened at a time. More than the backlog of the listener would have to retry for seconds. */
const BATCH = 100;

/** Requests of the other client that must succeed meanwhile. The connections last for seconds, a request for milliseconds. */
const LEAST_SERVED = 20;
/** Memory of the server for all slow connections together. */
const MOST_GROWTH_MB = 250;
/** Connections of the clients of this test that are not slow. */
const CONNECTIONS_OF_OTHERS = 20;

/** Opens a TCP connection from a loopback address, so that groups of connections have different addresses. The server closes a rejected one at once. */
function openTcp(localAddress: string): Socket {
  const socket = connectTcp({ host: '127.0.0.1', port: Number(new URL(target().server.address).port), localAddress });
  socket.on('error', () => undefined);
  return socket;
}

function openTls(localAddress: string, protocol: string): Socket {
  const socket = connectTls({ socket: openTcp(localAddress), ALPNProtocols: [protocol], ...target().client.credentials() });
  socket.on('error', () => undefined);
  socket.resume();
  return socket;
}

interface GroupOptions {
  readonly open: () => Socket;
  readonly readyEvent: 'connect' | 'secureConnect';
  /** Sent once by each connection. */
  readonly initialBytes?: string;
  readonly trickle?: string;
}

/** Resolves when all connections are ready, or were closed, and have sent their initial bytes. */
async function openGroup(count: number, { open, readyEvent, initialBytes = '', trickle = '' }: GroupOptions): Promise<ConnectionGroup> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const batch = Array.from({ length: Math.min(BATCH, count - sockets.length) }, open);
    sockets.push(...batch);
    await Promise.all(batch.map((socket) => new Promise((resolve) => socket.once(readyEvent, resolve).once('close', resolve))));
    if (initialBytes !== '') for (const socket of batch) socket.write(initialBytes, 'latin1');
  }
  return { sockets, trickle };
}

/** Lets each open connection of a group send a little more. */
function sendTrickle({ sockets, trickle }: ConnectionGroup): void {
  if (trickle === '') return;
  for (const socket of sockets) if (socket.writable) socket.write(trickle, 'latin1');
}

const isOpen = (socket: Socket): boolean => !socket.destroyed;

/** The value of the first series that starts with `name`; NaN when there is none. */
async function readMetric(name: string): Promise<number> {
  const { text } = await target().client.get('/metrics');
  const value = text.split('\n').find((line) => line.startsWith(name));
  return Number(value?.slice(value.lastIndexOf(' ') + 1));
}

it('the API server closes hundreds of slow connections and serves another client meanwhile', async () => {
  const { client, memoryMb } = target();
  const beforeMb = memoryMb();
  const groups: ConnectionGroup[] = [];
  let served = 0;
  try {
    const groupOptions: readonly GroupOptions[] = [
      { open: () => openTls('127.0.0.2', 'http/1.1'), readyEvent: 'secureConnect', initialBytes: HEAD, trickle: 'x' },
      { open: () => openTls('127.0.0.3', 'h2'), readyEvent: 'secureConnect', initialBytes: PREFACE },
      { open: () => openTls('127.0.0.4', 'http/1.1'), readyEvent: 'secureConnect', initialBytes: BODY, trickle: ' ' },
      { open: () => openTcp('127.0.0.5'), readyEvent: 'connect', initialBytes: HELLO, trickle: '\u0001' },
    ];
    for (const options of groupOptions) groups.push(await openGroup(GROUP_SIZE, options));
    await waitUntil(
      'all slow connections to be closed',
      async () => {
        groups.forEach(sendTrickle);
        const { status } = await client.get(`${CONFIGMAPS}/calm`);
        if (status !== 200) throw new Error(`the other client received ${status}`);
        served += 1;
        return !groups.some(({ sockets }) => sockets.some(isOpen));
      },
      90_000,
    );
  } finally {
    for (const { sockets } of groups) for (const socket of sockets) socket.destroy();
  }
  expect(served).toBeGreaterThan(LEAST_SERVED);
  expect(memoryMb() - beforeMb).toBeLessThan(MOST_GROWTH_MB);
  await waitUntil('the connections to be released', async () => (await readMetric('apiserver_open_connections')) < CONNECTIONS_OF_OTHERS);
}, 180_000);

it('the API server limits connections per address and accepts those of other addresses', async () => {
  const { client } = target();
  const { sockets } = await openGroup(PER_ADDRESS + 200, { open: () => openTcp('127.0.0.6'), readyEvent: 'connect' });
  try {
    // Accepted connections are closed after a timeout and make room for later ones, so that not all others are rejected.
    await waitUntil(
      'some connections to be rejected',
      async () => (await readMetric('apiserver_refused_connections_total{cap="address"}')) > 0,
    );
    expect(await readMetric('apiserver_open_connections')).toBeLessThan(PER_ADDRESS + CONNECTIONS_OF_OTHERS);
    expect((await client.get(`${CONFIGMAPS}/calm`)).status).toBe(200);
    // A connection of another address.
    const session = connectHttp2(target().server.address, { ...client.credentials() });
    session.on('error', () => undefined);
    await new Promise<void>((resolve) => session.once('remoteSettings', () => resolve()));
    session.destroy();
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}, 60_000);
