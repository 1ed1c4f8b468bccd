/** Tests both transports against servers of Node over real local connections. */
import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createSecureServer, constants, type Http2SecureServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { ManualClock, flushPromises } from '../../../test/support/clock/manual-clock';
import { useResource } from '../../../test/support/use-resource';
import { startTcpProxy } from '../../../test/support/servers/tcp-proxy';
import { createAuthority, issueCertificate } from '../../pki/certificates';
import { systemClock } from '../../runtime/clock';
import { createTransport } from './connect';
import { Http2Transport } from './http2-transport';
import { collectBody } from '../rest/json-body';
import { ConnectionError, type Transport, type TransportRequest, type TransportResponse } from './transport';

const DAY = 86_400_000;
/** The certificate of an authority and the credential of a server that it issued. */
const certificates = useResource(async () => {
  const authority = await createAuthority({ subject: { commonName: 'ca' }, lifetimeMs: DAY, clock: systemClock });
  const subject = { commonName: 'server' };
  const credential = await issueCertificate({
    authority,
    usage: 'server',
    subject,
    names: ['127.0.0.1'],
    lifetimeMs: DAY,
    clock: systemClock,
  });
  return { ca: authority.certificate, credential };
});
const closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** The status and the body of a response: `200 hello`. By default of `GET /x`. */
const text = async (transport: Transport, request: Partial<TransportRequest> = {}): Promise<string> => {
  const response = await transport.send({ method: 'GET', path: '/x', headers: {}, ...request });
  return `${response.status} ${(await collectBody(response.body, 1_000_000)).toString()}`;
};

/** More requests than a connection takes ({@link Http2Transport}), and fewer than two take. */
const REQUESTS_FOR_TWO_CONNECTIONS = 95;

type StreamHandler = (stream: ServerHttp2Stream, method: string, path: string) => void;

