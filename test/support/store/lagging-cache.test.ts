import { configMaps, keyOf, storePrefix, putObject, ChangeRecorder, storedTypes } from './cache-fixture';
import { MemoryStore } from './memory-store';
import { LaggingCache } from './lagging-cache';

let store: MemoryStore;
let cache: LaggingCache;

beforeEach(async () => {
  store = new MemoryStore();
  await putObject(store, configMaps, 'a/one');
  cache = await LaggingCache.open(store, storePrefix, storedTypes);
});

afterEach(() => cache.close());

it('LaggingCache returns only known objects until it catches up', async () => {
  const revision = await putObject(store, configMaps, 'a/two');
  expect([...cache.snapshot(configMaps).range()].map(({ key }) => key)).toEqual(['a/one']);
  expect(await cache.waitForRevision(revision)).toBe(false);
  expect((await cache.readFromStore(configMaps, 'a/two')).entry).toMatchObject({ key: 'a/two', revision });
  await cache.catchUp();
  expect(cache.get(configMaps, 'a/two')).toMatchObject({ revision });
  expect([cache.revision, await cache.waitForRevision(revision)]).toEqual([revision, true]);
});

it('LaggingCache reaches the newest revision in waitUntilFresh unless it is stuck', async () => {
  const revision = store.remove(keyOf(configMaps, 'a/one'));
  cache.isStuck = true;
  await expect(cache.waitUntilFresh()).rejects.toMatchObject({ failure: 'deadline' });
  expect(cache.get(configMaps, 'a/one')).toBeDefined();
  cache.isStuck = false;
  expect([await cache.waitUntilFresh(), cache.revision, cache.lookups]).toEqual([revision, revision, 2]);
  expect(cache.get(configMaps, 'a/one')).toBeUndefined();
});

it('LaggingCache delivers events to watches when it catches up, and keeps earlier states', async () => {
  const recorder = new ChangeRecorder();
  const before = cache.revision;
  const start = { type: 'after', revision: before } as const;
  cache.watch(configMaps, { scope: {}, start, bookmarks: false, markEndOfInitialEvents: false }, recorder);
  const revision = await putObject(store, configMaps, 'a/two');
  expect(recorder.lines).toEqual([]);
  await cache.catchUp();
  expect(recorder.lines).toEqual([`ADDED a/two@${revision}`]);
  expect((await cache.snapshotAt(configMaps, before, { deadline: Infinity })).size).toBe(1);
});
