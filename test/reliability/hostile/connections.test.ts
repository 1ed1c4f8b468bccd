/**
 * Clients that do not read, reset streams, stall or stay silent: the memory of the server stays bounded and other
 * clients are served.
 */
import { connect as connectHttp2, constants, type ClientHttp2Session } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { ApiClient, type WatchEvent } from '../../support/http/api-client';
import { waitUntil } from '../../support/programs';
import { useResource } from '../../support/use-resource';
import { useHostileTarget, measureLatencies, CONFIGMAPS, openRawConnection, SlowHeaderClient } from './hostile-client';

const target = useHostileTarget();
/** Limit of the median latency of other requests; a blocked server would take many seconds. */
const MOST_MEDIAN_MS = 1_000;
/** Watchers that read nothing. Buffering the events of the large writes for each, 30 MB, would take 900 MB. */
const UNREAD_WATCHERS = 30;
const LARGE_WRITES = 300;
const LARGE_WRITE_BYTES = 100_000;
const MOST_WATCH_MB = 250;
/** Clients that read nothing of a list. Buffering the list for each, 16 MB, would take 320 MB. */
const UNREAD_LISTS = 20;
const LISTED_OBJECTS = 40;
const LISTED_OBJECT_BYTES = 400_000;
const MOST_LIST_MB = 150;
/** Streams of each connection, opened and reset at once. */
const RESET_STREAMS = 10_000;
const RESET_CONNECTIONS = 3;
const MOST_RESET_MB = 150;
const IDLE_CONNECTIONS = 200;
/** The server closes a connection without complete headers after 32 s; it checks every 5 s. */
const MOST_HEADERS_MS = 45_000;

describe('the API server', () => {
  // Connects before the first test, so that the last one does not have to wait for the whole time limit.
  const slow = useResource(
    async () => new SlowHeaderClient(await openRawConnection(target().client)),
    (client) => client.stop(),
  );

  it('bounds the memory of watchers that never read, without delaying other clients', async () => {
    const { client, memoryMb, server } = target();
    const readers = new ApiClient(server.address, server.certificates, 4);
    const unreadWatches = await Promise.all(
      Array.from({ length: UNREAD_WATCHERS }, () => client.watch(`${CONFIGMAPS}?watch=true&labelSelector=flood`, () => undefined)),
    );
    for (const watch of unreadWatches) watch.pause();
    const receivedEvents: WatchEvent[] = [];
    const readWatch = await client.watch(`${CONFIGMAPS}?watch=true&labelSelector=flood`, (event) => void receivedEvents.push(event));
    try {
      const beforeMb = memoryMb();
      let highestMb = beforeMb;
      const payload = 'x'.repeat(LARGE_WRITE_BYTES);
      const latenciesDuringWrites: number[] = [];
      for (let n = 0; n < LARGE_WRITES; n++) {
        const body = { metadata: { name: 'flood', labels: { flood: '' } }, data: { n: String(n), payload } };
        const { status } = n === 0 ? await client.send('POST', CONFIGMAPS, body) : await client.send('PUT', `${CONFIGMAPS}/flood`, body);
        expect(status).toBeLessThan(300);
        if (n % 10 === 0) {
          highestMb = Math.max(highestMb, memoryMb());
          latenciesDuringWrites.push(...(await measureLatencies(readers, `${CONFIGMAPS}/calm`, 2)));
        }
      }
      expect(highestMb - beforeMb).toBeLessThan(MOST_WATCH_MB);
      await waitUntil('the watcher that reads to receive everything', () => receivedEvents.length === LARGE_WRITES);
      const receivedNumbers = receivedEvents.map(({ object: { data } }) => Number(data?.['n']));
      expect(receivedNumbers).toEqual(Array.from({ length: LARGE_WRITES }, (_, n) => n));
      expect(medianOf(latenciesDuringWrites)).toBeLessThan(MOST_MEDIAN_MS);
    } finally {
      readWatch.close();
      for (const watch of unreadWatches) watch.close();
      readers.close();
    }
  }, 60_000);

  it('bounds the memory of lists that are never read', async () => {
    const { client, memoryMb } = target();
    const data = { payload: 'y'.repeat(LISTED_OBJECT_BYTES) };
    for (let n = 0; n < LISTED_OBJECTS; n++) await client.send('POST', CONFIGMAPS, { metadata: { name: `wide-${n}` }, data });
    const beforeMb = memoryMb();
    const sockets = await Promise.all(
      Array.from({ length: UNREAD_LISTS }, async () => {
        const socket = await openRawConnection(client);
        socket.on('error', () => undefined);
        socket.write(`GET ${CONFIGMAPS} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
        socket.pause();
        return socket;
      }),
    );
    try {
      const latencies = await measureLatencies(client, `${CONFIGMAPS}/calm`, 100);
      expect(memoryMb() - beforeMb).toBeLessThan(MOST_LIST_MB);
      expect(medianOf(latencies)).toBeLessThan(MOST_MEDIAN_MS);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
    // All other objects: metadata.name!=calm.
    await client.send('DELETE', `${CONFIGMAPS}?fieldSelector=metadata.name%21%3Dcalm`);
  }, 60_000);

  it('keeps serving while a client opens and resets 10,000 streams on each of 3 connections', async () => {
    const { client, memoryMb, server } = target();
    const beforeMb = memoryMb();
    const measuring = measureLatencies(client, `${CONFIGMAPS}/calm`, 100);
    const { authority, admin } = server.certificates;
    for (let attempt = 0; attempt < RESET_CONNECTIONS; attempt++) {
      const session = connectHttp2(server.address, { ca: authority, cert: admin.certificate, key: admin.key });
      session.on('error', () => undefined);
      await resetMany(session, RESET_STREAMS);
      session.destroy();
    }
    const latencies = await measuring;
    expect(medianOf(latencies)).toBeLessThan(MOST_MEDIAN_MS);
    expect(memoryMb() - beforeMb).toBeLessThan(MOST_RESET_MB);
  }, 60_000);

  it('keeps serving while 200 connections are silent or send random bytes', async () => {
    const { client, server } = target();
    const port = Number(new URL(server.address).port);
    const idle = Array.from({ length: IDLE_CONNECTIONS }, (_, n) => {
      const socket = connectTcp(port, '127.0.0.1');
      socket.on('error', () => undefined);
      if (n % 2 === 0) socket.write(Buffer.alloc(2_000, n));
      return socket;
    });
    try {
      const latencies = await measureLatencies(client, `${CONFIGMAPS}/calm`, 50);
      expect(medianOf(latencies)).toBeLessThan(MOST_MEDIAN_MS);
    } finally {
      for (const socket of idle) socket.destroy();
    }
  });

  it('closes the connection of a client that sends its request headers too slowly', async () => {
    await waitUntil('the slow client to be cut off', () => slow().closedAfterMs, MOST_HEADERS_MS);
    expect(slow().closedAfterMs).toBeLessThan(MOST_HEADERS_MS);
  }, 60_000);
});

function medianOf(latencies: readonly number[]): number {
  const sorted = latencies.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Opens `count` streams and resets each at once; ends early when the server closes the connection. */
async function resetMany(session: ClientHttp2Session, count: number): Promise<void> {
  for (let n = 0; n < count && !session.closed && !session.destroyed; n++) {
    const stream = session.request({ ':path': CONFIGMAPS });
    stream.on('error', () => undefined);
    stream.close(constants.NGHTTP2_CANCEL);
    if (n % 100 === 99) await new Promise((resolve) => setImmediate(resolve));
  }
}
