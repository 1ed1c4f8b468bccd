import { flushPromises } from '../../test/support/clock/manual-clock';
import { StoreError } from '../storage/store';
import { GENERATED_NAMES, systemNamespaces } from '../../shared/names/dialect';
import { openWriteFixture, type WriteFixture } from '../../test/support/store/write-fixture';
import { useForEachTest } from '../../test/support/use-resource';
import type { ChangeSink } from '../cache/cache';
import { startSystemObjectsReconciler, type SystemObjectsReconciler } from './system-objects-reconciler';

const names = GENERATED_NAMES.platform;
interface Fixture extends WriteFixture {
  /** The sinks of the reconcilers' watches: tests deliver events to them. */
  readonly sinks: ChangeSink[];
  readonly closeWatch: jest.Mock<void, []>;
  /** Messages of failed creations. */
  readonly failures: string[];
}

const fixture = useForEachTest<Fixture>(async () => {
  const writeFixture = await openWriteFixture();
  const sinks: ChangeSink[] = [];
  const closeWatch = jest.fn<void, []>();
  jest.spyOn(writeFixture.cache, 'watch').mockImplementation((_type, _request, sink) => {
    sinks.push(sink);
    return { close: closeWatch, sendBookmark: () => undefined };
  });
  return { ...writeFixture, sinks, closeWatch, failures: [] };
});

/** Starts the reconciler of the system namespaces. */
function start(): SystemObjectsReconciler {
  const { writer, cache, clock, resource, failures } = fixture();
  return startSystemObjectsReconciler({
    writer,
    cache,
    resource: resource('namespaces'),
    objects: new Map(systemNamespaces(names).map((name) => [name, {}])),
    names,
    clock,
    onFailure: (message) => void failures.push(message),
  });
}

it('system namespaces reconciler creates the four namespaces once', async () => {
  const { store, cache, stored, failures } = fixture();
  await start().complete;
  expect(systemNamespaces(names)).toHaveLength(4);
  for (const name of systemNamespaces(names)) expect(await stored('namespaces', name)).toMatchObject({ status: { phase: 'Active' } });
  const before = store.currentRevision;
  await cache.catchUp();
  await start().complete;
  expect(store.currentRevision).toBe(before);
  expect(failures).toEqual([]);
});

it('system namespaces reconciler accepts a namespace that another replica has created', async () => {
  const { create, failures } = fixture();
  // The cache does not show the namespace yet.
  await create('namespaces', { metadata: { name: 'default' } });
  await start().complete;
  expect(failures).toEqual([]);
});

it('system namespaces reconciler recreates a namespace when its watch reports the deletion', async () => {
  const { store, cache, resource, stored, sinks } = fixture();
  await start().complete;
  await cache.catchUp();
  const entry = cache.get(resource('namespaces').stored, 'platform-node-lease');
  if (entry === undefined) throw new Error('the cache lacks the namespace');
  store.remove('/registry/namespaces/platform-node-lease');
  await cache.catchUp();
  const change = { revision: store.currentRevision, key: entry.key, current: undefined, previous: entry, frames: new Map() };
  for (const sink of sinks) sink.event('DELETED', entry, change);
  await flushPromises(5);
  expect(await stored('namespaces', 'platform-node-lease')).toBeDefined();
});

it('system namespaces reconciler recreates a deleted namespace within a minute without an event', async () => {
  const { store, cache, clock, stored } = fixture();
  await start().complete;
  store.remove('/registry/namespaces/default');
  await cache.catchUp();
  await clock.advanceAsync(60_000);
  await flushPromises(5);
  expect(await stored('namespaces', 'default')).toBeDefined();
});

it('system namespaces reconciler reports each namespace that it cannot create, and retries after a second', async () => {
  const { store, clock, failures } = fixture();
  store.failure = new StoreError('unavailable', 'x');
  const reconciler = start();
  await flushPromises(5);
  expect(failures).toHaveLength(4);
  store.failure = undefined;
  await clock.advanceAsync(1_000);
  await reconciler.complete;
});

it('system namespaces reconciler closes its watch and timers when it stops', async () => {
  const { clock, closeWatch } = fixture();
  const reconciler = start();
  await reconciler.complete;
  reconciler.stop();
  expect(closeWatch).toHaveBeenCalledTimes(1);
  expect(clock.pending).toBe(0);
});
