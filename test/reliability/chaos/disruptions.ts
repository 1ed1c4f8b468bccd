/**
 * The ways in which chaos clients misuse a connection: what they send and read, and how they end the connection. Random
 * numbers come from a seed, so that a run can be repeated. Opening and destroying connections is left to the caller.
 */
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { SeededRandom } from '../../replay/seeded-random';
import {
  connectionPreface,
  END_STREAM,
  ERROR_CODE,
  FRAME,
  headersFrame,
  rawFrame,
  resetFrame,
  streamWindow,
  windowUpdate,
} from '../../support/http/raw-http2';

export interface Conversation {
  readonly socket: TLSSocket;
  /** The TCP socket below TLS. */
  readonly rawSocket: Socket;
  readonly random: SeededRandom;
  /** A bearer token that the server accepts. */
  readonly token: string;
  wait(ms: number): Promise<void>;
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly accept?: string;
  readonly body?: string;
}

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

/** The responses to lists, watches and documents are larger than the socket buffers. */
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

/** Bytes of a DATA frame; peers accept 16 KiB by default. */
const DATA_BYTES = 16_000;

/** The number of requests on one connection. The cube of a number below 1 is mostly small, so that most connections send few. */
const requestCount = (random: SeededRandom, maximum: number): number => 1 + Math.floor(random.float() ** 3 * maximum);

const WEBSOCKET_UPGRADE = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
];

