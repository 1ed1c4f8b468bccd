/** What LiveObjects finds while the objects of its cache change, and while there is no cache. */
import { silentLogger } from '../../../shared/runtime/logger';
import { systemRandom } from '../../../shared/runtime/random';
import { ManualClock } from '../../../test/support/clock/manual-clock';
import { MemoryStore } from '../../../test/support/store/memory-store';
import { stopAfterTest } from '../../../test/support/use-resource';
import { openCache, type OpenedCache } from '../../cache/sync/open-cache';
import { encodeStoredValue } from '../../cache/store/stored-value';
import { StoreError } from '../../storage/store';
import { buildResources } from '../resources';
import { createLiveObjects } from './live-objects';

const pods = buildResources().require('pods');
const key = `/registry/${pods.stored.segment}/ns/p`;

const closeAfterTest = stopAfterTest((cache: OpenedCache) => cache.close());

/** Opens a cache of Pods, which starts to load. */
function createFixture() {
  const store = new MemoryStore();
  const clock = new ManualClock();
  const options = { store, prefix: '/registry', types: [pods.stored], clock, random: systemRandom, logger: silentLogger };
  const cache = openCache({ ...options, checkMs: 0, compactionMs: 0 });
  closeAfterTest(cache);
  return { store, cache, liveObjects: createLiveObjects({ cache, clock }, { pods }) };
}

/** Stores the Pod `p` of the namespace `ns`. */
function put(store: MemoryStore, metadata: object): void {
  const head = '{"metadata":{';
  const body = `${head}${JSON.stringify(metadata).slice(1)}}`;
  store.put(key, encodeStoredValue({ body, versionOffset: head.length, labels: undefined, fields: undefined, isDialectSensitive: false }));
}

describe('LiveObjects', () => {
  it('finds and reads the newest state of an object', async () => {
    const { store, cache, liveObjects } = createFixture();
    await cache.whenReady();
    put(store, { uid: 'a' });
    expect(liveObjects.find('pods', 'ns', 'p')).toEqual({ uid: 'a', deletionTime: undefined });
    put(store, { uid: 'b', deletionTimestamp: '2026-01-02T03:04:05Z' });
    expect(liveObjects.find('pods', 'ns', 'p')).toEqual({ uid: 'b', deletionTime: Date.UTC(2026, 0, 2, 3, 4, 5) });
    expect(liveObjects.read('pods', 'ns', 'p')).toMatchObject({ metadata: { uid: 'b' } });
  });

  it('parses an unchanged object once', async () => {
    const { store, cache, liveObjects } = createFixture();
    await cache.whenReady();
    put(store, { uid: 'a' });
    expect(liveObjects.find('pods', 'ns', 'p')).toBe(liveObjects.find('pods', 'ns', 'p'));
  });

  it('finds nothing before an object is created and after it is deleted', async () => {
    const { store, cache, liveObjects } = createFixture();
    await cache.whenReady();
    expect(liveObjects.find('pods', 'ns', 'p')).toBeUndefined();
    put(store, { uid: 'a' });
    store.remove(key);
    expect(liveObjects.find('pods', 'ns', 'p')).toBeUndefined();
    expect(liveObjects.read('pods', 'ns', 'p')).toBeUndefined();
  });

  it('fails with 429 while the cache is loading', async () => {
    const { cache, liveObjects } = createFixture();
    await expect(liveObjects.waitUntilCurrent()).rejects.toMatchObject({ code: 429 });
    await cache.whenReady();
    await expect(liveObjects.waitUntilCurrent()).resolves.toBeUndefined();
  });

  it('fails with 504 when the store is not available', async () => {
    const { store, cache, liveObjects } = createFixture();
    await cache.whenReady();
    store.failure = new StoreError('unavailable', 'gone');
    await expect(liveObjects.waitUntilCurrent()).rejects.toMatchObject({ code: 504 });
  });
});
