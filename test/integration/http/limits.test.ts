/** What a request may not exceed, and what is refused whatever else it asks: before anyone is authenticated, and right after. */
import { connect as connectHttp2, type ClientHttp2Session, type OutgoingHttpHeaders } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { waitUntil } from '../../support/programs';
import { ADMIN, ALICE } from './call';
import { startFixture, useServer } from './fixture';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const REVIEWS = '/apis/authentication.k8s.io/v1/tokenreviews';
const LIMIT = 64 * 1024;

let session: ClientHttp2Session;

const api = useServer({
  bodyPace: { patienceMs: 500, bytesPerSecond: 1024 },
  connectionLimits: { headersMs: 1000, idleMs: 60_000, checkMs: 50 },
});
beforeAll(async () => {});

interface StreamAnswer {
  readonly status: number;
  readonly text: string;
}

function openSession(): ClientHttp2Session {
  const opened = connectHttp2(`https://127.0.0.1:${api.server.port}`, {
    rejectUnauthorized: false,
    maxSendHeaderBlockLength: 1_000_000,
  });
  opened.on('error', () => undefined);
  return opened;
}

function ask(headers: OutgoingHttpHeaders, body?: string): Promise<StreamAnswer> {
  const stream = session.request({ authorization: `Bearer ${ADMIN}`, ...headers });
  return new Promise((resolve, reject) => {
    let status = 0;
    let text = '';
    stream.on('response', (got) => (status = got[':status'] ?? 0));
    stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
    stream.on('end', () => resolve({ status, text }));
    stream.on('error', reject);
    stream.end(body);
  });
}

describe('a head', () => {
  beforeAll(() => void (session = openSession()));
  afterAll(() => session.destroy());

  const long = (length: number): string => `/version?${'a'.repeat(length)}`;

  it.each([
    ['a URL that is long enough', long(LIMIT - 1000), {}, 200],
    ['a URL that is too long', long(LIMIT), {}, 414],
    ['a header that is too long', '/version', { 'x-long': 'a'.repeat(LIMIT) }, 431],
    ['many headers', '/version', Object.fromEntries(Array.from({ length: 80 }, (_, n) => [`x-${n}`, 'a'.repeat(1000)])), 431],
    ['a URL and headers that are too long together', long(LIMIT / 2), { 'x-long': 'a'.repeat(LIMIT / 2 + 1000) }, 431],
  ] as const)('with %s is answered alike over both protocols, whoever asks', async (_, path, headers, status) => {
    for (const token of [ADMIN, 'nobody']) {
      const expected = status === 200 && token !== ADMIN ? 401 : status;
      const plain = await api.get(path, { headers, token });
      const stream = await ask({ ':path': path, ...headers, authorization: `Bearer ${token}` });
      expect([plain.status, stream.status]).toEqual([expected, expected]);
      for (const text of status === 200 ? [] : [plain.text, stream.text]) {
        expect(JSON.parse(text)).toMatchObject({
          kind: 'Status',
          status: 'Failure',
          code: status,
          message: expect.stringContaining(String(LIMIT)),
        });
      }
    }
  });

  it('that the parser gives up gets a Status as well', async () => {
    const answer = await api.get('/version', { headers: { 'x-long': 'a'.repeat(3 * LIMIT) } });
    expect([answer.status, answer.json['code']]).toEqual([431, 431]);
  });

  it('may have thousands of headers, none of which is overlooked', async () => {
    const headers = Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`x${n}`, '']));
    expect((await api.get('/version', { headers })).status).toBe(200);
    expect((await api.get('/metrics', { headers: { ...headers, 'impersonate-user': 'dev' } })).status).toBe(403);
  });
});

describe('impersonation', () => {
  const HEADERS = ['Impersonate-User', 'Impersonate-Group', 'Impersonate-Uid', 'Impersonate-Extra-Scopes', 'impersonate-extra-'];

  it.each(HEADERS)('with %s does nothing with the powers of whoever asks', async (header) => {
    await api.createConfigMap('kept').catch(() => undefined);
    for (const options of [{}, { local: true, token: null }]) {
      const answer = await api.call(`${CONFIGMAPS}/kept`, { method: 'DELETE', headers: { [header]: 'dev' }, ...options });
      expect(answer.status).toBe(header === 'Impersonate-User' ? 403 : 400);
    }
    expect((await api.get(`${CONFIGMAPS}/kept`)).status).toBe(200);
  });

  it('as thousands of groups is judged in time, one by one', async () => {
    const headers = { 'Impersonate-User': 'dev', 'Impersonate-Group': Array.from({ length: 2_000 }, (_, n) => `g${n}`) };
    expect((await api.get('/api', { headers })).status).toBe(200);
    expect((await api.get('/api', { headers, token: ALICE })).status).toBe(403);
  });

  it('comes after authentication', async () => {
    expect((await api.get(CONFIGMAPS, { token: 'nobody', headers: { 'Impersonate-User': 'dev' } })).status).toBe(401);
  });

  it('is what these headers mean and no others; those of an authenticating proxy change nothing', async () => {
    const headers = {
      'Impersonate-Other': 'x',
      'X-Remote-User': 'admin',
      'X-Remote-Group': 'system:masters',
      'X-Remote-Extra-Scopes': 'x',
    };
    expect((await api.get(CONFIGMAPS, { headers })).status).toBe(200);
    expect((await api.get(CONFIGMAPS, { headers, token: ALICE })).status).toBe(403);
    expect((await api.get(CONFIGMAPS, { headers, token: null })).status).toBe(403);
  });
});

