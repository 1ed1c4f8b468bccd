/** Limits of requests and connections: sizes of headers and bodies, the time for a body, and connections per address. */
import type { ClientHttp2Session, OutgoingHttpHeaders } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { waitUntil } from '../../support/programs';
import { useResource } from '../../support/use-resource';
import { ADMIN, requestBytes } from './api-call';
import { startFixture, useServer } from './fixture';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const REVIEWS = '/apis/authentication.k8s.io/v1/tokenreviews';
/** Bytes of a URL and all headers together, and of the body of a review. */
const LIMIT = 64 * 1024;

const api = useServer({
  bodyPace: { patienceMs: 500, bytesPerSecond: 1024 },
  connectionTimeouts: { headersMs: 1000, idleMs: 60_000, checkMs: 50 },
});
const openSession = (): ClientHttp2Session => api.connectHttp2({ maxSendHeaderBlockLength: 1_000_000 });

interface StreamResponse {
  readonly status: number;
  readonly text: string;
}

function sendStream(session: ClientHttp2Session, headers: OutgoingHttpHeaders, body?: string): Promise<StreamResponse> {
  const stream = session.request({ authorization: `Bearer ${ADMIN}`, ...headers });
  return new Promise((resolve, reject) => {
    let status = 0;
    let text = '';
    stream.on('response', (responseHeaders) => (status = responseHeaders[':status'] ?? 0));
    stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
    stream.on('end', () => resolve({ status, text }));
    stream.on('error', reject);
    stream.end(body);
  });
}

describe('a request header', () => {
  const session = useResource(openSession, (opened) => opened.destroy());
  const urlOfLength = (length: number): string => `/version?${'a'.repeat(length)}`;

  /** Header names and small differences are part of the limit too. */
  const MARGIN = 1000;
  const MANY_HEADERS = Object.fromEntries(Array.from({ length: 80 }, (_, n) => [`x-${n}`, 'a'.repeat(1000)]));

  it.each([
    ['a URL below the limit', urlOfLength(LIMIT - MARGIN), {}, 200],
    ['a URL that is too long', urlOfLength(LIMIT), {}, 414],
    ['a header that is too long', '/version', { 'x-long': 'a'.repeat(LIMIT) }, 431],
    ['80 headers of 1,000 characters', '/version', MANY_HEADERS, 431],
    ['a URL and headers that are too long together', urlOfLength(LIMIT / 2), { 'x-long': 'a'.repeat(LIMIT / 2 + MARGIN) }, 431],
  ] as const)('with %s gets the same response over both protocols and for every user', async (_, path, headers, status) => {
    for (const token of [ADMIN, 'nobody']) {
      const expected = status === 200 && token !== ADMIN ? 401 : status;
      const plain = await api.get(path, { headers, token });
      const stream = await sendStream(session(), { ':path': path, ...headers, authorization: `Bearer ${token}` });
      expect([plain.status, stream.status]).toEqual([expected, expected]);
      if (status === 200) continue;
      const failure = { kind: 'Status', status: 'Failure', code: status, message: expect.stringContaining(String(LIMIT)) };
      for (const text of [plain.text, stream.text]) expect(JSON.parse(text)).toMatchObject(failure);
    }
  });

  it('receives a Status when it exceeds the limit of the HTTP/1.1 parser', async () => {
    const response = await api.get('/version', { headers: { 'x-long': 'a'.repeat(3 * LIMIT) } });
    expect([response.status, response.json['code']]).toEqual([431, 431]);
  });

  it('may have 3,000 fields, and those after them count as well', async () => {
    const headers = Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`x${n}`, '']));
    expect((await api.get('/version', { headers })).status).toBe(200);
    expect((await api.get('/metrics', { headers: { ...headers, 'impersonate-user': 'dev' } })).status).toBe(403);
  });
});

