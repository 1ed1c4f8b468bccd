/** Responses of a backend as the client of a proxy receives them. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  request as plainRequest,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { brotliCompressSync, createGzip, deflateRawSync, gunzipSync, gzipSync, inflateRawSync } from 'node:zlib';
import { systemClock as clock } from '../../../shared/runtime/clock';
import { EventLoopScheduler } from '../../../shared/scheduling/event-loop-scheduler';
import { Outbox } from '../output/outbox';
import { Exchange } from '../request/exchange';
import { useResource } from '../../../test/support/use-resource';
import { Backends } from './backend';
import { forward } from './forward';

const PREFIX = '/api/v1/namespaces/n/services/s/proxy';
const PAGE = Buffer.from('<a href="/x">é</a>');
/** The page as the client receives it. */
const REWRITTEN = Buffer.from(`<a href="${PREFIX}/x">é</a>`);
const HTML = { 'content-type': 'text/html' };

const portOf = (listener: Server): number => Number(Object(listener.address()).port);

async function startServer(listener: RequestListener): Promise<Server> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** A backend with a response that each test sets, and a server that forwards every request to it. */
async function startProxy() {
  const backends = new Backends({ clock, credentials: () => ({}), timeoutMs: 5_000 });
  const parts = { clock, outbox: new Outbox(clock), scheduler: new EventLoopScheduler(clock) };
  const responder: { respond: RequestListener } = { respond: () => undefined };
  const backend = await startServer((request, response) => responder.respond(request, response));
  const server = await startServer((request, response) => {
    const exchange = new Exchange(request, response, parts, { origin: 'secure', naming: 'platform', startedAt: 0 });
    exchange.setAuditId('proxied-page');
    void forward(backends, exchange, {
      destination: { type: 'proxy', url: new URL(`http://127.0.0.1:${portOf(backend)}`), trust: 'any' },
      prefix: PREFIX,
      target: '/page',
      isUpgrade: false,
      insecureSkipTlsVerify: false,
      name: 's',
      onLogTlsFailure: () => undefined,
    });
  });
  return { responder, backend, server };
}

const proxy = useResource(startProxy, ({ backend, server }) => {
  for (const listener of [backend, server]) {
    listener.closeAllConnections();
    listener.close();
  }
});

/** Sets the response of the backend. */
const respondWith = (respond: RequestListener): void => void (proxy().responder.respond = respond);

/** Requests the page through the proxy. Resolves when the head of the response has arrived. */
async function get(method = 'GET'): Promise<IncomingMessage> {
  const request = plainRequest({ host: '127.0.0.1', port: portOf(proxy().server), path: `${PREFIX}/page`, method, agent: false });
  request.end();
  const [message] = (await once(request, 'response')) as [IncomingMessage];
  return message;
}

/** Returns `undefined` when the response is cut off. */
async function readBody(message: IncomingMessage): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of message as AsyncIterable<Buffer>) pieces.push(piece);
  } catch {
    return undefined;
  }
  return Buffer.concat(pieces);
}

const ENCODINGS = ['identity', 'gzip'] as const;

/** A page of which the backend has sent the beginning. */
interface StreamedPage {
  readonly response: ServerResponse;
  /** Sends the last part of the page. */
  end(text: string): void;
}

/** Lets the backend send the beginning of a page. Resolves when it has been requested. */
function respondWithStream(encoding: (typeof ENCODINGS)[number], beginning: string): Promise<StreamedPage> {
  return new Promise((resolve) => {
    respondWith((_, response) => {
      response.writeHead(200, { ...HTML, 'content-encoding': encoding });
      if (encoding === 'identity') {
        response.write(beginning);
        resolve({ response, end: (text) => void response.end(text) });
        return;
      }
      const compressor = createGzip();
      compressor.pipe(response);
      compressor.write(beginning);
      compressor.flush();
      resolve({ response, end: (text) => void compressor.end(text) });
    });
  });
}

