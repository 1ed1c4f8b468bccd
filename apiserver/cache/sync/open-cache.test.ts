/**
 * The watch cache on an in-memory store: states, unreadable values, and the start. The guarantees of watches are in
 * `../contract`.
 */
import { silentLogger } from '../../../shared/runtime/logger';
import { systemRandom } from '../../../shared/runtime/random';
import { ManualClock, flushPromises } from '../../../test/support/clock/manual-clock';
import { stopAfterTest } from '../../../test/support/use-resource';
import { MemoryStore } from '../../../test/support/store/memory-store';
import {
  configMaps,
  dataOf,
  keyOf,
  nodes,
  storePrefix,
  putObject,
  ChangeRecorder,
  services,
  storedTypes,
  storedValue,
} from '../../../test/support/store/cache-fixture';
import { StoreError } from '../../storage/store';
import { openCache, type CacheOptions, type OpenedCache } from './open-cache';

const closeAfterTest = stopAfterTest((cache: OpenedCache) => cache.close());

/** An empty store, and functions that open a cache on it: `open` waits until the cache is ready. */
function createFixture() {
  const store = new MemoryStore();
  const clock = new ManualClock();
  const startCache = (options: Partial<CacheOptions> = {}): OpenedCache => {
    const dependencies = { store, clock, random: systemRandom, logger: silentLogger };
    const cache = openCache({ ...dependencies, prefix: storePrefix, types: storedTypes, checkMs: 0, compactionMs: 0, ...options });
    return closeAfterTest(cache);
  };
  const open = async (options: Partial<CacheOptions> = {}): Promise<OpenedCache> => {
    const cache = startCache(options);
    await cache.whenReady();
    return cache;
  };
  const fiveSeconds = (): { deadline: number } => ({ deadline: clock.monotonic() + 5000 });
  return { store, clock, startCache, open, fiveSeconds };
}

