import { StoreEventRecorder } from '../../test/support/store/store-recorder';
import { MemoryStore } from '../../test/support/store/memory-store';
import { useForEachTest } from '../../test/support/use-resource';
import { encodeFormatMarker, DATA_FORMAT, RESTORED_FORMAT_VERSION } from './format-marker';
import { shiftStoreByMarker, shiftedStore } from './shifted-store';
import { prefixRange, type Store } from './store';

/** Has written `/a`, `/b` and `/a` at the revisions 2, 3 and 4, and is compacted at 4. */
const inner = useForEachTest(async () => {
  const memoryStore = new MemoryStore();
  for (const key of ['/a', '/b', '/a']) memoryStore.put(key, Buffer.from('x'));
  await memoryStore.compact(4);
  return memoryStore;
});
const openShifted = (): Store => shiftedStore(inner(), 1_000);

it('shifted store adds the shift to every revision', async () => {
  const store = openShifted();
  expect(await store.revision()).toBe(1_004);
  expect((await store.get('/a')).kv).toMatchObject({ createRevision: 1_002, modRevision: 1_004, version: 2 });
  expect((await store.range(prefixRange('/'))).kvs.map(({ modRevision }) => modRevision)).toEqual([1_004, 1_003]);
  expect((await store.status()).revision).toBe(1_004);
});

it('shifted store reports compacted revisions and those before the shift as compacted, with the oldest readable one', async () => {
  const store = openShifted();
  for (const revision of [1, 3, 1_000, 1_003]) {
    await expect(store.get('/a', { revision })).rejects.toMatchObject({ failure: 'compacted', compactRevision: 1_004 });
    const recorder = new StoreEventRecorder();
    store.watch(prefixRange('/'), revision, recorder);
    await recorder.until(() => recorder.compactedAt !== undefined);
    expect(recorder.compactedAt).toBe(1_004);
  }
});

it('shifted store does not match a key with a revision that it has only without the shift', async () => {
  const store = openShifted();
  for (const modRevision of [2, 4, 1_001]) {
    const put = { type: 'put', key: '/a', value: Buffer.from('y') } as const;
    const result = await store.transact({ compare: [{ key: '/a', modRevision }], operations: [put] });
    expect(result).toMatchObject({ committed: false, revision: 1_004, current: [{ modRevision: 1_004 }] });
  }
});

it('shifted store compacts nothing at a revision before the shift', async () => {
  const store = openShifted();
  await store.compact(900);
  expect((await store.get('/a', { revision: 1_004 })).kv?.modRevision).toBe(1_004);
});

it('shiftStoreByMarker returns the store itself without a marker', async () => {
  expect(await shiftStoreByMarker(inner(), '/registry')).toBe(inner());
});

const restoredMarker = (firstRevision: number): Buffer =>
  encodeFormatMarker({ format: DATA_FORMAT, version: RESTORED_FORMAT_VERSION, naming: 'platform', firstRevision });

it('shiftStoreByMarker shifts the store so that the marker has the revision that it names', async () => {
  inner().put('/registry/platform-format', restoredMarker(5_000));
  const shifted = await shiftStoreByMarker(inner(), '/registry');
  expect((await shifted.get('/registry/platform-format')).kv?.modRevision).toBe(5_000);
});

it('shiftStoreByMarker shifts nothing when the marker already has a higher revision than it names', async () => {
  inner().put('/registry/platform-format', restoredMarker(3));
  expect(await shiftStoreByMarker(inner(), '/registry')).toBe(inner());
});
