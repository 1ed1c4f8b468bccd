/** GOAWAY to HTTP/2 clients: requests in progress on the old connection complete. */
import { connect, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { connect as connectTcp, createServer } from 'node:net';
import { waitUntil } from '../../support/programs';
import { ADMIN, responseStatus } from './api-call';
import { type Fixture, startFixture } from './fixture';

/** Streams of clients have odd numbers. */
const THIRD_STREAM_ID = 5;
const NAMESPACE = '/api/v1/namespaces/default';
const headers = { authorization: `Bearer ${ADMIN}` };

let api: Fixture;
let session: ClientHttp2Session;
let stopped: Promise<void> | undefined;
let goaways: (readonly [code: number, last: number])[];

async function open(changes: Parameters<typeof startFixture>[0]): Promise<void> {
  stopped = undefined;
  api = await startFixture(changes);
  session = api.connectHttp2();
  goaways = [];
  session.on('goaway', (code: number, last: number) => goaways.push([code, last]));
}
afterEach(async () => {
  session.destroy();
  await stop();
});

/** Stops the server once, however often it is called. */
const stop = (): Promise<void> => (stopped ??= api.stop());

const send = (path: string): ClientHttp2Stream => session.request({ ':path': path, ...headers }).resume();

async function watch(): Promise<{ readonly received: () => string; readonly ended: () => boolean }> {
  const stream = send('/api/v1/namespaces/default/configmaps?watch=1');
  let received = '';
  let ended = false;
  stream.on('data', (chunk: Buffer) => (received += chunk.toString())).on('end', () => (ended = true));
  await responseStatus(stream);
  return { received: () => received, ended: () => ended };
}

const create = (name: string): Promise<unknown> => api.post(`${NAMESPACE}/configmaps`, { metadata: { name } });

it('the server sends GOAWAY with a response and serves the requests that were sent before it', async () => {
  await open({ goawayChance: 1 });
  const statuses = Promise.all([1, 2, 3].map(() => responseStatus(send(NAMESPACE))));
  expect(await statuses).toEqual([200, 200, 200]);
  expect(goaways[0]?.[0]).toBe(0);
  expect(goaways[0]?.[1]).toBeLessThanOrEqual(THIRD_STREAM_ID);
  await waitUntil('the end of the connection', () => session.destroyed);
  const agent = new Agent({ keepAlive: true });
  const plain = await new Promise<IncomingMessage>((resolve) => {
    const { port } = api.server;
    request({ host: '127.0.0.1', port, path: NAMESPACE, headers, rejectUnauthorized: false, agent }, resolve).end();
  });
  plain.resume();
  expect([plain.statusCode, plain.headers.connection]).toEqual([200, 'keep-alive']);
  agent.destroy();
}, 30_000);

it('a request after GOAWAY is refused with REFUSED_STREAM, so that the client can retry it on another connection', async () => {
  await open({ goawayChance: 1 });
  session.destroy();
  // Holds back bytes of the server while `isHeld`, and passes on those of the client.
  const heldChunks: (() => void)[] = [];
  let isHeld = false;
  let clientBytes = 0;
  const proxy = createServer((client) => {
    const server = connectTcp(api.server.port, '127.0.0.1');
    client.pipe(server).on('error', () => client.destroy());
    client.on('data', (chunk: Buffer) => (clientBytes += chunk.length));
    client.on('error', () => server.destroy());
    server.on('data', (chunk: Buffer) => (isHeld ? heldChunks.push(() => client.write(chunk)) : client.write(chunk)));
    server.once('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const address = proxy.address();
  session = connect(`https://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`, { rejectUnauthorized: false });
  session.on('error', () => undefined);
  await new Promise((resolve) => session.once('remoteSettings', resolve));
  isHeld = true;
  const first = responseStatus(send(NAMESPACE));
  await waitUntil('the held response', () => heldChunks.length > 0);
  // A later request on another connection is answered, so the held response has been sent.
  await api.get(NAMESPACE);
  const before = clientBytes;
  const second = responseStatus(send(`${NAMESPACE}/configmaps`)).catch(String);
  await waitUntil('the second request', () => clientBytes > before);
  isHeld = false;
  for (const forward of heldChunks) forward();
  expect(await Promise.all([first, second])).toEqual([200, expect.stringContaining('NGHTTP2_REFUSED_STREAM')]);
  await waitUntil('the end of the connection', () => session.destroyed);
  proxy.close();
}, 30_000);

it('a watch continues after GOAWAY, and a connection without GOAWAY keeps its watch until the server stops', async () => {
  await open({ goawayChance: Number.MIN_VALUE });
  const watching = await watch();
  expect(await responseStatus(send(NAMESPACE))).toBe(200);
  expect(goaways).toEqual([]);
  await stop();
  expect(watching.ended()).toBe(true);

  await open({ goawayChance: 1 });
  const continuing = await watch();
  await waitUntil('GOAWAY', () => goaways.length > 0);
  await create('later');
  await waitUntil('the change', () => continuing.received().includes('"later"'));
  await stop();
  await waitUntil('the end of the watch', () => continuing.ended());
}, 30_000);

it('a server that is shutting down sends GOAWAY with the response to the next request', async () => {
  await open({ shutdownDelayMs: 400 });
  const watching = await watch();
  const stopping = stop();
  expect((await api.get('/readyz')).status).toBe(500);
  expect(goaways).toEqual([]);
  expect(await Promise.all([responseStatus(send(NAMESPACE)), responseStatus(send(NAMESPACE))])).toEqual([200, 200]);
  expect([goaways[0]?.[0], watching.ended()]).toEqual([0, false]);
  await stopping;
  await waitUntil('the end of the watch', () => watching.ended());
}, 30_000);
