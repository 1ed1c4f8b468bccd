/**
 * Request smuggling: requests with headers that two servers may parse differently, sent as raw bytes to an aggregated
 * API server. Only authorized requests reach it, each once and with its own body, and no part of a request becomes the
 * start of another user's request.
 */
import { systemClock as clock } from '../../../shared/runtime/clock';
import { createAuthority } from '../../../shared/pki/certificates';
import { createSeededRandom, type SeededRandom } from '../../replay/seeded-random';
import { listOf, shape, text, tupleOf } from '../../replay/shape';
import { describeWithEachBackend, type EchoedRequest } from '../../support/servers/echo-backend';
import { waitUntil } from '../../support/programs';
import { readTable } from '../../support/read-table';
import { sendRawHttp2Request, type RawHttp2Request } from '../../support/http/raw-http2-request';
import { useResource } from '../../support/use-resource';
import { grantClusterRole } from './access-setup';
import { createExternalService, registerApiService } from './aggregation-setup';
import { ADMIN, ALICE } from './api-call';
import { useServer } from './fixture';
import { HOUR_MS, issueServerCertificate } from './issue-certificates';

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

const PARTS = readTable(
  'test/integration/http/smuggling.yaml',
  shape({
    methods: listOf(text),
    framings: listOf(text),
    extras: listOf(text),
    bodies: listOf(text),
    http2Fields: listOf(listOf(tupleOf(text, text))),
    http2PathEndings: listOf(text),
  }),
);

/** A part of a request with this body. */
const fillIn = (part: string, body: string): string =>
  part
    .replaceAll('$LENGTH', String(body.length))
    .replaceAll('$HEX', body.length.toString(16))
    .replaceAll('$BODY', () => body)
    .replaceAll('$SMUGGLED', () => SMUGGLED);

/** The start of a final response, of which the status is not 1xx. */
const FINAL_STATUS = /HTTP\/1\.[01] [2-5]/;

/** The administrator may do everything, alice may read flunders. */
const isAuthorized = ({ line, user }: EchoedRequest): boolean => user === 'admin' || (user === 'alice' && /^(GET|HEAD) /.test(line));

const pickFields = (random: SeededRandom): readonly (readonly [string, string])[] =>
  random.pick(PARTS.http2Fields).map(([name, value]) => [name, fillIn(value, '')] as const);

const authorizedHeaders = (token: string): string => `Host: x\r\nAuthorization: Bearer ${token}\r\n`;

const pickToken = (random: SeededRandom): string => (random.withProbability(0.5) ? ALICE : ADMIN);

/** The bytes of an HTTP/1.1 or 1.0 request with random framing, headers and body. */
function randomHttp1Request(random: SeededRandom, path: string): string {
  const authorizedSmuggled = SMUGGLED.replace('Host: x\r\n', authorizedHeaders(ALICE));
  const body = random.pick(['hello', SMUGGLED, authorizedSmuggled]);
  const framing = fillIn(random.pick(PARTS.framings), body);
  const version = random.withProbability(0.9) ? '1.1' : '1.0';
  const extras = `${random.pick(PARTS.extras)}${random.pick(PARTS.extras)}`;
  const requestLine = `${random.pick(PARTS.methods)} ${path} HTTP/${version}\r\n`;
  const fields = random.withProbability(0.5) ? framing + extras : extras + framing;
  const headers = authorizedHeaders(pickToken(random)) + fields;
  return `${requestLine}${headers}\r\n${fillIn(random.pick(PARTS.bodies), body)}`;
}

/** An HTTP/2 request with random pseudo-headers, headers, data frames and trailers. */
function randomHttp2Request(random: SeededRandom, path: string): RawHttp2Request {
  const pathEnding = random.withProbability(0.7) ? '' : fillIn(random.pick(PARTS.http2PathEndings), '');
  return {
    headers: [
      [':method', random.pick(PARTS.methods)],
      [':path', `${path}${pathEnding}`],
      [':scheme', 'https'],
      [':authority', random.pick(['x', 'a@b', 'x:1'])],
      ['authorization', `Bearer ${pickToken(random)}`],
      ...pickFields(random),
      ...pickFields(random),
    ],
    data: random.pick([[], ['hello'], ['he', 'llo'], [SMUGGLED], ['hello', SMUGGLED], ['']]),
    ...(random.withProbability(0.2) ? { trailers: [['x-remote-user', 'admin']] } : {}),
  };
}

describeWithEachBackend('an aggregated API server', (startBackend) => {
  const api = useServer();
  const backend = useResource(
    async () => {
      const authority = await createAuthority({ subject: { commonName: 'extensions' }, lifetimeMs: HOUR_MS, clock });
      const started = await startBackend(await issueServerCertificate(authority, ['ext.agg.svc']));
      await api.create('/api/v1/namespaces', { metadata: { name: 'agg' } });
      await createExternalService(api, 'agg');
      const caBundle = Buffer.from(authority.certificate).toString('base64');
      await registerApiService(api, { group: GROUP, namespace: 'agg', port: started.port, caBundle });
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
    // Completes before this function returns, because callers then remove the recorded requests, on which it waits.
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

  it.each(PARTS.methods)('receives the body of a %s as it was framed', async (method) => {
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
        const bytes = randomHttp1Request(random, `${FLUNDERS}?case=${round}`);
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
        const sent = randomHttp2Request(random, `${FLUNDERS}?case=${round}`);
        const data = await sendRawHttp2Request(api.server.port, sent);
        expect({ sent, data }).not.toEqual({ sent, data: expect.stringContaining('"code":500') });
        const received = await takeRequests();
        const unexpected = received.filter((request) => !isAuthorized(request) || !request.line.includes(`?case=${round}`));
        expect({ sent, unexpected }).toEqual({ sent, unexpected: [] });
        expect(received.length).toBeLessThanOrEqual(1);
      }
    },
    FUZZ_MS,
  );
});