/** Requests on HTTP/1.1, pipelined. */
function http1Requests({ random, token }: Conversation): Buffer {
  const requests = Array.from({ length: requestCount(random, 20) }, () => random.pick(REQUESTS));
  const texts = requests.map(({ method, path, accept = 'application/json', body = '' }) =>
    [
      `${method} ${path} HTTP/1.1`,
      'Host: 127.0.0.1',
      `Accept: ${accept}`,
      `Authorization: Bearer ${token}`,
      ...(random.withProbability(0.3) ? ['Accept-Encoding: gzip'] : []),
      ...(random.withProbability(0.1) ? ['Expect: 100-continue'] : []),
      ...(random.withProbability(0.1) ? WEBSOCKET_UPGRADE : []),
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
function http2Requests({ random, token }: Conversation): Buffer {
  const window = random.pick([0, 1_000, 65_535, 2_000_000_000]);
  const frames = [connectionPreface(), streamWindow(window)];
  if (random.withProbability(0.8)) frames.push(windowUpdate(0, random.pick([1_000, 1_000_000, 2_000_000_000])));
  const count = requestCount(random, 60);
  for (let index = 0; index < count; index++) {
    // The streams of a client have odd numbers.
    const stream = 1 + 2 * index;
    const { method, path, accept = 'application/json', body } = random.pick(REQUESTS);
    const headers: (readonly [string, string])[] = [
      [':method', method],
      [':path', path],
      [':scheme', 'https'],
      [':authority', '127.0.0.1'],
      ['accept', accept],
      ['authorization', `Bearer ${token}`],
    ];
    if (random.withProbability(0.3)) headers.push(['accept-encoding', 'gzip']);
    if (body !== undefined) headers.push(['content-type', 'application/json']);
    frames.push(headersFrame(stream, headers, body === undefined && random.withProbability(0.9)));
    for (let from = 0; body !== undefined && from < body.length; from += DATA_BYTES) {
      const isLast = from + DATA_BYTES >= body.length && random.withProbability(0.8);
      frames.push(rawFrame(FRAME.data, isLast ? END_STREAM : 0, stream, Buffer.from(body.slice(from, from + DATA_BYTES))));
    }
    if (random.withProbability(0.1)) frames.push(resetFrame(stream, random.pick(Object.values(ERROR_CODE))));
    if (random.withProbability(0.02)) frames.push(rawFrame(FRAME.goaway, 0, 0, Buffer.alloc(8)));
  }
  return Buffer.concat(frames);
}

const requestBytes = (conversation: Conversation): Buffer =>
  conversation.socket.alpnProtocol === 'h2' ? http2Requests(conversation) : http1Requests(conversation);

/** A copy with one to eight random bytes. */
function garble(bytes: Buffer, random: SeededRandom): Buffer {
  const garbled = Buffer.from(bytes);
  const flips = 1 + random.integerBelow(8);
  for (let flip = 0; flip < flips; flip++) {
    const index = random.integerBelow(garbled.length);
    garbled[index] = random.integerBelow(256);
  }
  return garbled;
}

const randomBytes = (random: SeededRandom): Buffer =>
  Buffer.from(Array.from({ length: 1 + random.integerBelow(5_000) }, () => random.integerBelow(256)));

/** Milliseconds: mostly few, at times more than the limits of the server for connections that make no progress. */
const stallMs = (random: SeededRandom): number =>
  random.withProbability(0.15) ? 20_000 + random.float() * 80_000 : random.float() * 3_000;

/** By the name that `--only` takes. Each call gets a newly opened connection, which the caller destroys afterwards. */
export const DISRUPTIONS: Readonly<Record<string, (conversation: Conversation) => Promise<void>>> = {
  /** RST while the responses are written. */
  async reset(conversation) {
    const { socket, rawSocket, random } = conversation;
    socket.write(requestBytes(conversation));
    socket.resume();
    await conversation.wait(random.float() * 1_500);
    rawSocket.resetAndDestroy();
  },
  /** RST while nothing has been read for a while. */
  async resetUnread(conversation) {
    conversation.socket.pause();
    conversation.socket.write(requestBytes(conversation));
    await conversation.wait(stallMs(conversation.random));
    conversation.rawSocket.resetAndDestroy();
  },
  /** close_notify and FIN while the responses are written; they are read to their end or not at all. */
  async halfClose(conversation) {
    const { socket, random } = conversation;
    socket.write(requestBytes(conversation));
    await conversation.wait(random.float() * 500);
    if (random.withProbability(0.5)) socket.resume();
    socket.end();
    await conversation.wait(stallMs(random));
  },
  /** FIN without close_notify. */
  async halfCloseBelowTls(conversation) {
    const { socket, random } = conversation;
    socket.write(requestBytes(conversation));
    await conversation.wait(random.float() * 500);
    if (random.withProbability(0.5)) socket.resume();
    conversation.rawSocket.end();
    await conversation.wait(stallMs(random));
  },
  /** More requests behind responses that are not read. */
  async stall(conversation) {
    const { socket, random } = conversation;
    socket.pause();
    const rounds = 1 + random.integerBelow(5);
    for (let round = 0; round < rounds; round++) {
      if (round === 0 || socket.alpnProtocol !== 'h2') socket.write(requestBytes(conversation));
      await conversation.wait(stallMs(random));
    }
  },
  /** Responses are read a few bytes at a time. */
  async readSlowly(conversation) {
    const { socket, random } = conversation;
    socket.write(requestBytes(conversation));
    for (let round = 0; round < 20 && !socket.destroyed; round++) {
      socket.read(1_000 + random.float() * 100_000);
      await conversation.wait(random.float() * 1_000);
    }
  },
  /** Requests with wrong bytes in any position. */
  async garbleRequests(conversation) {
    const { socket, random } = conversation;
    socket.write(garble(requestBytes(conversation), random));
    if (random.withProbability(0.7)) socket.resume();
    await conversation.wait(stallMs(random));
  },
  /** Random bytes within TLS. */
  async garbleAfterRequests(conversation) {
    const { socket, random } = conversation;
    socket.write(requestBytes(conversation));
    if (random.withProbability(0.7)) socket.resume();
    await conversation.wait(random.float() * 500);
    socket.write(randomBytes(random));
    await conversation.wait(stallMs(random));
  },
  /** Random bytes that are no TLS record. */
  async garbleBelowTls(conversation) {
    const { socket, random } = conversation;
    socket.write(requestBytes(conversation));
    if (random.withProbability(0.7)) socket.resume();
    await conversation.wait(random.float() * 500);
    conversation.rawSocket.write(randomBytes(random));
    await conversation.wait(stallMs(random));
  },
  /** Only the first part of the requests, and then nothing or the end. */
  async truncate(conversation) {
    const { socket, random } = conversation;
    const bytes = requestBytes(conversation);
    socket.write(bytes.subarray(0, random.integerBelow(bytes.length)));
    if (random.withProbability(0.5)) socket.resume();
    await conversation.wait(stallMs(random));
    if (random.withProbability(0.5)) socket.end();
    await conversation.wait(random.float() * 1_000);
  },
};
