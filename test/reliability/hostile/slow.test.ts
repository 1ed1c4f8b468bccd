/**
 * Hundreds of connections (thousands with SLOW_CONNECTIONS=2000) that keep a server waiting: heads and bodies that come byte by byte, HTTP/2 without a request, TLS that is never agreed on.
 * The server closes all of them and serves other clients meanwhile, and one address cannot take all connections. Counted, not timed.
 */
import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { waitUntil } from '../../support/programs';
import { hostileTarget, list } from './hostile-client';

const CONNECTIONS = Number(process.env['SLOW_CONNECTIONS'] ?? 240);
const PER_ADDRESS = CONNECTIONS / 2;
const target = hostileTarget(`--max-connections-per-address=${PER_ADDRESS}`);

/** Connections that are slow in the same way. */
interface Crowd {
  readonly sockets: readonly Socket[];
  /** What each goes on with; '' = it says nothing more. */
  readonly drip: string;
}

const HEAD = `GET ${list} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: `;
const BODY = `POST ${list} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{`;
const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
const HELLO = '\u0016\u0003\u0001';
const COUNT = CONNECTIONS / 4;
/** So many connect at a time: more than a listener's queue would have to try again for seconds. */
const BATCH = 100;

/** A connection from an address of its own crowd; whoever is turned away is closed at once. */
function plain(localAddress: string): Socket {
  const socket = connectTcp({ host: '127.0.0.1', port: Number(new URL(target().server.address).port), localAddress });
  socket.on('error', () => undefined);
  return socket;
}

function secure(localAddress: string, protocol: string): Socket {
  const socket = connectTls({ socket: plain(localAddress), ALPNProtocols: [protocol], ...target().client.credentials() });
  socket.on('error', () => undefined);
  socket.resume();
  return socket;
}

/** Resolves when all are connected, by the event that says so, and have sent `first`. */
async function crowd(count: number, make: () => Socket, event: 'connect' | 'secureConnect', first = '', drip = ''): Promise<Crowd> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const batch = Array.from({ length: Math.min(BATCH, count - sockets.length) }, make);
    sockets.push(...batch);
    await Promise.all(batch.map((socket) => new Promise((resolve) => socket.once(event, resolve).once('close', resolve))));
    if (first !== '') for (const socket of batch) socket.write(first, 'latin1');
  }
  return { sockets, drip };
}

const isOpen = (socket: Socket): boolean => !socket.destroyed;

async function metric(name: string): Promise<number> {
  const { text } = await target().client.get('/metrics');
  const value = text.split('\n').find((line) => line.startsWith(name));
  return Number(value?.slice(value.lastIndexOf(' ') + 1));
}

it('the API server closes hundreds of slow connections and serves another client meanwhile', async () => {
  const { client, memory } = target();
  const before = memory();
  const crowds: Crowd[] = [];
  let served = 0;
  try {
    crowds.push(await crowd(COUNT, () => secure('127.0.0.2', 'http/1.1'), 'secureConnect', HEAD, 'x'));
    crowds.push(await crowd(COUNT, () => secure('127.0.0.3', 'h2'), 'secureConnect', PREFACE));
    crowds.push(await crowd(COUNT, () => secure('127.0.0.4', 'http/1.1'), 'secureConnect', BODY, ' '));
    crowds.push(await crowd(COUNT, () => plain('127.0.0.5'), 'connect', HELLO, '\u0001'));
    await waitUntil(
      'everyone to be given up',
      async () => {
        for (const { sockets, drip } of crowds) {
          if (drip !== '') for (const socket of sockets) if (socket.writable) socket.write(drip, 'latin1');
        }
        const { status } = await client.get(`${list}/calm`);
        if (status !== 200) throw new Error(`the other client was answered with ${status}`);
        served += 1;
        return !crowds.some(({ sockets }) => sockets.some(isOpen));
      },
      90_000,
    );
  } finally {
    for (const { sockets } of crowds) for (const socket of sockets) socket.destroy();
  }
  expect(served).toBeGreaterThan(20);
  expect(memory() - before).toBeLessThan(250);
  await waitUntil('the places to be free again', async () => (await metric('apiserver_open_connections')) < 20);
}, 180_000);

it('the API server limits connections per address and accepts those of other addresses', async () => {
  const { client } = target();
  const { sockets } = await crowd(PER_ADDRESS + 200, () => plain('127.0.0.6'), 'connect');
  try {
    // Those that were let in are given up after a while, and make room for those that come late.
    await waitUntil('some to be turned away', async () => (await metric('apiserver_refused_connections_total{cap="address"}')) > 0);
    expect(await metric('apiserver_open_connections')).toBeLessThan(PER_ADDRESS + 20);
    expect((await client.get(`${list}/calm`)).status).toBe(200);
    const session = connectHttp2(target().server.address, { ...client.credentials() });
    session.on('error', () => undefined);
    await new Promise<void>((resolve) => session.once('remoteSettings', () => resolve()));
    session.destroy();
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}, 60_000);
