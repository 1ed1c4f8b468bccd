/**
 * Request smuggling: requests with headers that two servers may parse differently, sent as raw bytes to an aggregated
 * API server. Only authorized requests reach it, each once and with its own body, and no part of a request becomes the
 * start of another user's request.
 */
import { systemClock as clock } from '../../../shared/runtime/clock';
import { createAuthority } from '../../../shared/pki/certificates';
import { createSeededRandom } from '../../replay/seeded-random';
import { describeWithEachBackend, type EchoedRequest } from '../../support/servers/echo-backend';
import { waitUntil } from '../../support/programs';
import { sendRawStream, type RawStream } from '../../support/http/raw-http2-stream';
import { useResource } from '../../support/use-resource';
import { grantClusterRole } from './access-setup';
import { ADMIN, ALICE } from './api-call';
import { HOUR_MS, issueServerCertificate, useServer } from './fixture';

const GROUP = 'wardle.example.com';
const FLUNDERS = `/apis/${GROUP}/v1/namespaces/default/flunders`;
/** Time limits for compiling the backend in Go, and for the random requests of a protocol on a busy machine. */
const BUILD_MS = 300_000;
const FUZZ_MS = 240_000;
/** The numbers of random requests of each protocol; a round takes a connection and a probe of the backend. */
const HTTP1_ROUNDS = 120;
const HTTP2_ROUNDS = 80;

/** A request that alice is not authorized to make, hidden in the bytes of another request. */
const SMUGGLED = `DELETE ${FLUNDERS}/smuggled HTTP/1.1\r\nHost: x\r\nX-Remote-User: admin\r\nX-Remote-Group: system:masters\r\nContent-Length: 0\r\n\r\n`;

/**
 * Closes the connection after the preceding bytes. It is longer than any body, so that it completes a request that
 * waits for more, and the remainder cannot be parsed.
 */
const CLOSING_REQUEST = `GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Padding: ${'p'.repeat(2_000)}\r\n\r\n`;

