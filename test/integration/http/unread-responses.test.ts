/**
 * Responses and watches that a client does not read end after a timeout, over HTTP/1.1 and HTTP/2; clients that read
 * slowly receive everything.
 */
import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { gunzipSync } from 'node:zlib';
import { waitUntil } from '../../support/programs';
import { stopAfterTest } from '../../support/use-resource';
import { ADMIN, requestBytes } from './api-call';
import { useServer } from './fixture';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
/** The server ends a response of which nothing is read for this time. */
const UNREAD_MS = 2_000;
/** A list of these objects is larger than all buffers between the server and the client. */
const OBJECTS = 12;
const OBJECT_BYTES = 900_000;

const api = useServer({ connectionTimeouts: { unreadMs: UNREAD_MS, checkMs: 50 } });
beforeAll(async () => {
  for (let index = 0; index < OBJECTS; index += 1) await api.createConfigMap(`large-${index}`, { blob: 'x'.repeat(OBJECT_BYTES) });
}, 60_000);

const countEnded = (kind: string): Promise<number> => api.metric(`apiserver_unread_answers_total\\{kind="${kind}"\\}`);
const openSession = (initialWindowSize: number): ClientHttp2Session => api.connectHttp2({ settings: { initialWindowSize } });

function openStream(session: ClientHttp2Session, path: string): { readonly stream: ClientHttp2Stream; isClosed: boolean; bytes: number } {
  const stream = session.request({ ':path': path, authorization: `Bearer ${ADMIN}` });
  const state = { stream, isClosed: false, bytes: 0 };
  stream.on('error', () => undefined);
  stream.on('close', () => (state.isClosed = true));
  return state;
}

/** Changes a ConfigMap, so that watches have another event to send. */
const updateConfigMap = (name: string) => api.mergePatch(`${CONFIGMAPS}/${name}`, { data: { at: String(performance.now()) } });

it.each([true, false])('a list of large objects is complete and in order over HTTP/2 (compressed: %s)', async (isCompressed) => {
  const session = openSession(1_000_000);
  const headers = isCompressed ? { 'accept-encoding': 'gzip' } : {};
  const stream = session.request({ ':path': CONFIGMAPS, authorization: `Bearer ${ADMIN}`, ...headers });
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  session.destroy();
  const body = Buffer.concat(chunks);
  expect((isCompressed ? gunzipSync(body) : body).toString()).toBe((await api.get(CONFIGMAPS)).text);
});

describe('over HTTP/2', () => {
  const destroyAfterTest = stopAfterTest((session: ClientHttp2Session) => session.destroy());

  it.each([
    ['a short response', '/version', 'response'],
    ['a long response', `${CONFIGMAPS}/large-0`, 'response'],
    ['a list', CONFIGMAPS, 'response'],
    ['a watch', `${CONFIGMAPS}?watch=1&resourceVersion=0`, 'watch'],
  ])('%s ends when the client grants no window', async (_title, path, kind) => {
    const before = await countEnded(kind);
    const session = destroyAfterTest(openSession(0));
    const unread = openStream(session, path);
    await waitUntil('the end', () => unread.isClosed);
    expect(await countEnded(kind)).toBe(before + 1);
    expect(session.destroyed).toBe(false);
  });

  it('a client that reads slowly receives the whole list', async () => {
    const session = destroyAfterTest(openSession(100_000));
    const list = openStream(session, CONFIGMAPS);
    const startedAt = performance.now();
    for await (const chunk of list.stream as AsyncIterable<Buffer>) {
      list.bytes += chunk.length;
      if (performance.now() - startedAt < 2 * UNREAD_MS) await new Promise((resolve) => setTimeout(resolve, UNREAD_MS / 80));
    }
    expect(list.bytes).toBeGreaterThan(OBJECTS * OBJECT_BYTES);
    expect(performance.now() - startedAt).toBeGreaterThan(UNREAD_MS);
  }, 30_000);

  it('requests are rejected with 429 when too many bytes wait on one connection', async () => {
    const session = destroyAfterTest(openSession(0));
    const statuses: number[] = [];
    // The server keeps 32 MiB of responses for one connection: 37 of these objects.
    const requestCount = 45;
    for (let index = 0; index < requestCount; index += 1) {
      const { stream } = openStream(session, `${CONFIGMAPS}/large-${index % OBJECTS}`);
      stream.on('response', (headers) => statuses.push(headers[':status'] ?? 0));
    }
    await waitUntil('the response headers', () => statuses.length === requestCount);
    expect(statuses.filter((status) => status === 200).length).toBeLessThan(40);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(3);
  });
});

describe('over HTTP/1.1', () => {
  const destroyAfterTest = stopAfterTest((socket: TLSSocket) => socket.destroy());

  function openUnread(path: string): TLSSocket {
    const socket = destroyAfterTest(api.openSocket());
    socket.pause();
    socket.write(requestBytes(`GET ${path}`));
    return socket;
  }

  it.each([
    ['a list', CONFIGMAPS, 'response'],
    ['a watch', `${CONFIGMAPS}?watch=1&resourceVersion=0`, 'watch'],
  ])(
    '%s ends when the client does not read it',
    async (_title, path, kind) => {
      const before = await countEnded(kind);
      openUnread(path);
      await waitUntil('the end', async () => {
        await updateConfigMap('large-0');
        return (await countEnded(kind)) === before + 1;
      });
    },
    30_000,
  );

  it('a client that reads slowly receives the whole list', async () => {
    const socket = openUnread(CONFIGMAPS);
    let bytes = 0;
    const startedAt = performance.now();
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (performance.now() - startedAt < 2 * UNREAD_MS) await new Promise((resolve) => setTimeout(resolve, 2));
      if (bytes > OBJECTS * OBJECT_BYTES) break;
    }
    expect(bytes).toBeGreaterThan(OBJECTS * OBJECT_BYTES);
  }, 30_000);
});
