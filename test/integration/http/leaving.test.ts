/** HTTP/2 clients that are sent to another connection: what runs on the old one goes on. */
import { connect, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { connect as connectTo, createServer } from 'node:net';
import { waitUntil } from '../../support/programs';
import { ADMIN, statusOf } from './call';
import { type Fixture, startFixture } from './fixture';

/** Clients' streams have odd numbers. */
const LAST_OF_THREE = 5;
const NAMESPACE = '/api/v1/namespaces/default';
const headers = { authorization: `Bearer ${ADMIN}` };

let api: Fixture;
let session: ClientHttp2Session;
let stopped: Promise<void> | undefined;
let goodbyes: (readonly [code: number, last: number])[];

async function open(changes: Parameters<typeof startFixture>[0]): Promise<void> {
  stopped = undefined;
  api = await startFixture(changes);
  session = api.connectHttp2();
  goodbyes = [];
  session.on('goaway', (code: number, last: number) => goodbyes.push([code, last]));
}
afterEach(async () => {
  session.destroy();
  await stop();
});

/** Once, however often it is asked for. */
const stop = (): Promise<void> => (stopped ??= api.stop());

const send = (path: string): ClientHttp2Stream => session.request({ ':path': path, ...headers }).resume();

async function watch(): Promise<{ readonly seen: () => string; readonly ended: () => boolean }> {
  const stream = send('/api/v1/namespaces/default/configmaps?watch=1');
  let [seen, ended] = ['', false];
  stream.on('data', (chunk: Buffer) => (seen += chunk.toString())).on('end', () => (ended = true));
  await statusOf(stream);
  return { seen: () => seen, ended: () => ended };
}

const create = (name: string): Promise<unknown> => api.post(`${NAMESPACE}/configmaps`, { metadata: { name } });

it('a client is sent away with a response, and the requests that it has sent by then are served', async () => {
  await open({ goawayChance: 1 });
  const statuses = Promise.all([1, 2, 3].map(() => statusOf(send(NAMESPACE))));
  expect(await statuses).toEqual([200, 200, 200]);
  expect(goodbyes[0]?.[0]).toBe(0);
  expect(goodbyes[0]?.[1]).toBeLessThanOrEqual(LAST_OF_THREE);
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

it('a request that arrives too late is refused at once, so that the client can repeat it elsewhere', async () => {
  await open({ goawayChance: 1 });
  session.destroy();
  // Between both: what the server says waits while it is held, what the client says goes on.
  const waiting: (() => void)[] = [];
  let [isHeld, asked] = [false, 0];
  const between = createServer((client) => {
    const server = connectTo(api.server.port, '127.0.0.1');
    client.pipe(server).on('error', () => client.destroy());
    client.on('data', (chunk: Buffer) => (asked += chunk.length));
    client.on('error', () => server.destroy());
    server.on('data', (chunk: Buffer) => (isHeld ? waiting.push(() => client.write(chunk)) : client.write(chunk)));
    server.once('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve));
  const address = between.address();
  session = connect(`https://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`, { rejectUnauthorized: false });
  session.on('error', () => undefined);
  await new Promise((resolve) => session.once('remoteSettings', resolve));
  isHeld = true;
  const first = statusOf(send(NAMESPACE));
  await waitUntil('an answer', () => waiting.length > 0);
  // Whoever asks later has been answered, too.
  await api.get(NAMESPACE);
  const before = asked;
  const second = statusOf(send(`${NAMESPACE}/configmaps`)).catch(String);
  await waitUntil('a question', () => asked > before);
  isHeld = false;
  for (const pass of waiting) pass();
  expect(await Promise.all([first, second])).toEqual([200, expect.stringContaining('NGHTTP2_REFUSED_STREAM')]);
  await waitUntil('the end of the connection', () => session.destroyed);
  between.close();
}, 30_000);

it('the watches of a client that was sent away go on, and another client is not sent away', async () => {
  await open({ goawayChance: Number.MIN_VALUE });
  const watching = await watch();
  expect(await statusOf(send(NAMESPACE))).toBe(200);
  expect(goodbyes).toEqual([]);
  await stop();
  expect(watching.ended()).toBe(true);

  await open({ goawayChance: 1 });
  const leaving = await watch();
  await waitUntil('a farewell', () => goodbyes.length > 0);
  await create('later');
  await waitUntil('the change', () => leaving.seen().includes('"later"'));
  await stop();
  await waitUntil('the end of the watch', () => leaving.ended());
}, 30_000);

it('a server that is shutting down sends clients away with the response to their next request', async () => {
  await open({ shutdownDelayMs: 400 });
  const watching = await watch();
  const down = stop();
  expect((await api.get('/readyz')).status).toBe(500);
  expect(goodbyes).toEqual([]);
  expect(await Promise.all([statusOf(send(NAMESPACE)), statusOf(send(NAMESPACE))])).toEqual([200, 200]);
  expect([goodbyes[0]?.[0], watching.ended()]).toEqual([0, false]);
  await down;
  await waitUntil('the end of the watch', () => watching.ended());
}, 30_000);
