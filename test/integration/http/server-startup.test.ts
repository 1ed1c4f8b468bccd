/**
 * Requests between the opening of the ports and readiness, while the first reads of the store wait until the test
 * releases them; and requests while the store rejects writes.
 */
import { connect as connectHttp2 } from 'node:http2';
import { startServer, type RunningServer } from '../../../apiserver/server/wiring/start-server';
import { startListening } from '../../../apiserver/server/wiring/listening';
import type { Listening } from '../../../apiserver/server/wiring/server-options';
import { Meters } from '../../../apiserver/metrics/registry/meters';
import { StoreError } from '../../../apiserver/storage/store';
import { systemClock as clock } from '../../../shared/runtime/clock';
import { silentLogger as logger } from '../../../shared/runtime/logger';
import { systemRandom as random } from '../../../shared/runtime/random';
import { MemoryStore } from '../../support/store/memory-store';
import { waitUntil } from '../../support/programs';
import { stopAfterTest } from '../../support/use-resource';
import { ALICE, type CallOptions, call } from './api-call';
import { useServer } from './fixture';
import { fixtureOptions, type FixtureOptions } from './fixture-options';

const NAMESPACE = '/api/v1/namespaces/default';

interface StartingServer {
  readonly server: Listening & { readonly port: number; readonly localPort: number | undefined };
  /** Unblocks the store. */
  readonly release: () => void;
  readonly running: Promise<RunningServer>;
  readonly heldRequests: () => number;
}

const shutDownAfterTest = stopAfterTest(async ({ release, running }: StartingServer) => {
  release();
  await (await running).shutdown();
});

async function startWithoutStore(changes: FixtureOptions = {}): Promise<StartingServer> {
  const { options } = await fixtureOptions(changes);
  const meters = new Meters();
  const listening = await startListening(options, { clock, random, meters });
  const store = new StalledStore();
  const running = startServer(options, { listening, store, clock, random, logger, meters, configurations: [] });
  return shutDownAfterTest({
    server: { ...listening, port: listening.secure.port, localPort: listening.local?.port },
    release: () => store.release(),
    running,
    heldRequests: () => meters.counter('apiserver_start_held_requests').value,
  });
}

/** A store in memory of which the reads wait for the release. */
class StalledStore extends MemoryStore {
  release = (): void => undefined;
  private readonly released = new Promise<void>((resolve) => (this.release = resolve));

  override async get(...args: Parameters<MemoryStore['get']>): ReturnType<MemoryStore['get']> {
    await this.released;
    return super.get(...args);
  }

  override async revision(): Promise<number> {
    await this.released;
    return super.revision();
  }
}

interface EarlyRequest {
  readonly title: string;
  readonly path: string;
  readonly options: CallOptions;
  /** That of the response once the server is ready. */
  readonly status: number;
}

const EARLY_REQUESTS: readonly EarlyRequest[] = [
  { title: 'a read', path: NAMESPACE, options: {}, status: 200 },
  { title: 'a list of a user without rights', path: '/api/v1/secrets', options: { token: ALICE }, status: 403 },
  {
    title: 'a write',
    path: `${NAMESPACE}/configmaps`,
    options: { method: 'POST', body: '{"metadata":{"name":"early"}}' },
    status: 201,
  },
  { title: 'a read over the loopback listener', path: NAMESPACE, options: { local: true, token: null }, status: 200 },
  { title: 'a single check', path: '/readyz/ping', options: {}, status: 200 },
  { title: 'an unknown token', path: NAMESPACE, options: { token: 'unknown' }, status: 401 },
  { title: 'a document', path: '/version', options: {}, status: 200 },
];

it('a server holds requests until it is ready and then serves them', async () => {
  const { server, heldRequests, release } = await startWithoutStore();
  const sent = EARLY_REQUESTS.map(({ title, path, options }) => ({ title, response: call({ server }, path, options) }));
  await waitUntil('all requests to be held', () => heldRequests() === EARLY_REQUESTS.length);
  release();
  const statuses = await Promise.all(sent.map(async ({ title, response }) => ({ title, status: (await response).status })));
  expect(statuses).toEqual(EARLY_REQUESTS.map(({ title, status }) => ({ title, status })));
  expect(heldRequests()).toBe(0);
});