describe('a POST', () => {
  const review = (length: number): string => JSON.stringify({ spec: { token: 'x'.repeat(length) } });

  it('of a review is limited to 64 KiB', async () => {
    expect((await api.post(REVIEWS, review(LIMIT - 100))).status).toBe(201);
    const refused = await api.post(REVIEWS, review(LIMIT));
    expect([refused.status, refused.message]).toEqual([413, `Request entity too large: limit is ${LIMIT}`]);
  });

  it.each([
    ['states its length', true],
    ['does not state its length', false],
  ])('that is too long is rejected over HTTP/1.1 while the client, which %s, is still sending it', async (_title, statesLength) => {
    const piece = Buffer.alloc(LIMIT, ' ');
    const pieceCount = 60;
    const length = statesLength ? `content-length: ${piece.length * pieceCount}` : 'transfer-encoding: chunked';
    const socket = connectTls({ host: '127.0.0.1', port: api.server.port, ca: api.authority.certificate });
    let received = '';
    const ended = new Promise<string>((resolve, reject) => {
      socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
      socket.on('end', () => resolve(received));
      socket.on('error', reject);
    });
    // The server may close the connection before the client has sent everything.
    const write = (chunk: Buffer | string): Promise<void> => new Promise((resolve) => socket.write(chunk, () => resolve()));
    await write(requestBytes(`POST ${REVIEWS}`, ['content-type: application/json', length]));
    for (let sent = 0; sent < pieceCount; sent += 1) {
      if (!statesLength) await write(`${piece.length.toString(16)}\r\n`);
      await write(piece);
      if (!statesLength) await write('\r\n');
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (!statesLength) await write('0\r\n\r\n');
    expect(await ended).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('over HTTP/2 that is too long ends its stream and not its connection', async () => {
    const session = openSession();
    const refused = await sendStream(
      session,
      { ':method': 'POST', ':path': REVIEWS, 'content-type': 'application/json' },
      review(3 * LIMIT),
    );
    expect(refused.status).toBe(413);
    expect((await sendStream(session, { ':path': '/version' })).status).toBe(200);
    session.destroy();
  });
});

describe('a slow client', () => {
  it('that sends its body byte by byte is disconnected over HTTP/1.1', async () => {
    const socket = api.openSocket();
    let received = '';
    let isClosed = false;
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
    socket.on('close', () => (isClosed = true));
    socket.write(requestBytes(`POST ${CONFIGMAPS}`, ['Content-Length: 1000']));
    await waitUntil('the end', () => {
      if (!isClosed) socket.write('x');
      return isClosed;
    });
    expect(received).toMatch(/^HTTP\/1\.1 408 /);
    expect(received).toContain('"message":"Timeout: the body of the request was not received in time"');
  });

  it('that sends its body byte by byte loses its stream and not its connection over HTTP/2', async () => {
    const session = openSession();
    const stream = session.request({
      ':method': 'POST',
      ':path': CONFIGMAPS,
      authorization: `Bearer ${ADMIN}`,
      'content-type': 'application/json',
    });
    let status = 0;
    let isClosed = false;
    stream.on('response', (headers) => (status = headers[':status'] ?? 0));
    stream.on('error', () => undefined);
    stream.on('close', () => (isClosed = true));
    stream.resume();
    await waitUntil('the end', () => {
      if (!isClosed) stream.write('x');
      return isClosed;
    });
    expect(status).toBe(408);
    expect((await sendStream(session, { ':path': '/version' })).status).toBe(200);
    session.destroy();
  });

  it('that never sends a request is disconnected over HTTP/2', async () => {
    const silent = openSession();
    let isClosed = false;
    silent.on('close', () => (isClosed = true));
    await waitUntil('the end', () => isClosed);
  });
});

describe('caps on connections', () => {
  it('reject and count connections over the limit of an address', async () => {
    const server = await startFixture({ connectionCaps: { total: 0, perAddress: 3 } });
    const open = (localAddress: string): Promise<'open' | 'cut'> =>
      new Promise((resolve) => {
        const transport = connectTcp({ host: '127.0.0.1', localAddress, port: server.server.port });
        transport.on('error', () => undefined);
        const socket = connectTls({ socket: transport, rejectUnauthorized: false }, () => resolve('open'));
        socket.on('close', () => resolve('cut'));
        socket.on('error', () => resolve('cut'));
        sockets.push(socket);
      });
    const sockets: { destroy(): void }[] = [];
    const outcomes = [];
    for (let n = 0; n < 5; n++) outcomes.push(await open('127.0.0.2'));
    expect(outcomes).toEqual(['open', 'open', 'open', 'cut', 'cut']);
    const metrics = await server.get('/metrics');
    expect(metrics.text).toContain('apiserver_refused_connections_total{cap="address"} 2\n');
    expect(metrics.text).toMatch(/^apiserver_open_connections 4$/m);
    for (const socket of sockets) socket.destroy();
    await waitUntil('a free connection', async () => (await open('127.0.0.2')) === 'open');
    for (const socket of sockets) socket.destroy();
    await server.stop();
  });
});