async function http2Server(
  handler: StreamHandler,
  { allowHTTP1 = false }: { readonly allowHTTP1?: boolean } = {},
): Promise<{ server: Http2SecureServer; url: URL; sessions: ServerHttp2Session[] }> {
  const { credential } = certificates();
  const server = createSecureServer({ cert: credential.certificate, key: credential.key, allowHTTP1 }, (request, response) => {
    if (request.httpVersionMajor === 1) response.end(request.url);
  });
  const sessions: ServerHttp2Session[] = [];
  server.on('session', (session) => {
    sessions.push(session);
    session.on('error', () => undefined);
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    handler(stream, String(headers[':method']), String(headers[':path']));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  return { server, url: new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`), sessions };
}

/** Responds with the method, the path and the body of the request. */
const echo: StreamHandler = (stream, method, path) => {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('end', () => {
    stream.respond({ ':status': 200 });
    stream.end(`${method} ${path} ${Buffer.concat(chunks).toString()}`);
  });
  stream.resume();
};

function http2(url: URL, clock = new ManualClock()): Http2Transport {
  const { ca } = certificates();
  const transport = new Http2Transport(url, { ca }, { clock, pingEveryMs: 1_000, pingTimeoutMs: 2_000, connectTimeoutMs: 5_000 });
  closers.push(() => transport.close());
  return transport;
}

describe('HTTP/2', () => {
  test('shares a connection between requests, and opens a second one when its streams are used up', async () => {
    const waiting: ServerHttp2Stream[] = [];
    const { url, sessions } = await http2Server((stream, method, path) => {
      if (path === '/wait') {
        stream.respond({ ':status': 200 });
        waiting.push(stream);
      } else echo(stream, method, path);
    });
    const transport = http2(url);
    expect(await text(transport, { method: 'PUT', path: '/p?q', body: Buffer.from('body') })).toBe('200 PUT /p?q body');
    const wait = (): Promise<TransportResponse> => transport.send({ method: 'GET', path: '/wait', headers: {} });
    const open = await Promise.all(Array.from({ length: REQUESTS_FOR_TWO_CONNECTIONS }, wait));
    expect(await text(transport)).toBe('200 GET /x ');
    expect(sessions).toHaveLength(2);
    for (const stream of waiting) stream.end('end');
    for (const { body } of open) expect((await collectBody(body, 10)).toString()).toBe('end');
  });

  test('fails pending requests with a ConnectionError when the transport is closed while it connects', async () => {
    const { url } = await http2Server(echo);
    // Each round closes the transport an iteration of the event loop later than the one before.
    for (let turns = 0; turns < 40; turns += 1) {
      const transport = http2(url);
      const sent = transport.send({ method: 'GET', path: '/x', headers: {} });
      for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      transport.close();
      await sent.catch((error: unknown) => expect(error).toBeInstanceOf(ConnectionError));
    }
  });

  test('counts requests that wait for a connection against its streams', async () => {
    const waiting: ServerHttp2Stream[] = [];
    const { url, sessions } = await http2Server((stream) => void waiting.push(stream));
    const transport = http2(url);
    const sent = Array.from({ length: REQUESTS_FOR_TWO_CONNECTIONS }, () => transport.send({ method: 'GET', path: '/wait', headers: {} }));
    while (waiting.length < REQUESTS_FOR_TWO_CONNECTIONS) await new Promise((resolve) => setImmediate(resolve));
    expect(sessions).toHaveLength(2);
    for (const stream of waiting) stream.respond({ ':status': 200 }, { endStream: true });
    for (const { status } of await Promise.all(sent)) expect(status).toBe(200);
  });

  test('sends no new requests on a connection after GOAWAY, and completes those in flight', async () => {
    let held: ServerHttp2Stream | undefined;
    const { url, sessions } = await http2Server((stream, method, path) => {
      if (path === '/held') {
        stream.respond({ ':status': 200 });
        held = stream;
      } else echo(stream, method, path);
    });
    const transport = http2(url);
    const first = await transport.send({ method: 'GET', path: '/held', headers: {} });
    sessions[0]?.goaway(constants.NGHTTP2_NO_ERROR);
    const deadline = performance.now() + 5_000;
    while (sessions.length < 2 && performance.now() < deadline) {
      // The server refuses requests that were sent before GOAWAY arrived.
      await text(transport).catch((error: unknown) => expect(error).toMatchObject({ wasSent: false }));
    }
    expect(await text(transport)).toBe('200 GET /x ');
    expect(sessions).toHaveLength(2);
    held?.end('rest');
    expect((await collectBody(first.body, 10)).toString()).toBe('rest');
  });

  test('closes a connection whose server does not acknowledge pings, and fails the requests on it', async () => {
    const { url } = await http2Server((stream) => stream.respond({ ':status': 200 }));
    const proxy = await startTcpProxy(Number(url.port));
    closers.push(() => void proxy.close());
    const clock = new ManualClock();
    const transport = http2(new URL(`https://127.0.0.1:${proxy.port}`), clock);
    const { body } = await transport.send({ method: 'GET', path: '/watch', headers: {} });
    const read = collectBody(body, 10).catch((error: unknown) => error);
    // A stopped server: the connection stays open, and no data arrive.
    proxy.mute();
    clock.advance(1_000);
    await flushPromises();
    clock.advance(2_000);
    expect(await read).toMatchObject({ name: 'ConnectionError', wasSent: true });
  });

  test('reports a refused stream as not sent and a reset stream as sent', async () => {
    let code: number = constants.NGHTTP2_REFUSED_STREAM;
    const { url } = await http2Server((stream) => stream.close(code));
    const transport = http2(url);
    await expect(text(transport)).rejects.toMatchObject({ name: 'ConnectionError', wasSent: false });
    code = constants.NGHTTP2_INTERNAL_ERROR;
    await expect(text(transport)).rejects.toMatchObject({ name: 'ConnectionError', wasSent: true });
  });

  test('ends a request with the reason of an abort, before and during the response', async () => {
    const { url } = await http2Server((stream, _, path) => {
      if (path === '/started') stream.respond({ ':status': 200 });
    });
    const transport = http2(url);
    for (const path of ['/started', '/silent']) {
      const controller = new AbortController();
      const reason = new Error('enough');
      const request = text(transport, { path, signal: controller.signal });
      setImmediate(() => setImmediate(() => controller.abort(reason)));
      await expect(request).rejects.toBe(reason);
    }
  });

  test('reports a request as not sent when the server is down or its certificate is not trusted', async () => {
    const { url, server } = await http2Server(echo);
    const distrusting = new Http2Transport(
      url,
      {},
      { clock: new ManualClock(), pingEveryMs: 1, pingTimeoutMs: 1, connectTimeoutMs: 1_000 },
    );
    await expect(text(distrusting)).rejects.toMatchObject({ name: 'ConnectionError', wasSent: false });
    await new Promise((resolve) => server.close(resolve));
    await expect(text(http2(url))).rejects.toMatchObject({ name: 'ConnectionError', wasSent: false });
  });
});

