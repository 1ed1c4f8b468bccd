/**
 * A kubelet that responds slowly or never: its requests wait alone. Others complete at once, the memory for a client
 * that does not read stays bounded, and the number of open requests to one kubelet is limited. Also: connections to a
 * kubelet are kept and reused.
 */
import type { ServerResponse } from 'node:http';
import type { Server } from 'node:https';
import type { Duplex } from 'node:stream';
import { systemClock as clock } from '../../../shared/runtime/clock';
import { waitUntil } from '../../support/programs';
import { startSilentServer } from '../../support/servers/silent-server';
import { requestBytes } from './api-call';
import { POD, setKubeletPort, useKubelet, useKubeletServer } from './kubelet-fixture';

/** Open requests to one kubelet in these tests. */
const MAX_OPEN = 40;
const CONFIGMAP = '/api/v1/namespaces/default/configmaps/other';
/** How long the API server waits for a kubelet to connect or to respond. */
const KUBELET_TIMEOUT_MS = 5_000;
/** The longest median latency of another request: any that waited for the kubelet would take {@link KUBELET_TIMEOUT_MS}. */
const BUDGET_MS = KUBELET_TIMEOUT_MS / 5;
/** The pause between two bytes of a slow response. */
const DRIP_MS = 50;
/** Requests of which the median latency is measured. */
const SAMPLES = 21;
/** Clients that do not read an endless log. */
const UNREAD_LOGS = 8;
/** Of a log that its client does not read: buffers of the sockets at both ends, and what the two servers of this process read ahead. */
const MAX_BUFFERED_BYTES = 32 * 1_048_576;
/** By which all unread logs together may enlarge the memory of this process, with what the garbage collector left. */
const MAX_MEMORY_BYTES = 200 * 1_048_576;
/** Requests to a kubelet that never completes TLS. */
const STALLED_REQUESTS = 10;

/** The fake kubelet in the current test. */
const kubeletState = {
  respond: (_response: ServerResponse): void => undefined,
  /** Connections and requests that it has received. */
  connectionCount: 0,
  requestCount: 0,
  /** The responses that it has started or will start. */
  responses: [] as ServerResponse[],
};
/** The connections of clients in the current test. */
const clients: Duplex[] = [];

const api = useKubeletServer(undefined, {
  kubelets: {
    addressTypes: ['InternalIP'],
    credentials: () => ({}),
    timeoutMs: KUBELET_TIMEOUT_MS,
    limits: { perBackend: MAX_OPEN, total: 1_000 },
  },
});
const kubelet = useKubelet(api, (server: Server) => {
  server.keepAliveTimeout = 60_000;
  server.on('secureConnection', () => (kubeletState.connectionCount += 1));
  server.on('request', (_request, response) => {
    kubeletState.requestCount += 1;
    kubeletState.responses.push(response);
    kubeletState.respond(response);
  });
});

beforeAll(async () => {
  await api.createConfigMap('other');
});
beforeEach(() => {
  kubeletState.connectionCount = 0;
  kubeletState.requestCount = 0;
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  for (const response of kubeletState.responses.splice(0)) response.destroy();
  await waitUntil('no request is open', async () => (await openLogs()) === 0);
});

const openLogs = (): Promise<number> => api.metric('apiserver_longrunning_requests\\{[^}]*subresource="log"[^}]*\\}');
const openConnections = (): Promise<number> => api.metric('apiserver_backend_connections\\{backend="kubelet"\\}');

/** Requests a log on a connection that does not read it. */
function openUnreadLog(): Duplex {
  const socket = api.openSocket();
  clients.push(socket);
  socket.write(requestBytes(`GET ${POD}/log?follow=1`));
  return socket.pause();
}

/** Requests a log and reads it; returns the bytes received so far. */
function openLog(): () => number {
  let bytes = 0;
  openUnreadLog()
    .on('data', (data: Buffer) => (bytes += data.length))
    .resume();
  return () => bytes;
}

/** The median latency of requests for another object. Milliseconds. */
async function latencyOfOthers(): Promise<number> {
  const latencies: number[] = [];
  for (let index = 0; index < SAMPLES; index += 1) {
    const start = clock.monotonic();
    expect((await api.get(CONFIGMAP)).status).toBe(200);
    latencies.push(clock.monotonic() - start);
  }
  return latencies.sort((a, b) => a - b)[(SAMPLES - 1) / 2] ?? Infinity;
}

