/** LaggingCache over an in-memory store: it sees changes only when the test lets it catch up. */
import { configMaps, keyOf, putObject, ChangeRecorder, storedTypes } from './cache-fixture';
import { MemoryStore } from './memory-store';
import { LaggingCache } from './lagging-cache';

/** A cache that has seen `a/one`, and its store. */
async function openLaggingCache(): Promise<{ readonly store: MemoryStore; readonly cache: LaggingCache }> {
  const store = new MemoryStore();
  await putObject(store, configMaps, 'a/one');
  return { store, cache: await LaggingCache.open(store, storedTypes) };
}

describe('LaggingCache', () => {
  it('returns only known objects until it catches up', async () => {
    const { store, cache } = await openLaggingCache();
    const revision = await putObject(store, configMaps, 'a/two');
    expect([...cache.snapshot(configMaps).range()].map(({ key }) => key)).toEqual(['a/one']);
    expect(await cache.waitForRevision(revision)).toBe(false);
    expect((await cache.readFromStore(configMaps, 'a/two')).entry).toMatchObject({ key: 'a/two', revision });
    await cache.catchUp();
    expect(cache.get(configMaps, 'a/two')).toMatchObject({ revision });
    expect(cache.revision).toBe(revision);
    expect(await cache.waitForRevision(revision)).toBe(true);
    await cache.close();
  });

  it('reaches the newest revision in waitUntilFresh unless it is stuck', async () => {
    const { store, cache } = await openLaggingCache();
    const revision = store.remove(keyOf(configMaps, 'a/one'));
    cache.isStuck = true;
    await expect(cache.waitUntilFresh()).rejects.toMatchObject({ failure: 'deadline' });
    expect(cache.get(configMaps, 'a/one')).toBeDefined();
    cache.isStuck = false;
    expect(await cache.waitUntilFresh()).toBe(revision);
    expect(cache.revision).toBe(revision);
    expect(cache.lookups).toBe(2);
    expect(cache.get(configMaps, 'a/one')).toBeUndefined();
    await cache.close();
  });

  it('delivers events to watches when it catches up, and keeps earlier states', async () => {
    const { store, cache } = await openLaggingCache();
    const recorder = new ChangeRecorder();
    const before = cache.revision;
    const start = { type: 'after', revision: before } as const;
    cache.watch(configMaps, { scope: {}, start, bookmarks: false, markEndOfInitialEvents: false }, recorder);
    const revision = await putObject(store, configMaps, 'a/two');
    expect(recorder.lines).toEqual([]);
    await cache.catchUp();
    expect(recorder.lines).toEqual([`ADDED a/two@${revision}`]);
    expect((await cache.snapshotAt(configMaps, before, { deadline: Infinity })).size).toBe(1);
    await cache.close();
  });
});