it('a server serves the health endpoints while it holds other requests', async () => {
  const { server, release, running } = await startWithoutStore();
  for (const [endpoint, ownChecks] of [
    ['livez', []],
    ['healthz', []],
    ['readyz', ['[-]informer-sync failed: reason withheld', '[+]shutdown ok']],
  ] as const) {
    const { status, text } = await call({ server }, `/${endpoint}?verbose`, { token: null });
    expect([status, text]).toEqual([500, expect.stringContaining(`${endpoint} check failed`)]);
    expect(text.split('\n')).toEqual(
      expect.arrayContaining(['[+]ping ok', '[-]autoregister-completion failed: reason withheld', ...ownChecks]),
    );
  }
  release();
  await (await running).whenReady();
  expect((await call({ server }, '/readyz', { token: null })).text).toBe('ok');
});

it('a request that cannot be held any longer is rejected with 429', async () => {
  const { server } = await startWithoutStore({ requestTimeoutMs: 100 });
  const response = await call({ server }, NAMESPACE);
  expect([response.status, response.headers['retry-after'], response.json]).toEqual([
    429,
    '1',
    expect.objectContaining({ reason: 'TooManyRequests', message: 'storage is (re)initializing', details: { retryAfterSeconds: 1 } }),
  ]);
});

it('the timeout of a request includes the time for which it is held', async () => {
  const { server, heldRequests, release } = await startWithoutStore();
  const response = call({ server }, `${NAMESPACE}?timeout=1ms`);
  await waitUntil('the request to be held', () => heldRequests() === 1);
  release();
  expect((await response).status).toBe(504);
});

it('a server whose start is interrupted responds to held requests as a stopping server', async () => {
  const { server, heldRequests } = await startWithoutStore();
  const session = connectHttp2(`https://127.0.0.1:${server.port}`, { rejectUnauthorized: false });
  const stream = session.request({ ':path': NAMESPACE });
  const responses = [
    call({ server }, NAMESPACE).then(({ text }) => text),
    stream.toArray().then((chunks) => Buffer.concat(chunks).toString()),
  ];
  await waitUntil('both requests to be held', () => heldRequests() === 2);
  await server.close();
  expect(await Promise.all(responses)).toEqual(['apiserver is shutting down\n', 'apiserver is shutting down\n']);
  session.destroy();
  await expect(call({ server }, NAMESPACE)).rejects.toThrow();
});

it('a server whose start fails closes its ports', async () => {
  const { options } = await fixtureOptions({});
  const listening = await startListening(options, { clock, random, meters: new Meters() });
  const store = new MemoryStore();
  store.get = () => Promise.reject(new Error('no store'));
  await expect(startServer(options, { listening, store, clock, random, logger, configurations: [] })).rejects.toThrow('no store');
  await expect(call({ server: { port: listening.secure.port, localPort: undefined } }, '/readyz')).rejects.toThrow();
});

describe('a ready server', () => {
  const api = useServer();

  it('has the system priority classes', async () => {
    expect((await api.read('/apis/scheduling.platform.io/v1/priorityclasses'))['items']).toMatchObject([
      { metadata: { name: 'system-cluster-critical' }, value: 2_000_000_000 },
      { metadata: { name: 'system-node-critical' }, value: 2_000_001_000 },
    ]);
  });
});

describe('a faulty store', () => {
  const store = new MemoryStore();
  const api = useServer({}, { store });
  afterAll(() => jest.restoreAllMocks());

  it('makes its server live but not ready when it rejects writes', async () => {
    jest.spyOn(store, 'health').mockRejectedValue(new StoreError('no-space', 'No space left on device'));
    expect((await api.get('/readyz/etcd-readiness')).text).toContain('No space left on device');
    expect((await api.get('/readyz')).status).toBe(500);
    expect((await api.get('/livez')).status).toBe(200);
  });

  it('increments a metric when it cannot purge compacted revisions', async () => {
    const series = 'apiserver_storage_purge_failures_total';
    expect(await api.metrics()).toMatch(new RegExp(`^${series} 0$`, 'm'));
    jest.spyOn(store, 'status').mockResolvedValue({ version: 'embedded', revision: 1, size: 0, purgeFailures: 3 });
    expect(await api.metric(series)).toBe(3);
  });
});