describe('a slow kubelet', () => {
  /** Opens as many logs as a kubelet may have, none of which gets a response. */
  async function openSilentLogs(): Promise<void> {
    kubeletState.respond = () => undefined;
    for (let index = 0; index < MAX_OPEN; index += 1) openLog();
    await waitUntil('the requests reach the kubelet', () => kubeletState.requestCount === MAX_OPEN);
  }

  test('that never responds delays no other request', async () => {
    await openSilentLogs();
    expect(await latencyOfOthers()).toBeLessThan(BUDGET_MS);
  });

  test('that never responds gets no more requests than the limit', async () => {
    await openSilentLogs();
    expect(await openConnections()).toBe(MAX_OPEN);
    const before = await api.metric('apiserver_backend_rejected_requests_total');
    const rejected = await api.get(`${POD}/log`);
    expect([rejected.status, rejected.headers['retry-after'], rejected.message]).toEqual([
      429,
      '1',
      `too many open requests to 127.0.0.1:${Object(kubelet().address()).port}`,
    ]);
    expect(await api.metric('apiserver_backend_rejected_requests_total')).toBe(before + 1);
    expect(kubeletState.requestCount).toBe(MAX_OPEN);
  });

  test('that never responds gets requests again when its clients have disconnected', async () => {
    await openSilentLogs();
    for (const client of clients.splice(0)) client.destroy();
    await waitUntil('the connections are closed with their clients', async () => (await openConnections()) === 0);
    kubeletState.respond = (response) => response.end('said');
    expect((await api.get(`${POD}/log`)).text).toBe('said');
  });

  test('that sends a few bytes now and then delays no other request', async () => {
    kubeletState.respond = (response) => response.write('.');
    const logs = Array.from({ length: MAX_OPEN }, () => openLog());
    await waitUntil('each client has the first byte', () => logs.every((bytes) => bytes() > 0));
    const dripping = setInterval(() => kubeletState.responses.forEach((response) => response.write('.')), DRIP_MS);
    const latency = await latencyOfOthers();
    clearInterval(dripping);
    expect(latency).toBeLessThan(BUDGET_MS);
  });

  test('that sends an endless log to clients that do not read is not read any further', async () => {
    const chunk = Buffer.alloc(1_048_576, 'x');
    let sentBytes = 0;
    kubeletState.respond = (response) => {
      const send = (): void => {
        while (response.write(chunk, () => (sentBytes += chunk.length)));
        response.once('drain', send);
      };
      send();
    };
    const before = process.memoryUsage();
    for (let index = 0; index < UNREAD_LOGS; index += 1) openUnreadLog();
    await waitUntil('the kubelet cannot send more', async () => {
      const earlier = sentBytes;
      await latencyOfOthers();
      return earlier > 0 && earlier === sentBytes;
    });
    expect(await latencyOfOthers()).toBeLessThan(BUDGET_MS);
    expect(sentBytes / UNREAD_LOGS).toBeLessThan(MAX_BUFFERED_BYTES);
    const after = process.memoryUsage();
    expect(after.external + after.heapUsed - before.external - before.heapUsed).toBeLessThan(MAX_MEMORY_BYTES);
  });

  test('that accepts connections and never completes TLS fails its requests after the time to connect', async () => {
    const silent = await startSilentServer();
    const { port } = silent;
    await setKubeletPort(api, port);
    const pending = Array.from({ length: STALLED_REQUESTS }, () => api.get(`${POD}/log`));
    await waitUntil('the connections are accepted', () => silent.accepted() === STALLED_REQUESTS);
    expect(await latencyOfOthers()).toBeLessThan(BUDGET_MS);
    const errors = (await Promise.all(pending)).map(({ refusal }) => refusal);
    const timeout = [500, `Get "https://127.0.0.1:${port}/containerLogs/default/p/c": dial tcp 127.0.0.1:${port}: i/o timeout`];
    expect(errors).toEqual(Array.from(pending, () => timeout));
    await setKubeletPort(api, Object(kubelet().address()).port);
    await silent.close();
  });
});

describe('a connection to a kubelet', () => {
  beforeEach(() => {
    kubeletState.respond = (response) => response.end('said');
  });

  test('is reused for the next log', async () => {
    for (let index = 0; index < 3; index += 1) expect((await api.get(`${POD}/log`)).text).toBe('said');
    expect(kubeletState.requestCount).toBe(3);
    expect(kubeletState.connectionCount).toBeLessThanOrEqual(1);
    expect(await openConnections()).toBe(1);
  });

  test('that the kubelet closed is replaced', async () => {
    expect((await api.get(`${POD}/log`)).text).toBe('said');
    kubelet().closeAllConnections();
    expect((await api.get(`${POD}/log`)).text).toBe('said');
    expect(kubeletState.connectionCount).toBe(1);
  });

  test('that the kubelet closes when it receives the next request is replaced, and the request is sent again', async () => {
    expect((await api.get(`${POD}/log`)).text).toBe('said');
    kubeletState.requestCount = 0;
    kubeletState.respond = (response) => {
      if (kubeletState.requestCount === 1) response.destroy();
      else response.end('again');
    };
    expect((await api.get(`${POD}/log`)).text).toBe('again');
    expect(kubeletState.requestCount).toBe(2);
  });
});
