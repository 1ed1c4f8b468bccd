import { silentLogger } from '../../../shared/runtime/logger';
import { systemRandom } from '../../../shared/runtime/random';
import { ManualClock } from '../../../test/support/clock/manual-clock';
import { MemoryStore } from '../../../test/support/store/memory-store';
import { openCache, type OpenedCache } from '../../cache/sync/open-cache';
import { encodeStoredValue } from '../../cache/store/stored-value';
import { StoreError } from '../../storage/store';
import { buildResources } from '../resources';
import { createLiveObjects, type LiveObjects } from './live-objects';

const pods = buildResources().require('pods');
const key = `/registry/${pods.stored.segment}/ns/p`;

let store: MemoryStore;
let cache: OpenedCache;
let live: LiveObjects<'pods'>;

/** Starts loading; returns before it completes. */
function open(): void {
  store = new MemoryStore();
  const clock = new ManualClock();
  const options = { store, prefix: '/registry', types: [pods.stored], clock, random: systemRandom, logger: silentLogger };
  cache = openCache({ ...options, checkMs: 0, compactionMs: 0 });
  live = createLiveObjects({ cache, clock }, { pods });
}

afterEach(() => cache.close());

function put(metadata: object): void {
  const head = '{"metadata":{';
  const body = `${head}${JSON.stringify(metadata).slice(1)}}`;
  store.put(key, encodeStoredValue({ body, versionOffset: head.length, labels: undefined, fields: undefined, isDialectSensitive: false }));
}

it('LiveObjects returns the newest object, and undefined when it is deleted', async () => {
  open();
  await cache.whenReady();
  expect(live.find('pods', 'ns', 'p')).toBeUndefined();
  put({ uid: 'a' });
  expect(live.find('pods', 'ns', 'p')).toEqual({ uid: 'a', deletionTime: undefined });
  const known = live.find('pods', 'ns', 'p');
  expect(live.find('pods', 'ns', 'p')).toBe(known);
  put({ uid: 'b', deletionTimestamp: '2026-01-02T03:04:05Z' });
  expect(live.find('pods', 'ns', 'p')).toEqual({ uid: 'b', deletionTime: Date.UTC(2026, 0, 2, 3, 4, 5) });
  expect(live.read('pods', 'ns', 'p')).toMatchObject({ metadata: { uid: 'b' } });
  store.remove(key);
  expect(live.find('pods', 'ns', 'p')).toBeUndefined();
  expect(live.read('pods', 'ns', 'p')).toBeUndefined();
});

it('LiveObjects fails with 429 while the cache is loading and with 504 when the store does not respond', async () => {
  open();
  await expect(live.waitUntilCurrent()).rejects.toMatchObject({ code: 429 });
  await cache.whenReady();
  await expect(live.waitUntilCurrent()).resolves.toBeUndefined();
  store.failure = new StoreError('unavailable', 'gone');
  await expect(live.waitUntilCurrent()).rejects.toMatchObject({ code: 504 });
});
