/**
 * GOAWAY to HTTP/2 clients of a server in this process, by chance or when it stops: requests in progress on the old
 * connection complete.
 */
import { connect, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { connect as connectTcp, createServer, type Server } from 'node:net';
import { waitUntil } from '../../support/programs';
import { listen } from '../../support/servers/listen';
import { stopAfterTest } from '../../support/use-resource';
import { ADMIN, responseStatus } from './api-call';
import { type Fixture, startFixture } from './fixture';

/** Streams of clients have odd numbers. */
const THIRD_STREAM_ID = 5;
const NAMESPACE = '/api/v1/namespaces/default';
const headers = { authorization: `Bearer ${ADMIN}` };

interface GoawayFrame {
  readonly code: number;
  readonly lastStreamId: number;
}

/** A server, and an HTTP/2 connection to it with its recorded GOAWAY frames. */
class ConnectedServer {
  readonly goaways: GoawayFrame[] = [];
  private stopped: Promise<void> | undefined;

  constructor(
    readonly api: Fixture,
    readonly session: ClientHttp2Session,
  ) {
    session.on('goaway', (code: number, lastStreamId: number) => this.goaways.push({ code, lastStreamId }));
  }

  /** Stops the server once, however often it is called. */
  stop(): Promise<void> {
    return (this.stopped ??= this.api.stop());
  }
}

const stopServerAfterTest = stopAfterTest(async (connected: ConnectedServer) => {
  connected.session.destroy();
  await connected.stop();
});

async function open(changes: Parameters<typeof startFixture>[0]): Promise<ConnectedServer> {
  const api = await startFixture(changes);
  return stopServerAfterTest(new ConnectedServer(api, api.connectHttp2()));
}

const send = (session: ClientHttp2Session, path: string): ClientHttp2Stream => session.request({ ':path': path, ...headers }).resume();

async function watch(session: ClientHttp2Session): Promise<{ readonly received: () => string; readonly isEnded: () => boolean }> {
  const stream = send(session, `${NAMESPACE}/configmaps?watch=1`);
  let received = '';
  let isEnded = false;
  stream.on('data', (chunk: Buffer) => (received += chunk.toString())).on('end', () => (isEnded = true));
  await responseStatus(stream);
  return { received: () => received, isEnded: () => isEnded };
}

const closeAfterTest = stopAfterTest((proxy: Server) => proxy.close());

/** A TCP proxy in front of the server; once held, it keeps back what the server sends until the release. */
async function startHoldingProxy(serverPort: number) {
  const heldChunks: (() => void)[] = [];
  let isHeld = false;
  let clientBytes = 0;
  const proxy = createServer((client) => {
    const server = connectTcp(serverPort, '127.0.0.1');
    client.pipe(server).on('error', () => client.destroy());
    client.on('data', (chunk: Buffer) => (clientBytes += chunk.length));
    client.on('error', () => server.destroy());
    server.on('data', (chunk: Buffer) => (isHeld ? heldChunks.push(() => client.write(chunk)) : client.write(chunk)));
    server.once('close', () => client.destroy());
  });
  return {
    port: await listen(closeAfterTest(proxy)),
    clientBytes: () => clientBytes,
    heldChunkCount: () => heldChunks.length,
    hold: () => void (isHeld = true),
    release: () => {
      isHeld = false;
      for (const forward of heldChunks) forward();
    },
  };
}

it('the server sends GOAWAY with a response and serves the requests that were sent before it', async () => {
  const { session, goaways } = await open({ goawayChance: 1 });
  const statuses = Promise.all([1, 2, 3].map(() => responseStatus(send(session, NAMESPACE))));
  expect(await statuses).toEqual([200, 200, 200]);
  expect(goaways[0]?.code).toBe(0);
  expect(goaways[0]?.lastStreamId).toBeLessThanOrEqual(THIRD_STREAM_ID);
  await waitUntil('the end of the connection', () => session.destroyed);
}, 30_000);

it('a server that sends GOAWAY keeps HTTP/1.1 connections alive', async () => {
  const { api } = await open({ goawayChance: 1 });
  const agent = new Agent({ keepAlive: true });
  const response = await new Promise<IncomingMessage>((resolve) => {
    const { port } = api.server;
    request({ host: '127.0.0.1', port, path: NAMESPACE, headers, rejectUnauthorized: false, agent }, resolve).end();
  });
  response.resume();
  expect([response.statusCode, response.headers.connection]).toEqual([200, 'keep-alive']);
  agent.destroy();
}, 30_000);

it('a request after GOAWAY is refused with REFUSED_STREAM, so that the client can retry it on another connection', async () => {
  const { api } = await open({ goawayChance: 1 });
  const proxy = await startHoldingProxy(api.server.port);
  const session = connect(`https://127.0.0.1:${proxy.port}`, { rejectUnauthorized: false });
  session.on('error', () => undefined);
  await new Promise((resolve) => session.once('remoteSettings', resolve));
  proxy.hold();
  const first = responseStatus(send(session, NAMESPACE));
  await waitUntil('the held response', () => proxy.heldChunkCount() > 0);
  // A later request on another connection has its response, so the held response has been sent.
  await api.get(NAMESPACE);
  const before = proxy.clientBytes();
  const second = responseStatus(send(session, `${NAMESPACE}/configmaps`)).catch(String);
  await waitUntil('the second request', () => proxy.clientBytes() > before);
  proxy.release();
  expect(await Promise.all([first, second])).toEqual([200, expect.stringContaining('NGHTTP2_REFUSED_STREAM')]);
  await waitUntil('the end of the connection', () => session.destroyed);
}, 30_000);

it('a connection without GOAWAY keeps its watch until the server stops', async () => {
  // With 0, the server would have no filter that sends GOAWAY.
  const server = await open({ goawayChance: Number.MIN_VALUE });
  const { session, goaways } = server;
  const watching = await watch(session);
  expect(await responseStatus(send(session, NAMESPACE))).toBe(200);
  expect([goaways, watching.isEnded()]).toEqual([[], false]);
  await server.stop();
  expect(watching.isEnded()).toBe(true);
}, 30_000);

it('a watch continues after GOAWAY', async () => {
  const server = await open({ goawayChance: 1 });
  const { api, session, goaways } = server;
  const watching = await watch(session);
  await waitUntil('GOAWAY', () => goaways.length > 0);
  await api.post(`${NAMESPACE}/configmaps`, { metadata: { name: 'later' } });
  await waitUntil('the change', () => watching.received().includes('"later"'));
  await server.stop();
  await waitUntil('the end of the watch', () => watching.isEnded());
}, 30_000);

it('a server that is shutting down sends GOAWAY with the response to the next request', async () => {
  const server = await open({ shutdownDelayMs: 400 });
  const { api, session, goaways } = server;
  const watching = await watch(session);
  const stopping = server.stop();
  expect((await api.get('/readyz')).status).toBe(500);
  expect(goaways).toEqual([]);
  expect(await Promise.all([responseStatus(send(session, NAMESPACE)), responseStatus(send(session, NAMESPACE))])).toEqual([200, 200]);
  expect([goaways[0]?.code, watching.isEnded()]).toEqual([0, false]);
  await stopping;
  await waitUntil('the end of the watch', () => watching.isEnded());
}, 30_000);
