/**
 * Thousands of connections that keep a server waiting: heads and bodies that come byte by byte, HTTP/2 without a request, TLS that is never agreed on.
 * All are given up, nobody else is disturbed, and one address cannot take all places. Counted, not timed.
 */
import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { waitUntil } from '../../support/programs';
import { hostileTarget, list, type Target } from './hostile-client';

const PER_ADDRESS = 1_000;
const target = hostileTarget(`--max-connections-per-address=${PER_ADDRESS}`);

/** Connections that are slow in the same way. */
interface Crowd {
  readonly kind: string;
  readonly sockets: readonly Socket[];
  /** What each sends at once. */
  readonly first: string;
  /** What each goes on with; '' = it says nothing more. */
  readonly drip: string;
}

const HEAD = `GET ${list} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: `;
const BODY = `POST ${list} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{`;
const COUNT = 500;

function portOf({ server }: Target): number {
  return Number(new URL(server.address).port);
}

/** A connection from an address of its own crowd; whoever is turned away is closed at once. */
function transport(localAddress: string): Socket {
  const socket = connectTcp({ host: '127.0.0.1', port: portOf(target()), localAddress });
  socket.on('error', () => undefined);
  return socket;
}

function secure(localAddress: string, protocol: string): Socket {
  const { client } = target();
  const socket = connectTls({ socket: transport(localAddress), ALPNProtocols: [protocol], ...client.credentials() });
  socket.on('error', () => undefined);
  socket.resume();
  return socket;
}

const many = (make: () => Socket): readonly Socket[] => Array.from({ length: COUNT }, make);

const isOpen = (socket: Socket): boolean => !socket.destroyed;

async function metric(name: string): Promise<number> {
  const { text } = await target().client.get('/metrics');
  const value = text.split('\n').find((line) => line.startsWith(name));
  return Number(value?.slice(value.lastIndexOf(' ') + 1));
}

it('gives up thousands of slow clients, and serves another one meanwhile', async () => {
  const { client, memory } = target();
  const before = memory();
  const crowds: readonly Crowd[] = [
    { kind: 'heads', sockets: many(() => secure('127.0.0.2', 'http/1.1')), first: HEAD, drip: 'x' },
    { kind: 'bodies', sockets: many(() => secure('127.0.0.3', 'http/1.1')), first: BODY, drip: ' ' },
    { kind: 'silent HTTP/2', sockets: many(() => secure('127.0.0.4', 'h2')), first: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', drip: '' },
    { kind: 'handshakes', sockets: many(() => transport('127.0.0.5')), first: '\u0016\u0003\u0001', drip: '\u0001' },
  ];
  let served = 0;
  try {
    for (const { sockets, first } of crowds) for (const socket of sockets) socket.write(first, 'latin1');
    // All of the crowd, or what the server has not given up yet, and the one that asks.
    await waitUntil('the crowd to be there', async () => (await metric('apiserver_open_connections')) > COUNT * 3, 60_000);
    const left = (): string[] => crowds.flatMap(({ kind, sockets }) => (sockets.some(isOpen) ? [kind] : []));
    await waitUntil(
      'everyone to be given up',
      async () => {
        for (const { sockets, drip } of crowds) {
          if (drip !== '') for (const socket of sockets) if (socket.writable) socket.write(drip, 'latin1');
        }
        const { status } = await client.get(`${list}/calm`);
        if (status !== 200) throw new Error(`the other client was answered with ${status}`);
        served += 1;
        return left().length === 0;
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

it('leaves places for others, however many one address wants', async () => {
  const { client } = target();
  const refusedBefore = await metric('apiserver_refused_connections_total{cap="address"}');
  const greedy = Array.from({ length: PER_ADDRESS + 200 }, () => transport('127.0.0.6'));
  try {
    await waitUntil(
      'the greedy to be turned away',
      async () => (await metric('apiserver_refused_connections_total{cap="address"}')) - refusedBefore === 200,
    );
    await waitUntil('them to notice', () => greedy.filter(isOpen).length === PER_ADDRESS);
    expect((await client.get(`${list}/calm`)).status).toBe(200);
    const session = connectHttp2(target().server.address, { ...client.credentials() });
    session.on('error', () => undefined);
    await new Promise<void>((resolve) => session.once('remoteSettings', () => resolve()));
    session.destroy();
  } finally {
    for (const socket of greedy) socket.destroy();
  }
}, 60_000);