describe('what is asked for by POST', () => {
  const review = (length: number): string => JSON.stringify({ spec: { token: 'x'.repeat(length) } });

  it.each([
    ['a review', REVIEWS, 'TokenReview'],
    ['a binding', '/api/v1/namespaces/default/bindings', 'Binding'],
    ['an eviction', '/api/v1/namespaces/default/pods/x/eviction', 'Eviction'],
    ['a token', '/api/v1/namespaces/default/serviceaccounts/default/token', 'TokenRequest'],
  ])('as %s is of that kind', async (_, path, kind) => {
    const answer = await api.post(path, '{"apiVersion":"v1","kind":"ConfigMap"}');
    expect([answer.status, answer.json['reason']]).toEqual([400, 'BadRequest']);
    expect(answer.message).toMatch(new RegExp(`^ConfigMap in version "v1" cannot be handled as a ${kind}: converting `));
  });

  it('as a review has 64 KiB at most', async () => {
    expect((await api.post(REVIEWS, review(LIMIT - 100))).status).toBe(201);
    const refused = await api.post(REVIEWS, review(LIMIT));
    expect([refused.status, refused.message]).toEqual([413, `Request entity too large: limit is ${LIMIT}`]);
  });

  it.each([
    ['tells how long it is', true],
    ['does not tell how long it is', false],
  ])('is refused to a client that %s and is still sending it, over HTTP/1.1', async (_title, tells) => {
    const body = Buffer.alloc(64 * 1024, 0x20);
    const pieces = 60;
    const length = tells ? `content-length: ${body.length * pieces}` : 'transfer-encoding: chunked';
    const socket = connectTls({ host: '127.0.0.1', port: api.server.port, ca: api.authority.certificate });
    let answer = '';
    const ended = new Promise<string>((resolve, reject) => {
      socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
      socket.on('end', () => resolve(answer));
      socket.on('error', reject);
    });
    const write = (chunk: Buffer | string): Promise<void> =>
      new Promise((resolve, reject) => socket.write(chunk, (error) => (error ? reject(error) : resolve())));
    await write(
      `POST ${REVIEWS} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${length}\r\nauthorization: Bearer ${ADMIN}\r\n\r\n`,
    );
    for (let piece = 0; piece < pieces; piece += 1) {
      if (!tells) await write(`${body.length.toString(16)}\r\n`);
      await write(body);
      if (!tells) await write('\r\n');
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (!tells) await write('0\r\n\r\n');
    expect(await ended).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('may lie about its length over HTTP/2, and loses its stream only', async () => {
    session = openSession();
    const refused = await ask({ ':method': 'POST', ':path': REVIEWS, 'content-type': 'application/json' }, review(3 * LIMIT));
    expect(refused.status).toBe(413);
    expect((await ask({ ':path': '/version' })).status).toBe(200);
    session.destroy();
  });
});

describe('a slow client', () => {
  const head = `POST ${CONFIGMAPS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ADMIN}\r\nContent-Length: 1000\r\n\r\n`;

  it('is given up when its body comes byte by byte, over HTTP/1.1', async () => {
    const socket = connectTls({ host: '127.0.0.1', port: api.server.port, rejectUnauthorized: false });
    socket.on('error', () => undefined);
    let seen = '';
    let closed = false;
    socket.on('data', (chunk: Buffer) => (seen += chunk.toString()));
    socket.on('close', () => (closed = true));
    socket.write(head);
    await waitUntil('the end', () => {
      if (!closed) socket.write('x');
      return closed;
    });
    expect(seen).toMatch(/^HTTP\/1\.1 408 /);
    expect(seen).toContain('"message":"Timeout: the body of the request did not come fast enough"');
  });

  it('is given up when its body comes byte by byte, over HTTP/2, without its connection', async () => {
    session = openSession();
    const stream = session.request({
      ':method': 'POST',
      ':path': CONFIGMAPS,
      authorization: `Bearer ${ADMIN}`,
      'content-type': 'application/json',
    });
    let status = 0;
    let closed = false;
    stream.on('response', (headers) => (status = headers[':status'] ?? 0));
    stream.on('error', () => undefined);
    stream.on('close', () => (closed = true));
    stream.resume();
    await waitUntil('the end', () => {
      if (!closed) stream.write('x');
      return closed;
    });
    expect(status).toBe(408);
    expect((await ask({ ':path': '/version' })).status).toBe(200);
    session.destroy();
  });

  it('is told to go when its HTTP/2 connection never asks for anything', async () => {
    const silent = openSession();
    let gone = false;
    silent.on('close', () => (gone = true));
    await waitUntil('the end', () => gone);
  });
});

describe('caps on connections', () => {
  it('turn away whoever comes too much, and count it', async () => {
    const small = await startFixture({ connectionCaps: { total: 0, perAddress: 3 } });
    const open = (localAddress: string): Promise<'open' | 'cut'> =>
      new Promise((resolve) => {
        const transport = connectTcp({ host: '127.0.0.1', localAddress, port: small.server.port });
        transport.on('error', () => undefined);
        const socket = connectTls({ socket: transport, rejectUnauthorized: false }, () => resolve('open'));
        socket.on('close', () => resolve('cut'));
        socket.on('error', () => resolve('cut'));
        sockets.push(socket);
      });
    const sockets: { destroy(): void }[] = [];
    const met = [];
    for (let n = 0; n < 5; n++) met.push(await open('127.0.0.2'));
    expect(met).toEqual(['open', 'open', 'open', 'cut', 'cut']);
    const metrics = await small.get('/metrics');
    expect(metrics.text).toContain('apiserver_refused_connections_total{cap="address"} 2\n');
    expect(metrics.text).toMatch(/^apiserver_open_connections 4$/m);
    for (const socket of sockets) socket.destroy();
    await waitUntil('places', async () => (await open('127.0.0.2')) === 'open');
    for (const socket of sockets) socket.destroy();
    await small.stop();
  });
});
