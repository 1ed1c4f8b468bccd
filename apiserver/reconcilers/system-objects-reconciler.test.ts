import { flushPromises } from '../../test/support/clock/manual-clock';
import { StoreError } from '../storage/store';
import { GENERATED_NAMES, systemNamespaces } from '../../shared/names/dialect';
import { openWriteFixture, type WriteFixture } from '../../test/support/store/write-fixture';
import type { ChangeSink } from '../cache/cache';
import { startSystemObjectsReconciler, type SystemObjectsReconciler } from './system-objects-reconciler';

const names = GENERATED_NAMES.platform;
let fixture: WriteFixture;
/** The sink of the reconciler's watch: tests deliver events to it. */
let sink: ChangeSink | undefined;
let isWatchClosed: boolean;
let failures: string[];

beforeEach(async () => {
  fixture = await openWriteFixture();
  isWatchClosed = false;
  failures = [];
  jest.spyOn(fixture.cache, 'watch').mockImplementation((_type, _request, given) => {
    sink = given;
    return { close: () => void (isWatchClosed = true), sendBookmark: () => undefined };
  });
});

function start(): SystemObjectsReconciler {
  return startSystemObjectsReconciler({
    writer: fixture.writer,
    cache: fixture.cache,
    resource: fixture.resource('namespaces'),
    objects: new Map(systemNamespaces(names).map((name) => [name, {}])),
    names,
    clock: fixture.clock,
    onFailure: (message) => void failures.push(message),
  });
}

it('system namespaces reconciler creates the four namespaces once', async () => {
  await start().complete;
  for (const name of systemNamespaces(names))
    expect(await fixture.stored('namespaces', name)).toMatchObject({ status: { phase: 'Active' } });
  const before = fixture.store.currentRevision;
  await fixture.cache.catchUp();
  await start().complete;
  expect(fixture.store.currentRevision).toBe(before);
  expect(failures).toEqual([]);
});

it('system namespaces reconciler accepts a namespace that another replica has created', async () => {
  await fixture.create('namespaces', { metadata: { name: 'default' } });
  await start().complete;
  expect(failures).toEqual([]);
});

it('system namespaces reconciler recreates a deleted namespace immediately, and resyncs every minute', async () => {
  await start().complete;
  await fixture.cache.catchUp();
  const type = fixture.resource('namespaces').stored;
  const entry = fixture.cache.get(type, 'platform-node-lease');
  if (entry === undefined || sink === undefined) throw new Error('not there');
  fixture.store.remove('/registry/namespaces/platform-node-lease');
  await fixture.cache.catchUp();
  sink.event('DELETED', entry, {
    revision: fixture.store.currentRevision,
    key: entry.key,
    current: undefined,
    previous: entry,
    frames: new Map(),
  });
  await flushPromises(5);
  expect(await fixture.stored('namespaces', 'platform-node-lease')).toBeDefined();
  fixture.store.remove('/registry/namespaces/default');
  await fixture.cache.catchUp();
  await fixture.clock.advanceAsync(60_000);
  await flushPromises(5);
  expect(await fixture.stored('namespaces', 'default')).toBeDefined();
});

it('system namespaces reconciler logs failures and retries', async () => {
  fixture.store.failure = new StoreError('unavailable', 'x');
  const reconciler = start();
  await flushPromises(5);
  expect(failures).toHaveLength(4);
  fixture.store.failure = undefined;
  await fixture.clock.advanceAsync(1_000);
  await reconciler.complete;
});

it('system namespaces reconciler closes its watch and timers when it stops', async () => {
  const reconciler = start();
  await reconciler.complete;
  reconciler.stop();
  expect(isWatchClosed).toBe(true);
  expect(fixture.clock.pending).toBe(0);
});
