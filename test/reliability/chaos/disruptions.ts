/**
 * The ways in which chaos clients misuse a connection: their requests, and how they end. Random numbers come from a
 * seed, so that a run can be repeated.
 */
import type { TLSSocket } from 'node:tls';
import {
  connectionPreface,
  END_STREAM,
  FRAME,
  headersFrame,
  rawFrame,
  resetFrame,
  streamWindow,
  windowUpdate,
} from '../../support/http/raw-http2';

/** A pseudo-random number in [0, 1). */
export type Chance = () => number;

export interface Conversation {
  readonly socket: TLSSocket;
  readonly chance: Chance;
  readonly token: string;
  wait(ms: number): Promise<void>;
}

/** mulberry32. */
export function seededChance(seed: number): Chance {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export const pick = <T>(chance: Chance, rows: readonly T[]): T => rows[Math.floor(chance() * rows.length)] as T;

interface Request {
  readonly method: string;
  readonly path: string;
  readonly accept?: string;
  readonly body?: string;
}

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

/** Most responses are larger than the socket buffers. */
const REQUESTS: readonly Request[] = [
  { method: 'GET', path: CONFIGMAPS },
  { method: 'GET', path: CONFIGMAPS, accept: 'application/vnd.kubernetes.protobuf' },
  { method: 'GET', path: CONFIGMAPS, accept: TABLE },
  { method: 'GET', path: `${CONFIGMAPS}?limit=500` },
  { method: 'GET', path: `${CONFIGMAPS}?watch=true` },
  { method: 'GET', path: `${CONFIGMAPS}?watch=true&resourceVersion=0` },
  { method: 'GET', path: `${CONFIGMAPS}/calm` },
  { method: 'GET', path: '/openapi/v2' },
  { method: 'GET', path: '/metrics' },
  { method: 'POST', path: CONFIGMAPS, body: JSON.stringify({ metadata: { generateName: 'chaos-' }, data: { text: 'x'.repeat(50_000) } }) },
  { method: 'DELETE', path: `${CONFIGMAPS}/absent` },
];

/** Requests on HTTP/1.1, pipelined. */
function http1Requests({ chance, token }: Conversation): Buffer {
  const requests = Array.from({ length: 1 + Math.floor(chance() ** 3 * 20) }, () => pick(chance, REQUESTS));
  const texts = requests.map(({ method, path, accept = 'application/json', body = '' }) =>
    [
      `${method} ${path} HTTP/1.1`,
      'Host: 127.0.0.1',
      `Accept: ${accept}`,
      `Authorization: Bearer ${token}`,
      ...(chance() < 0.3 ? ['Accept-Encoding: gzip'] : []),
      ...(chance() < 0.1 ? ['Expect: 100-continue'] : []),
      ...(chance() < 0.1
        ? ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==']
        : []),
      ...(body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${body.length}`]),
      '',
      body,
    ].join('\r\n'),
  );
  return Buffer.from(texts.join(''));
}

/**
 * Requests on HTTP/2 with a window of any size; some streams stay open, are reset at once or send more than they
 * should.
 */
function http2Requests({ chance, token }: Conversation): Buffer {
  const window = pick(chance, [0, 1_000, 65_535, 2_000_000_000]);
  const frames = [connectionPreface(), streamWindow(window)];
  if (chance() < 0.8) frames.push(windowUpdate(0, pick(chance, [1_000, 1_000_000, 2_000_000_000])));
  const count = 1 + Math.floor(chance() ** 3 * 60);
  for (let index = 0; index < count; index++) {
    const stream = 1 + 2 * index;
    const { method, path, accept = 'application/json', body } = pick(chance, REQUESTS);
    const headers: (readonly [string, string])[] = [
      [':method', method],
      [':path', path],
      [':scheme', 'https'],
      [':authority', '127.0.0.1'],
      ['accept', accept],
      ['authorization', `Bearer ${token}`],
    ];
    if (chance() < 0.3) headers.push(['accept-encoding', 'gzip']);
    if (body !== undefined) headers.push(['content-type', 'application/json']);
    frames.push(headersFrame(stream, headers, body === undefined && chance() < 0.9));
    for (let from = 0; body !== undefined && from < body.length; from += 16_000) {
      const isLast = from + 16_000 >= body.length && chance() < 0.8;
      frames.push(rawFrame(FRAME.data, isLast ? END_STREAM : 0, stream, Buffer.from(body.slice(from, from + 16_000))));
    }
    if (chance() < 0.1) frames.push(resetFrame(stream, pick(chance, [0, 2, 8, 11])));
    if (chance() < 0.02) frames.push(rawFrame(FRAME.goaway, 0, 0, Buffer.alloc(8)));
  }
  return Buffer.concat(frames);
}

export const requestBytes = (conversation: Conversation): Buffer =>
  conversation.socket.alpnProtocol === 'h2' ? http2Requests(conversation) : http1Requests(conversation);

function garble(bytes: Buffer, chance: Chance): Buffer {
  const garbled = Buffer.from(bytes);
  const flips = 1 + Math.floor(chance() * 8);
  for (let flip = 0; flip < flips; flip++) {
    const index = Math.floor(chance() * garbled.length);
    garbled[index] = Math.floor(chance() * 256);
  }
  return garbled;
}

const randomBytes = (chance: Chance): Buffer =>
  Buffer.from(Array.from({ length: 1 + Math.floor(chance() * 5_000) }, () => Math.floor(chance() * 256)));
/** Mostly short, at times longer than every time limit of the server. */
const stallMs = (chance: Chance): number => (chance() < 0.15 ? 20_000 + chance() * 80_000 : chance() * 3_000);

/** Each disruption gets a newly opened connection, which the caller destroys afterwards. */
export const DISRUPTIONS: Readonly<Record<string, (conversation: Conversation) => Promise<void>>> = {
  /** RST while the answers are written. */
  async reset(conversation) {
    const { socket, chance } = conversation;
    socket.write(requestBytes(conversation));
    socket.resume();
    await conversation.wait(chance() * 1_500);
    rawSocket(socket).resetAndDestroy();
  },
  /** RST while nothing has been read for a while. */
  async resetUnread(conversation) {
    conversation.socket.pause();
    conversation.socket.write(requestBytes(conversation));
    await conversation.wait(stallMs(conversation.chance));
    rawSocket(conversation.socket).resetAndDestroy();
  },
  /** close_notify and FIN while the answers are written; they are read to their end or not at all. */
  async halfClose(conversation) {
    const { socket, chance } = conversation;
    socket.write(requestBytes(conversation));
    await conversation.wait(chance() * 500);
    if (chance() < 0.5) socket.resume();
    socket.end();
    await conversation.wait(stallMs(chance));
  },
  /** FIN below TLS. */
  async halfCloseBelowTls(conversation) {
    const { socket, chance } = conversation;
    socket.write(requestBytes(conversation));
    await conversation.wait(chance() * 500);
    if (chance() < 0.5) socket.resume();
    rawSocket(socket).end();
    await conversation.wait(stallMs(chance));
  },
  /** More requests behind answers that are not read. */
  async stall(conversation) {
    const { socket, chance } = conversation;
    socket.pause();
    const rounds = 1 + Math.floor(chance() * 5);
    for (let round = 0; round < rounds; round++) {
      if (round === 0 || socket.alpnProtocol !== 'h2') socket.write(requestBytes(conversation));
      await conversation.wait(stallMs(chance));
    }
  },
  /** A few bytes at a time. */
  async readSlowly(conversation) {
    const { socket, chance } = conversation;
    socket.write(requestBytes(conversation));
    for (let round = 0; round < 20 && !socket.destroyed; round++) {
      socket.read(1_000 + chance() * 100_000);
      await conversation.wait(chance() * 1_000);
    }
  },
  async garbleRequests(conversation) {
    const { socket, chance } = conversation;
    socket.write(garble(requestBytes(conversation), chance));
    if (chance() < 0.7) socket.resume();
    await conversation.wait(stallMs(chance));
  },
  async garbleAfterRequests(conversation) {
    const { socket, chance } = conversation;
    socket.write(requestBytes(conversation));
    if (chance() < 0.7) socket.resume();
    await conversation.wait(chance() * 500);
    socket.write(randomBytes(chance));
    await conversation.wait(stallMs(chance));
  },
  /** Bytes that are no TLS record. */
  async garbleBelowTls(conversation) {
    const { socket, chance } = conversation;
    socket.write(requestBytes(conversation));
    if (chance() < 0.7) socket.resume();
    await conversation.wait(chance() * 500);
    rawSocket(socket).write(randomBytes(chance));
    await conversation.wait(stallMs(chance));
  },
  /** Only the first part of the requests, and then nothing or the end. */
  async truncate(conversation) {
    const { socket, chance } = conversation;
    const bytes = requestBytes(conversation);
    socket.write(bytes.subarray(0, Math.floor(chance() * bytes.length)));
    if (chance() < 0.5) socket.resume();
    await conversation.wait(stallMs(chance));
    if (chance() < 0.5) socket.end();
    await conversation.wait(chance() * 1_000);
  },
};

interface RawSocket {
  write(bytes: Buffer): unknown;
  end(): unknown;
  resetAndDestroy(): unknown;
}

/** The TCP socket below a TLS socket that was given one. */
function rawSocket(socket: TLSSocket): RawSocket {
  const below = rawSockets.get(socket);
  if (below === undefined) throw new Error('the TCP socket of this TLS socket is not known');
  return below;
}

export const rawSockets = new WeakMap<TLSSocket, RawSocket>();