describe('protocol negotiation', () => {
  type Secure = Awaited<ReturnType<typeof http2Server>>;

  async function onlyHttp1(port = 0): Promise<{ url: URL; close: () => Promise<void> }> {
    const { credential } = certificates();
    const server = createHttpsServer({ cert: credential.certificate, key: credential.key }, (request, response) => {
      response.end(`HTTP/${request.httpVersion} ${request.url}`);
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    const close = (): Promise<void> => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    };
    closers.push(() => void close());
    return { url: new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`), close };
  }

  function negotiated(url: URL, tls = { ca: certificates().ca }): Transport {
    const transport = createTransport({ servers: [url], tls, negotiates: true }, systemClock);
    closers.push(() => transport.close());
    return transport;
  }

  const end = async ({ server, sessions }: Secure): Promise<void> => {
    for (const session of sessions) session.destroy();
    await new Promise((resolve) => server.close(resolve));
  };

  test('selects HTTP/2 over one connection when the server supports it', async () => {
    const { url, sessions } = await http2Server(echo);
    const transport = negotiated(url);
    expect(await Promise.all(['/a', '/b'].map((path) => text(transport, { path })))).toEqual(['200 GET /a ', '200 GET /b ']);
    expect(sessions.filter((session) => !session.destroyed)).toHaveLength(1);
  });

  test('selects HTTP/1.1 when the server supports nothing newer', async () => {
    const { url } = await onlyHttp1();
    expect(await text(negotiated(url))).toBe('200 HTTP/1.1 /x');
  });

  test('is repeated when another server takes over the address', async () => {
    const first = await http2Server(echo);
    const transport = negotiated(first.url);
    expect(await text(transport)).toBe('200 GET /x ');
    await end(first);
    const second = await onlyHttp1(Number(first.url.port));
    expect(await text(transport)).toBe('200 HTTP/1.1 /x');
    await second.close();
    await expect(text(transport)).rejects.toMatchObject({ name: 'ConnectionError' });
  });

  test('fails with a request not sent when the certificate is not trusted or the transport is closed', async () => {
    const { url } = await onlyHttp1();
    await expect(text(negotiated(url, { ca: '' }))).rejects.toMatchObject({ name: 'ConnectionError', wasSent: false });
    const transport = negotiated(url);
    transport.close();
    await expect(text(transport)).rejects.toMatchObject({ name: 'ConnectionError', wasSent: false });
  });
});

test.each([
  ['HTTP/1.1', { http1: true }],
  ['HTTP/2', {}],
  ['a negotiated protocol', { negotiates: true }],
])('createTransport over %s trusts a server by its own certificate, whatever its issuer', async (_title, protocol) => {
  const { url } = await http2Server(echo, { allowHTTP1: true });
  const transport = createTransport({ servers: [url], tls: { ca: certificates().credential.certificate }, ...protocol }, systemClock);
  closers.push(() => transport.close());
  expect(await text(transport)).toMatch(/^200 /);
});

describe('HTTP/1.1', () => {
  /** A server that echoes requests, except that `/cut` gets no response and `/half` an incomplete one. */
  async function httpServer(status = 200): Promise<{ server: Server; url: URL }> {
    const server = createHttpServer((request, response) => {
      if (request.url === '/cut') return void response.destroy();
      if (request.url === '/half') {
        response.writeHead(200, { 'content-length': 10 });
        return void response.write('half', () => response.destroy());
      }
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => response.writeHead(status).end(`${request.method} ${request.url} ${Buffer.concat(chunks).toString()}`));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closers.push(() => {
      server.closeAllConnections();
      server.close();
    });
    return { server, url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`) };
  }

  function http1(url: URL): Transport {
    const transport = createTransport({ servers: [url], tls: {} }, systemClock);
    closers.push(() => transport.close());
    return transport;
  }

  test('escapes characters that are invalid in a URL, and never takes the server from a path', async () => {
    const { url } = await httpServer();
    const transport = http1(url);
    expect(await text(transport, { path: '/a ü/b?q=1' })).toBe('200 GET /a%20%C3%BC/b?q=1 ');
    expect(await text(transport, { path: '//elsewhere.example/x' })).toBe('200 GET //elsewhere.example/x ');
  });

  test('reuses one connection for consecutive requests', async () => {
    const { server, url } = await httpServer();
    let connections = 0;
    server.on('connection', () => (connections += 1));
    const transport = http1(url);
    for (let i = 0; i < 3; i += 1) expect(await text(transport, { method: 'POST', body: Buffer.from('b') })).toBe('200 POST /x b');
    expect(connections).toBe(1);
  });

  test('reports a request without a response, and one with an incomplete response, as sent', async () => {
    const { url } = await httpServer();
    const transport = http1(url);
    await expect(text(transport, { path: '/cut' })).rejects.toMatchObject({ name: 'ConnectionError', wasSent: true });
    await expect(text(transport, { path: '/half' })).rejects.toMatchObject({ name: 'ConnectionError', wasSent: true });
  });

  test('throws the reason of an abort', async () => {
    const { url } = await httpServer();
    const controller = new AbortController();
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(text(http1(url), { signal: controller.signal })).rejects.toBe(reason);
  });

  test('reports a request whose connection is refused as not sent', async () => {
    const { server, url } = await httpServer();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await expect(text(http1(url))).rejects.toMatchObject({ wasSent: false });
  });
});
