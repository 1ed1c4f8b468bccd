import { ManualClock } from '../../test/support/clock/manual-clock';
import { MemoryStore } from '../../test/support/store/memory-store';
import { DATA_FORMAT, DATA_FORMAT_VERSION, RESTORED_FORMAT_VERSION } from '../storage/format-marker';
import { shiftStoreByMarker } from '../storage/shifted-store';
import { claimPrefix, ForeignDataError, RestoreInProgressError } from './claim-prefix';

const clock = new ManualClock();
let store: MemoryStore;
beforeEach(() => {
  store = new MemoryStore();
});

const claim = (naming: 'platform' | 'kubernetes' = 'platform'): Promise<void> =>
  claimPrefix({ store, prefix: '/registry', naming, clock, deadline: 10_000 });
const putMarker = (value: object): void => void store.put('/registry/platform-format', Buffer.from(JSON.stringify(value)));

it('claimPrefix writes the marker of an empty prefix once and accepts it afterwards', async () => {
  await claim();
  const { kv } = await store.get('/registry/platform-format');
  expect(JSON.parse(String(kv?.value))).toEqual({ format: DATA_FORMAT, version: DATA_FORMAT_VERSION, naming: 'platform' });
  store.put('/registry/configmaps/a/b', Buffer.from('x'));
  await claim();
  expect((await store.get('/registry/platform-format')).kv?.version).toBe(1);
});

it('claimPrefix succeeds for several replicas that start concurrently', async () => {
  await Promise.all([claim(), claim(), claim()]);
  expect((await store.get('/registry/platform-format')).kv?.version).toBe(1);
});

it('claimPrefix ignores keys outside the prefix', async () => {
  store.put('/other/x', Buffer.from('x'));
  store.put('/registry2/x', Buffer.from('x'));
  await claim();
});

it.each([
  ['data of another program', () => void store.put('/registry/pods/default/x', Buffer.from('k8s')), /\/registry\/pods\/default\/x/],
  ['a marker of another program', () => putMarker({ format: 'other', version: 1, naming: 'platform' }), /was not written by this server/],
  ['a marker that is not JSON', () => void store.put('/registry/platform-format', Buffer.from('{')), /was not written by this server/],
  [
    'data of a newer version',
    () => putMarker({ format: DATA_FORMAT, version: RESTORED_FORMAT_VERSION + 1, naming: 'platform' }),
    /newer server/,
  ],
  [
    'data in the other spelling',
    () => putMarker({ format: DATA_FORMAT, version: DATA_FORMAT_VERSION, naming: 'kubernetes' }),
    /--naming=kubernetes/,
  ],
])('claimPrefix rejects %s as foreign', async (_title, prepare, message) => {
  prepare();
  const revision = store.currentRevision;
  await expect(claim()).rejects.toThrow(ForeignDataError);
  await expect(claim()).rejects.toThrow(message);
  expect(store.currentRevision).toBe(revision);
});

it.each([
  ['has not finished', { restoring: 'a.backup' }, /restoring a\.backup has not finished/],
  ['has finished since the store was opened without a shift', { firstRevision: 100 }, /start it again/],
])('claimPrefix rejects data whose restore %s', async (_title, members, message) => {
  putMarker({ format: DATA_FORMAT, version: RESTORED_FORMAT_VERSION, naming: 'platform', ...members });
  const revision = store.currentRevision;
  await expect(claim()).rejects.toThrow(RestoreInProgressError);
  await expect(claim()).rejects.toThrow(message);
  expect(store.currentRevision).toBe(revision);
});

it('claimPrefix accepts restored data whose revisions are shifted as the marker says', async () => {
  putMarker({ format: DATA_FORMAT, version: RESTORED_FORMAT_VERSION, naming: 'platform', firstRevision: 100 });
  const seen = await shiftStoreByMarker(store, '/registry');
  await claimPrefix({ store: seen, prefix: '/registry', naming: 'platform', clock, deadline: 10_000 });
  expect((await seen.get('/registry/platform-format')).kv?.modRevision).toBe(100);
});