describe('a proxied page', () => {
  it('has its links rewritten and no Content-Length', async () => {
    respondWith((_, response) => response.writeHead(404, { ...HTML, 'content-length': PAGE.length, etag: '"1"', 'x-own': '1' }).end(PAGE));
    const message = await get();
    expect(message.statusCode).toBe(404);
    expect(message.headers).toMatchObject({ etag: '"1"', 'x-own': '1' });
    expect(message.headers).not.toHaveProperty('content-length');
    expect(await readBody(message)).toEqual(REWRITTEN);
  });

  it.each(['text/html; charset=utf-8', 'Text/HTML', 'text/html;charset'])('is rewritten when its Content-Type is %j', async (type) => {
    respondWith((_, response) => response.writeHead(200, { 'content-type': type }).end(PAGE));
    expect(await readBody(await get())).toEqual(REWRITTEN);
  });

  it.each(['application/xhtml+xml', 'text/html,x', 'text/plain', ''])(
    'is forwarded unchanged when its Content-Type is %j',
    async (type) => {
      respondWith((_, response) => response.writeHead(200, type === '' ? {} : { 'content-type': type }).end(PAGE));
      expect(await readBody(await get())).toEqual(PAGE);
    },
  );

  it.each([
    ['gzip', gzipSync, gunzipSync],
    ['GZIP', gzipSync, gunzipSync],
    ['deflate', deflateRawSync, inflateRawSync],
    ['identity', (page: Buffer) => page, (page: Buffer) => page],
  ])('is rewritten when its Content-Encoding is %s', async (encoding, compress, decompress) => {
    const compressed = compress(PAGE);
    respondWith((_, response) =>
      response.writeHead(200, { ...HTML, 'content-encoding': encoding, 'content-length': compressed.length }).end(compressed),
    );
    const message = await get();
    expect(message.headers['content-encoding']).toBe(encoding);
    expect(decompress((await readBody(message)) ?? Buffer.alloc(0))).toEqual(REWRITTEN);
  });

  it.each(['br', 'gzip, gzip', 'constructor'])('is forwarded unchanged when its Content-Encoding is %s', async (encoding) => {
    const compressed = brotliCompressSync(PAGE);
    respondWith((_, response) =>
      response.writeHead(200, { ...HTML, 'content-encoding': encoding, 'content-length': compressed.length }).end(compressed),
    );
    const message = await get();
    expect(message.headers['content-length']).toBe(String(compressed.length));
    expect(await readBody(message)).toEqual(compressed);
  });

  it.each(ENCODINGS)('with Content-Encoding %s is streamed to the client as the backend writes it', async (encoding) => {
    const page = respondWithStream(encoding, '<p>first</p><a href="/');
    const message = await get();
    const pieces: Buffer[] = [];
    message.on('data', (piece: Buffer) => pieces.push(piece));
    await once(message, 'data');
    (await page).end('x">');
    await once(message, 'end');
    const received = Buffer.concat(pieces);
    expect(String(encoding === 'gzip' ? gunzipSync(received) : received)).toBe(`<p>first</p><a href="${PREFIX}/x">`);
  });

  it('is cut off when the backend closes the connection early', async () => {
    respondWith((_, response) => response.writeHead(200, HTML).write(PAGE, () => response.destroy()));
    expect(await readBody(await get())).toBeUndefined();
  });

  it('is cut off when its encoding is corrupt', async () => {
    respondWith((_, response) => response.writeHead(200, { ...HTML, 'content-encoding': 'gzip' }).end(PAGE));
    expect(await readBody(await get())).toBeUndefined();
  });

  it.each(ENCODINGS)('with Content-Encoding %s is no longer read from the backend after its client disconnects', async (encoding) => {
    // Random, so that it stays long when it is compressed.
    const page = respondWithStream(encoding, randomBytes(100_000).toString('hex'));
    const message = await get();
    const { response } = await page;
    const backendDisconnected = once(response, 'close');
    await once(message, 'data');
    message.destroy();
    await backendDisconnected;
  });

  it('arrives complete when it is several megabytes long', async () => {
    const count = 100_000;
    respondWith((_, response) =>
      response.writeHead(200, { ...HTML, 'content-encoding': 'gzip' }).end(gzipSync('<a href=/x>'.repeat(count))),
    );
    const body = gunzipSync((await readBody(await get())) ?? Buffer.alloc(0));
    expect(body.length).toBe(count * `<a href=${PREFIX}/x>`.length);
  });

  it.each([
    { title: 'the response to HEAD', method: 'HEAD', status: 200 },
    { title: 'a 304 response', method: 'GET', status: 304 },
  ])('has neither Content-Length nor body in $title', async ({ method, status }) => {
    respondWith((_, response) => response.writeHead(status, { ...HTML, 'content-encoding': 'gzip', 'content-length': 77 }).end());
    const message = await get(method);
    expect(message.headers).not.toHaveProperty('content-length');
    expect(await readBody(message)).toEqual(Buffer.alloc(0));
  });
});

describe('a proxied response', () => {
  it.each([
    [302, '/x?q=1', `${PREFIX}/x?q=1`],
    [301, 'http://BACKEND/x/', `${PREFIX}/x/`],
    [201, '/x', `${PREFIX}/x`],
    [302, 'https://SERVER/x', `https://SERVER${PREFIX}/x`],
    [302, '../x', '../x'],
    [302, 'http://other.example/x', 'http://other.example/x'],
    [302, `${PREFIX}/x`, `${PREFIX}/x`],
    // BACKEND and SERVER stand for the addresses of the backend and of the proxy.
  ])('with status %i and Location %s has Location %s and an unchanged body', async (status, location, expected) => {
    const { backend, server } = proxy();
    const withPorts = (text: string): string =>
      text.replace('BACKEND', `127.0.0.1:${portOf(backend)}`).replace('SERVER', `127.0.0.1:${portOf(server)}`);
    respondWith((_, response) => response.writeHead(status, { ...HTML, location: withPorts(location) }).end(PAGE));
    const message = await get();
    expect(message.statusCode).toBe(status);
    expect(message.headers.location).toBe(withPorts(expected));
    expect(await readBody(message)).toEqual(PAGE);
  });

  it('has no CORS headers of the backend that grant access to other origins', async () => {
    const grantHeaders = ['allow-origin', 'allow-methods', 'allow-headers', 'allow-credentials', 'expose-headers', 'max-age'];
    respondWith((_, response) => {
      for (const name of grantHeaders) response.setHeader(`access-control-${name}`, '1');
      response.end();
    });
    const { headers } = await get();
    const remaining = Object.keys(headers).filter((name) => name.startsWith('access-control-'));
    expect(remaining).toEqual(['access-control-expose-headers', 'access-control-max-age']);
  });
});