describe('cache', () => {
  it('returns objects that existed at the start and later ones, with resource versions', async () => {
    const { store, open } = createFixture();
    const first = await putObject(store, configMaps, 'a/one', { data: '1', labels: { app: 'x' } });
    const cache = await open();
    const second = await putObject(store, nodes, 'n1', { data: '2', fields: { 'spec.unschedulable': 'true' } });
    const configMap = cache.get(configMaps, 'a/one');
    const node = cache.get(nodes, 'n1');
    expect(configMap).toMatchObject({ key: 'a/one', revision: first, labels: { app: 'x' }, fields: {} });
    expect(configMap?.bytes.toString()).toBe(`{"metadata":{"name":"x","resourceVersion":"${first}","uid":"u"},"data":"1"}`);
    expect(node).toMatchObject({ revision: second, labels: {}, fields: { 'spec.unschedulable': 'true' } });
    expect(cache.revision).toBe(second);
    expect(cache.get(services, 'a/one')).toBeUndefined();
  });

  it('advances its revision for keys that are not objects, and notifies their listeners', async () => {
    const { store, startCache } = createFixture();
    store.put('/registry/allocations/ips/10.0.0.1', Buffer.from('before'));
    const notifications: string[] = [];
    const cache = startCache();
    cache.addKeyListener('allocations/', {
      onReset: () => undefined,
      onKeyChange: () => {
        throw new Error('a broken listener');
      },
    });
    cache.addKeyListener('allocations/ips/', {
      onReset: () => notifications.push('reset'),
      onKeyChange: (key, bytes, revision) => notifications.push(`${key}=${bytes?.toString() ?? 'deleted'}@${revision}`),
    });
    await cache.whenReady();
    const putRevision = store.put('/registry/allocations/ips/10.0.0.2', Buffer.from('now'));
    store.put('/registry/allocations/ports/80', Buffer.from('elsewhere'));
    const deleteRevision = store.remove('/registry/allocations/ips/10.0.0.1');
    expect(notifications).toEqual([
      'reset',
      'allocations/ips/10.0.0.1=before@2',
      `allocations/ips/10.0.0.2=now@${putRevision}`,
      `allocations/ips/10.0.0.1=deleted@${deleteRevision}`,
    ]);
    expect(cache.revision).toBe(deleteRevision);
  });

  it('shares labels between entries with the same header', async () => {
    const { store, open } = createFixture();
    const cache = await open();
    await putObject(store, configMaps, 'a/one', { labels: { app: 'x' } });
    await putObject(store, configMaps, 'a/two', { labels: { app: 'x' } });
    expect(cache.get(configMaps, 'a/one')?.labels).toBe(cache.get(configMaps, 'a/two')?.labels);
  });

  it('orders by UTF-8 bytes when a key with a surrogate pair is added later, and for such bounds', async () => {
    const { store, open } = createFixture();
    const cache = await open();
    await putObject(store, nodes, 'z\uffee');
    await putObject(store, nodes, 'z');
    const keys = (start?: string): string[] => [...cache.snapshot(nodes).range(start)].map((entry) => entry.key);
    expect(keys('z\u{1f600}')).toEqual([]);
    expect(cache.snapshot(nodes).count('z\u{1f600}')).toBe(0);
    await putObject(store, nodes, 'z\u{1f600}');
    expect(keys()).toEqual(['z', 'z\uffee', 'z\u{1f600}']);
    expect(keys('z\u{1f600}')).toEqual(['z\u{1f600}']);
  });

  it('omits an unreadable value, reports it, and restores the object when it is written again', async () => {
    const { store, open } = createFixture();
    const cache = await open();
    await putObject(store, configMaps, 'a/one');
    const recorder = new ChangeRecorder();
    cache.watch(
      configMaps,
      { scope: {}, start: { type: 'after', revision: cache.revision }, bookmarks: false, markEndOfInitialEvents: false },
      recorder,
    );
    store.put(keyOf(configMaps, 'a/one'), Buffer.from('k8s\0foreign'));
    expect(cache.get(configMaps, 'a/one')).toBeUndefined();
    expect(recorder.ended?.type).toBe('failed');
    expect(cache.problems()).toEqual(['configmaps: 1 stored values cannot be read']);
    expect([...cache.statistics.unreadableValues.values()]).toEqual([1]);
    await putObject(store, configMaps, 'a/one', { data: 'good' });
    expect(dataOf(cache.get(configMaps, 'a/one')!)).toBe('good');
    expect(cache.problems()).toEqual([]);
  });

  it('migrates values of an older table generation', async () => {
    const { store, open } = createFixture();
    const old = storedValue({ data: 'old' });
    // The table generation is at offset 4.
    old.writeUInt16BE(0, 4);
    store.put(keyOf(configMaps, 'a/one'), old);
    const cache = await open({ migrate: (type, stored) => ({ ...stored, header: JSON.stringify({ l: { migrated: type.name } }) }) });
    expect(cache.get(configMaps, 'a/one')?.labels).toEqual({ migrated: 'configmaps' });
    expect(cache.problems()).toEqual([]);
  });

  it('readFromStore reads one key directly from the store', async () => {
    const { store, open, fiveSeconds } = createFixture();
    const cache = await open();
    store.isHeld = true;
    const revision = await putObject(store, configMaps, 'a/one', { data: 'new' });
    expect(cache.get(configMaps, 'a/one')).toBeUndefined();
    const { entry } = await cache.readFromStore(configMaps, 'a/one', fiveSeconds());
    expect(entry).toMatchObject({ key: 'a/one', revision });
    store.failure = new StoreError('unavailable', 'down');
    await expect(cache.readFromStore(configMaps, 'a/one', fiveSeconds())).rejects.toThrow('down');
  });
});

describe('cache at its start', () => {
  it('is not ready before everything is loaded, and retries while the store is down', async () => {
    const { store, clock, startCache } = createFixture();
    await putObject(store, configMaps, 'a/one');
    store.failure = new StoreError('unavailable', 'down');
    const cache = startCache();
    await flushPromises();
    expect(cache.isReady).toBe(false);
    expect(cache.problems()).toEqual(['the state has not been loaded']);
    store.failure = undefined;
    await clock.advanceAsync(2000);
    expect(cache.isReady).toBe(true);
    expect(cache.get(configMaps, 'a/one')).toBeDefined();
  });

  it('loads an earlier state and fills the event window from there', async () => {
    const { store, open } = createFixture();
    for (let i = 0; i < 30; i += 1) await putObject(store, configMaps, `a/${i % 7}`, { data: String(i) });
    const cache = await open({ replayRevisions: 10 });
    expect(cache.statistics.windowEvents).toBe(10);
    expect(cache.snapshot(configMaps).size).toBe(7);
    expect(cache.revision).toBe(store.currentRevision);
  });
});
