import { ManualClock } from '../../test/support/clock/manual-clock';
import { MemoryStore } from '../../test/support/store/memory-store';
import { DATA_FORMAT, DATA_FORMAT_VERSION, RESTORED_FORMAT_VERSION } from '../storage/format-marker';
import { shiftStoreByMarker } from '../storage/shifted-store';
import type { Store } from '../storage/store';
import { claimPrefix, ForeignDataError, RestoreInProgressError } from './claim-prefix';

const MARKER_KEY = '/registry/platform-format';

const clock = new ManualClock();
const claim = (store: Store): Promise<void> => claimPrefix({ store, prefix: '/registry', naming: 'platform', clock, deadline: 10_000 });

/** A store with one key. */
function storeWith(key: string, value: string): MemoryStore {
  const store = new MemoryStore();
  store.put(key, Buffer.from(value));
  return store;
}

const storeWithMarker = (marker: object): MemoryStore => storeWith(MARKER_KEY, JSON.stringify(marker));

/** How often the marker was written; `undefined` without a marker. */
const markerVersion = async (store: Store): Promise<number | undefined> => (await store.get(MARKER_KEY)).kv?.version;

it('claimPrefix writes the marker of an empty prefix once and accepts it afterwards', async () => {
  const store = new MemoryStore();
  await claim(store);
  const { kv } = await store.get(MARKER_KEY);
  expect(JSON.parse(String(kv?.value))).toEqual({ format: DATA_FORMAT, version: DATA_FORMAT_VERSION, naming: 'platform' });
  store.put('/registry/configmaps/a/b', Buffer.from('x'));
  await claim(store);
  expect(await markerVersion(store)).toBe(1);
});

it('claimPrefix succeeds for several replicas that start concurrently', async () => {
  const store = new MemoryStore();
  await Promise.all([claim(store), claim(store), claim(store)]);
  expect(await markerVersion(store)).toBe(1);
});

it.each(['/other/x', '/registry2/x'])('claimPrefix ignores the key %s outside the prefix', async (key) => {
  const store = storeWith(key, 'x');
  await claim(store);
  expect(await markerVersion(store)).toBe(1);
});

it.each<{ readonly data: string; readonly store: () => MemoryStore; readonly message: RegExp }>([
  {
    data: 'data of another program',
    store: () => storeWith('/registry/pods/default/x', 'k8s'),
    message: /\/registry\/pods\/default\/x/,
  },
  {
    data: 'a marker of another program',
    store: () => storeWithMarker({ format: 'other', version: 1, naming: 'platform' }),
    message: /was not written by this server/,
  },
  { data: 'a marker that is not JSON', store: () => storeWith(MARKER_KEY, '{'), message: /was not written by this server/ },
  {
    data: 'data of a newer version',
    store: () => storeWithMarker({ format: DATA_FORMAT, version: RESTORED_FORMAT_VERSION + 1, naming: 'platform' }),
    message: /newer server/,
  },
  {
    data: 'data in the other spelling',
    store: () => storeWithMarker({ format: DATA_FORMAT, version: DATA_FORMAT_VERSION, naming: 'kubernetes' }),
    message: /--naming=kubernetes/,
  },
])('claimPrefix rejects $data as foreign, and writes nothing', async ({ store: openStore, message }) => {
  const store = openStore();
  const revision = store.currentRevision;
  await expect(claim(store)).rejects.toThrow(ForeignDataError);
  await expect(claim(store)).rejects.toThrow(message);
  expect(store.currentRevision).toBe(revision);
});

it.each([
  ['has not finished', { restoring: 'a.backup' }, /restoring a\.backup has not finished/],
  ['has finished since the store was opened without a shift', { firstRevision: 100 }, /start it again/],
])('claimPrefix rejects data whose restore %s', async (_title, members, message) => {
  const store = storeWithMarker({ format: DATA_FORMAT, version: RESTORED_FORMAT_VERSION, naming: 'platform', ...members });
  const revision = store.currentRevision;
  await expect(claim(store)).rejects.toThrow(RestoreInProgressError);
  await expect(claim(store)).rejects.toThrow(message);
  expect(store.currentRevision).toBe(revision);
});

it('claimPrefix accepts restored data when the store shifts its revisions to the first one of the marker', async () => {
  const store = storeWithMarker({ format: DATA_FORMAT, version: RESTORED_FORMAT_VERSION, naming: 'platform', firstRevision: 100 });
  const shiftedStore = await shiftStoreByMarker(store, '/registry');
  await claim(shiftedStore);
  expect((await shiftedStore.get(MARKER_KEY)).kv?.modRevision).toBe(100);
});