const METHODS = ['GET', 'HEAD', 'OPTIONS', 'DELETE', 'POST', 'PUT', 'PATCH'];
/** Headers that frame a body: valid ones, and ones that parsers read differently. */
const FRAMINGS: readonly ((body: string) => string)[] = [
  () => '',
  (body) => `Content-Length: ${body.length}\r\n`,
  () => 'Content-Length: 0\r\n',
  (body) => `Content-Length: 00${body.length}\r\n`,
  (body) => `Content-Length: +${body.length}\r\n`,
  (body) => `Content-Length: ${body.length}, ${body.length}\r\n`,
  (body) => `Content-Length: ${body.length}\r\nContent-Length: ${body.length}\r\n`,
  (body) => `Content-Length: 0\r\nContent-Length: ${body.length}\r\n`,
  (body) => `Content-Length : ${body.length}\r\n`,
  (body) => `Content-Length:\r\n ${body.length}\r\n`,
  (body) => `Content_Length: ${body.length}\r\n`,
  () => 'Transfer-Encoding: chunked\r\n',
  (body) => `Transfer-Encoding: chunked\r\nContent-Length: ${body.length}\r\n`,
  (body) => `Content-Length: ${body.length}\r\nTransfer-Encoding: chunked\r\n`,
  () => 'Transfer-Encoding: gzip, chunked\r\n',
  () => 'Transfer-Encoding: chunked, identity\r\n',
  () => 'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n',
  () => 'Transfer-Encoding: xchunked\r\n',
  () => 'Transfer-Encoding : chunked\r\n',
  () => 'Transfer-Encoding:\tchunked\r\n',
  () => 'Transfer-Encoding:\x0bchunked\r\n',
  () => 'Transfer-Encoding\n: chunked\r\n',
  () => 'Transfer_Encoding: chunked\r\n',
  (body) => `Content-Length: ${body.length}\r\nTrailer: Content-Length\r\n`,
];
/** The empty ones make requests with no extra header more frequent. */
const EXTRAS = [
  '',
  '',
  '',
  'Expect: 100-continue\r\n',
  'Expect: banana\r\n',
  'Trailer: X-Remote-User\r\n',
  'TE: trailers, chunked\r\n',
  'Connection: close, Content-Length\r\n',
  'Connection: Transfer-Encoding\r\n',
  'Connection: X-Remote-User\r\n',
  'X-Remote-User: admin\r\n',
  'Connection: Upgrade\r\nUpgrade: h2c\r\n',
  'Connection: keep-alive\r\nKeep-Alive: timeout=5\r\n',
  'X: a\rb\r\n',
  'X: a\n\r\n',
  ' folded: 1\r\n',
];
const chunkedOf = (body: string): string => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
/** A body as the framing may state it. */
const BODIES: readonly ((body: string) => string)[] = [
  () => '',
  (body) => body,
  chunkedOf,
  (body) => `0\r\n\r\n${body}`,
  (body) => `${body.length.toString(16)};ext="\r\n"\r\n${body}\r\n0\r\n\r\n`,
  (body) => `0${body.length.toString(16)}\n${body}\n0\n\n`,
  (body) => `0x${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  (body) => `${body.length.toString(16)}\r\n${body}\r\n0\r\nX-Remote-User: admin\r\nContent-Length: 5\r\n\r\n`,
  (body) => chunkedOf(body) + body,
];
/** Header fields that HTTP/2 forbids, or that change meaning when they are written as HTTP/1.1. */
const HTTP2_FIELDS: readonly (readonly (readonly [string, string])[])[] = [
  [],
  [['content-length', '5']],
  [['content-length', '0']],
  [['content-length', '4']],
  [['content-length', '500']],
  [['content-length', '+5']],
  [['content-length', '5, 5']],
  [
    ['content-length', '5'],
    ['content-length', '5'],
  ],
  [['transfer-encoding', 'chunked']],
  [['connection', 'close']],
  [['upgrade', 'h2c']],
  [['te', 'trailers']],
  [['expect', '100-continue']],
  [['trailer', 'x-remote-user']],
  [['x-remote-user', 'admin']],
  [['x', `a\r\n${SMUGGLED}`]],
  [['x\r\nx-remote-user', 'admin']],
  [['X-Upper', '1']],
  [['host', 'y']],
  [['x', '\x7f']],
];
/** Ends of a `:path` that an HTTP/1.1 backend might take for the end of a request line. */
const HTTP2_PATH_ENDINGS = ['', ' HTTP/1.1\r\nX: y', '&a b', `&x HTTP/1.1\r\nHost: x\r\n\r\n${SMUGGLED}`, '&\u00e9', '#f', '&\x00'];

const FINAL_STATUS = /HTTP\/1\.[01] [2-5]/;

/** The administrator may do everything, alice may read flunders. */
const isAuthorized = ({ line, user }: EchoedRequest): boolean => user === 'admin' || (user === 'alice' && /^(GET|HEAD) /.test(line));

const authorizedHeaders = (token: string): string => `Host: x\r\nAuthorization: Bearer ${token}\r\n`;

describeWithEachBackend('an aggregated API server', (startBackend) => {
  const api = useServer();
  const backend = useResource(
    async () => {
      const authority = await createAuthority({ subject: { commonName: 'extensions' }, lifetimeMs: HOUR_MS, clock });
      const started = await startBackend(await issueServerCertificate(authority, ['ext.agg.svc']));
      await api.create('/api/v1/namespaces', { metadata: { name: 'agg' } });
      const external = { type: 'ExternalName', externalName: 'localhost' };
      await api.create('/api/v1/namespaces/agg/services', { metadata: { name: 'ext' }, spec: external });
      const version = { group: GROUP, version: 'v1', groupPriorityMinimum: 100, versionPriority: 10 };
      const caBundle = Buffer.from(authority.certificate).toString('base64');
      const spec = { ...version, service: { namespace: 'agg', name: 'ext', port: started.port }, caBundle };
      await api.create('/apis/apiregistration.platform.io/v1/apiservices', { metadata: { name: `v1.${GROUP}` }, spec });
      await grantClusterRole(api, 'reader', { apiGroups: [GROUP], resources: ['flunders'], verbs: ['get', 'list'] }, ['alice']);
      await waitUntil(
        'the server to be available',
        async () => (await api.get(`${FLUNDERS}?probe=ready`, { token: ALICE })).status === 200,
      );
      return started;
    },
    (started) => started.close(),
    BUILD_MS,
  );
  beforeEach(() => void backend().requests.splice(0));

  /**
   * Sends the bytes on a new connection and returns all responses. A round trip after the first final response it ends
   * the connection, and with it a body without a length.
   */
  async function sendRaw(bytes: string): Promise<string> {
    const socket = api.openSocket();
    let text = '';
    // Awaited before the requests are read: a caller that removes them would otherwise take away what the probe waits
    // for.
    let roundTrip = Promise.resolve();
    await new Promise<void>((resolve) => {
      socket.once('secureConnect', () => socket.write(Buffer.from(bytes + CLOSING_REQUEST, 'latin1')));
      let hasFinalStatus = false;
      socket.on('data', (chunk: Buffer) => {
        text += chunk.toString('latin1');
        if (hasFinalStatus || !FINAL_STATUS.test(text)) return;
        hasFinalStatus = true;
        roundTrip = probe('meanwhile').finally(() => socket.end());
      });
      socket.once('close', () => resolve());
    });
    await roundTrip;
    return text;
  }

  /**
   * Sends a request of the administrator and checks its response. `backend().requests` has all earlier requests when
   * this resolves.
   */
  async function probe(id: string): Promise<void> {
    const line = `GET ${FLUNDERS}?probe=${id}`;
    const response = await api.read(`${FLUNDERS}?probe=${id}`);
    expect(response).toMatchObject({ line, user: 'admin', body: '' });
    await waitUntil(line, () => backend().requests.some((request) => request.line === line));
  }

  /** The requests for resources since the last call, without probes. */
  async function takeRequests(): Promise<readonly EchoedRequest[]> {
    await probe('last');
    return backend()
      .requests.splice(0)
      .filter(({ line }) => line.includes('/flunders') && !line.includes('?probe='));
  }

  it.each(METHODS)('receives the body of a %s as it was framed', async (method) => {
    const line = `${method} ${FLUNDERS}`;
    await sendRaw(`${line} HTTP/1.1\r\n${authorizedHeaders(ADMIN)}Content-Length: 5\r\n\r\nhello`);
    await sendRaw(`${line} HTTP/1.1\r\n${authorizedHeaders(ADMIN)}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`);
    await sendRaw(`${line} HTTP/1.1\r\n${authorizedHeaders(ADMIN)}\r\n`);
    const [stated, chunked, none] = await takeRequests();
    expect(stated).toMatchObject({ line, length: 5, codings: [], body: 'hello' });
    expect(chunked).toMatchObject({ line, length: -1, codings: ['chunked'], body: 'hello' });
    expect(none).toMatchObject({ line, codings: [], body: '' });
  });

  it('does not read the next request as the body of the previous one', async () => {
    const length = 400;
    await sendRaw(`GET ${FLUNDERS}?first HTTP/1.1\r\n${authorizedHeaders(ALICE)}Content-Length: ${length}\r\n\r\n${'x'.repeat(length)}`);
    const padding = `X-A: ${'a'.repeat(length)}\r\n`;
    await sendRaw(`GET ${FLUNDERS}?second HTTP/1.1\r\n${authorizedHeaders(ALICE)}${padding}X-B: ${SMUGGLED}`);
    expect((await takeRequests()).map(({ line, user }) => `${line} ${user}`)).toEqual([
      `GET ${FLUNDERS}?first alice`,
      `GET ${FLUNDERS}?second alice`,
    ]);
  });

  it('receives a request with a body on a connection that is not reused', async () => {
    await sendRaw(`GET ${FLUNDERS}?before HTTP/1.1\r\n${authorizedHeaders(ALICE)}\r\n`);
    await sendRaw(`GET ${FLUNDERS}?body HTTP/1.1\r\n${authorizedHeaders(ALICE)}Content-Length: ${SMUGGLED.length}\r\n\r\n${SMUGGLED}`);
    await sendRaw(`GET ${FLUNDERS}?after HTTP/1.1\r\n${authorizedHeaders(ALICE)}\r\n`);
    await probe('end');
    const requests = backend().requests.splice(0);
    const [body, ...others] = requests.filter(({ line }) => line === `GET ${FLUNDERS}?body`);
    expect(body?.body).toBe(SMUGGLED);
    expect(others).toEqual([]);
    expect(requests.filter(({ connection }) => connection === body?.connection)).toEqual([body]);
    // Requests without a body share connections.
    expect(new Set(requests.map(({ connection }) => connection)).size).toBeLessThan(requests.length);
  });

  it('receives no Expect header, no trailers and no headers that Connection names', async () => {
    const heads = [
      'Expect: 100-continue',
      'Trailer: X-Remote-User',
      'Connection: X-Hop',
      'X-Hop: 1',
      'TE: trailers',
      'Transfer-Encoding: chunked',
    ];
    const response = await sendRaw(
      `POST ${FLUNDERS} HTTP/1.1\r\n${authorizedHeaders(ADMIN)}${heads.join('\r\n')}\r\n\r\n2\r\n{}\r\n0\r\nX-Remote-User: root\r\n\r\n`,
    );
    expect(response).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
    const [received, ...others] = await takeRequests();
    expect(received).toMatchObject({ line: `POST ${FLUNDERS}`, user: 'admin', body: '{}' });
    expect(received?.fields.filter((name) => ['expect', 'trailer', 'te', 'x-hop'].includes(name))).toEqual([]);
    expect(others).toEqual([]);
  });

  it.each(['h2c', 'HTTP/2.0', 'TLS/1.0', 'h2c, h2', 'h2c;q=1', 'h2c \t', 'h2c x'])('is not asked to upgrade to %s', async (protocol) => {
    const lines = `Connection: Upgrade, HTTP2-Settings\r\nUpgrade: ${protocol}\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n`;
    const response = await sendRaw(`GET ${FLUNDERS} HTTP/1.1\r\n${authorizedHeaders(ADMIN)}${lines}\r\n`);
    expect(response).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    const [received, ...others] = await takeRequests();
    expect(received).toMatchObject({ line: `GET ${FLUNDERS}` });
    expect(received?.fields.filter((name) => ['upgrade', 'http2-settings'].includes(name))).toEqual([]);
    expect(others).toEqual([]);
  });

  it('receives a number sign in a path escaped, and no path that has dot segments behind one', async () => {
    const get = (path: string) => sendRaw(`GET ${path} HTTP/1.1\r\n${authorizedHeaders(ADMIN)}\r\n`);
    expect(await get(`${FLUNDERS}/a#/status?x=#`)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(await get(`${FLUNDERS}/a#/../b`)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(await takeRequests()).toMatchObject([{ line: `GET ${FLUNDERS}/a%23/status?x=%23` }]);
  });

  it(
    'receives only authorized requests for random HTTP/1.1 headers and bodies',
    async () => {
      const random = createSeededRandom(45);
      for (let round = 0; round < HTTP1_ROUNDS; round += 1) {
        const body = random.pick(['hello', SMUGGLED, SMUGGLED.replace('Host: x\r\n', `Host: x\r\nAuthorization: Bearer ${ALICE}\r\n`)]);
        const framing = random.pick(FRAMINGS)(body);
        const version = random.withProbability(0.9) ? '1.1' : '1.0';
        const extras = `${random.pick(EXTRAS)}${random.pick(EXTRAS)}`;
        const head = `${random.pick(METHODS)} ${FLUNDERS}?case=${round} HTTP/${version}\r\n`;
        const fields = random.withProbability(0.5) ? framing + extras : extras + framing;
        const bytes = `${head}${authorizedHeaders(random.withProbability(0.5) ? ALICE : ADMIN)}${fields}\r\n${random.pick(BODIES)(body)}`;
        await sendRaw(bytes);
        const received = await takeRequests();
        const unexpected = received.filter((request) => !isAuthorized(request) || !request.line.endsWith(`?case=${round}`));
        expect({ bytes, unexpected }).toEqual({ bytes, unexpected: [] });
        expect(received.length).toBeLessThanOrEqual(1);
      }
    },
    FUZZ_MS,
  );

  it(
    'receives only authorized requests for random HTTP/2 headers and bodies',
    async () => {
      const random = createSeededRandom(46);
      for (let round = 0; round < HTTP2_ROUNDS; round += 1) {
        const end = random.withProbability(0.7) ? '' : random.pick(HTTP2_PATH_ENDINGS);
        const stream: RawStream = {
          headers: [
            [':method', random.pick(METHODS)],
            [':path', `${FLUNDERS}?case=${round}${end}`],
            [':scheme', 'https'],
            [':authority', random.pick(['x', 'a@b', 'x:1'])],
            ['authorization', `Bearer ${random.withProbability(0.5) ? ALICE : ADMIN}`],
            ...random.pick(HTTP2_FIELDS),
            ...random.pick(HTTP2_FIELDS),
          ],
          data: random.pick([[], ['hello'], ['he', 'llo'], [SMUGGLED], ['hello', SMUGGLED], ['']]),
          ...(random.withProbability(0.2) ? { trailers: [['x-remote-user', 'admin']] } : {}),
        };
        const { data } = await sendRawStream(api.server.port, stream);
        expect({ stream, data }).not.toEqual({ stream, data: expect.stringContaining('"code":500') });
        const received = await takeRequests();
        const unexpected = received.filter((request) => !isAuthorized(request) || !request.line.includes(`?case=${round}`));
        expect({ stream, unexpected }).toEqual({ stream, unexpected: [] });
        expect(received.length).toBeLessThanOrEqual(1);
      }
    },
    FUZZ_MS,
  );
});
