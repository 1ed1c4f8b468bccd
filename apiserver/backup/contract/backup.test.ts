/**
 * Backup and restore over every kind of store: a restore is complete or fails, and continues at revisions that were
 * never used.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeBackup, encodeBackup } from '../backup-format';
import { discardUnfinished, restore, RestoreTargetError, type RestoreResult } from '../restore';
import { createEmbeddedSource, createEtcdSource, BackupSourceError, type BackupSource } from '../backup-source';
import { encodeFormatMarker, DATA_FORMAT, DATA_FORMAT_VERSION, parseFormatMarker } from '../../storage/format-marker';
import { openEmbeddedStore } from '../../storage/embedded/open';
import { openStoreView } from '../../storage/embedded/store-view';
import { openEtcdStore } from '../../storage/etcd/open';
import { shiftStoreByMarker } from '../../storage/shifted-store';
import { prefixRange, type Store } from '../../storage/store';
import { claimPrefix, RestoreInProgressError } from '../../reconcilers/claim-prefix';
import { systemClock as clock } from '../../../shared/runtime/clock';
import { systemRandom as random } from '../../../shared/runtime/random';
import { describeWithEtcd, startEtcd } from '../../../test/support/external/etcd';
import { MemoryStore } from '../../../test/support/store/memory-store';
import { useForEachTest, useResource } from '../../../test/support/use-resource';

const prefix = '/registry';
const bumpRevision = 1_000_000_000;
/** Time limit for starting a store and filling it; etcd is slow to start. */
const START_TIMEOUT_MS = 60_000;
/** Number of pods that {@link fill} creates. */
const PODS = 700;
/** Number of records in a backup: the pods, a ConfigMap, a Secret, an allocation and a quota guard. */
const RECORDS = PODS + 4;
/** Number of transactions of a restore: one for each record, and the format marker. */
const RESTORE_WRITES = RECORDS + 1;

/** An empty store of one kind. */
interface StoreUnderTest {
  readonly store: Store;
  /** Calls `use` with the current content as a backup source. */
  backUp<T>(use: (source: BackupSource) => Promise<T>): Promise<T>;
  dispose(): Promise<void>;
}

async function openEmbedded(): Promise<StoreUnderTest> {
  const directory = mkdtempSync(join(tmpdir(), 'backup-contract-'));
  const open = (): Promise<Store> => openEmbeddedStore({ directory, clock, random });
  let store = await open();
  const underTest = {
    get store() {
      return store;
    },
    // A view must be opened in another process than the store, so here the store is closed first.
    async backUp<T>(use: (source: BackupSource) => Promise<T>): Promise<T> {
      await store.close();
      const view = await openStoreView(directory);
      try {
        return await use(createEmbeddedSource(view, { prefix, clock }));
      } finally {
        await view.close();
        store = await open();
      }
    },
    async dispose() {
      await store.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
  return underTest;
}

async function openEtcd(): Promise<StoreUnderTest> {
  const server = await startEtcd();
  const store = await openEtcdStore({ endpoints: [server.endpoint], clock, random });
  return {
    store,
    backUp: async (use) => use(await createEtcdSource(store, { prefix, clock })),
    dispose: async () => {
      await store.close();
      await server.dispose();
    },
  };
}

function openMemory(): Promise<StoreUnderTest> {
  const store = new MemoryStore();
  return Promise.resolve({
    store,
    backUp: async <T>(use: (source: BackupSource) => Promise<T>) => use(await createEtcdSource(store, { prefix, clock })),
    dispose: () => store.close(),
  });
}

/** Puts the values under keys relative to the prefix, each in a transaction of its own. */
async function putAll(store: Store, entries: Readonly<Record<string, string>>): Promise<void> {
  for (const [key, value] of Object.entries(entries)) {
    await store.transact({ compare: [], operations: [{ type: 'put', key: `${prefix}/${key}`, value: Buffer.from(value) }] });
  }
}

/** The data of a server that has run for a while. */
async function fill(store: Store): Promise<void> {
  await claimPrefix({ store, prefix, naming: 'platform', clock, deadline: clock.monotonic() + 10_000 });
  await putAll(store, { 'configmaps/a/b': 'one', 'configmaps/a/c': 'two', 'allocations/ips/10.0.0.7': 'svc', 'quota-guards/a': 'guard' });
  await putAll(store, {
    'configmaps/a/b': 'three',
    'secrets/a/s': '\u0001enc\u0000\u00ff',
    compaction: '3',
    tick: '4',
    'replicas/x': 'here',
  });
  for (let index = 0; index < PODS; index++) await putAll(store, { [`pods/n/p${index}`]: `pod ${index} `.repeat(20) });
  await store.transact({ compare: [], operations: [{ type: 'delete', key: `${prefix}/configmaps/a/c` }] });
}

/** The values by key relative to the prefix. */
async function readContents(store: Store): Promise<Map<string, string>> {
  const { kvs } = await store.range(prefixRange(`${prefix}/`));
  return new Map(kvs.map(({ key, value }) => [key.slice(prefix.length + 1), value.toString()]));
}

/** The encoded backup. */
async function encodeSource(source: BackupSource): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of encodeBackup(source.header, source.records(), () => undefined)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* chunksOf(bytes: Buffer): AsyncGenerator<Buffer, void, undefined> {
  await Promise.resolve();
  yield bytes;
}

async function restoreTo(store: Store, bytes: Buffer): Promise<RestoreResult> {
  const { header, records } = await decodeBackup(chunksOf(bytes));
  return restore(header, records(), { store, prefix, clock, name: 'a.backup', bumpRevision, onProgress: () => undefined });
}

/** The two kinds of store of a suite. */
interface RestoredStores {
  readonly createSource: () => Promise<StoreUnderTest>;
  readonly createTarget: () => Promise<StoreUnderTest>;
}

/** Defines the tests of a restore, within a `describe` that names the stores. */
function defineRestoreTests({ createSource, createTarget }: RestoredStores): void {
  const dispose = (store: StoreUnderTest): Promise<void> => store.dispose();
  const source = useResource(createSource, dispose, START_TIMEOUT_MS);
  const target = useForEachTest(createTarget, dispose, START_TIMEOUT_MS);
  /** The backup of the source, and the revision of its content. */
  const backup = useResource(
    async () => {
      await fill(source().store);
      const revision = await source().store.revision();
      return { revision, bytes: await source().backUp(encodeSource) };
    },
    undefined,
    START_TIMEOUT_MS,
  );

  it('restores every key except those of the running servers', async () => {
    const restored = await restoreTo(target().store, backup().bytes);
    const expected = await readContents(source().store);
    for (const key of ['compaction', 'tick', 'replicas/x', 'platform-format']) expected.delete(key);
    const actual = await readContents(target().store);
    const marker = parseFormatMarker(Buffer.from(actual.get('platform-format') ?? ''));
    actual.delete('platform-format');
    expect(actual).toEqual(expected);
    expect(actual.size).toBe(RECORDS);
    expect(restored.records).toBe(RECORDS);
    expect(marker).toMatchObject({ format: DATA_FORMAT, naming: 'platform' });
    await expect(target().store.get(`${prefix}/configmaps/a/c`)).resolves.toMatchObject({ kv: undefined });
  });

  it('continues at higher revisions, and reports the earlier ones as compacted', async () => {
    const { firstRevision } = await restoreTo(target().store, backup().bytes);
    expect(firstRevision).toBe(backup().revision + bumpRevision + RESTORE_WRITES);
    const shifted = await shiftStoreByMarker(target().store, prefix);
    await claimPrefix({ store: shifted, prefix, naming: 'platform', clock, deadline: clock.monotonic() + 10_000 });
    expect(await shifted.revision()).toBe(firstRevision);
    for (const oldRevision of [1, backup().revision, backup().revision + 5_000, firstRevision - 10]) {
      await expect(shifted.get(`${prefix}/configmaps/a/b`, { revision: oldRevision })).rejects.toMatchObject({ failure: 'compacted' });
      const compactedRevision = await new Promise<number>((resolve) => {
        const ignore = (): void => undefined;
        shifted.watch(prefixRange(`${prefix}/`), oldRevision, { events: ignore, progress: ignore, compacted: resolve, connection: ignore });
      });
      expect(compactedRevision).toBeGreaterThan(backup().revision + bumpRevision);
    }
    const { kvs } = await shifted.range(prefixRange(`${prefix}/`));
    expect(Math.min(...kvs.map(({ modRevision }) => modRevision))).toBeGreaterThan(backup().revision + bumpRevision);
    await putAll(shifted, { 'configmaps/a/d': 'later' });
    expect((await shifted.get(`${prefix}/configmaps/a/d`)).kv?.modRevision).toBe(firstRevision + 1);
  });

  it('can be backed up and restored again, at even higher revisions', async () => {
    const first = await restoreTo(target().store, backup().bytes);
    const secondBackup = await target().backUp(encodeSource);
    const { header } = await decodeBackup(chunksOf(secondBackup));
    expect(header).toMatchObject({ revision: first.firstRevision, naming: 'platform', prefix });
    const secondTarget = await createTarget();
    try {
      const second = await restoreTo(secondTarget.store, secondBackup);
      expect(second).toEqual({ records: RECORDS, firstRevision: first.firstRevision + bumpRevision + RESTORE_WRITES });
      expect((await readContents(secondTarget.store)).get('secrets/a/s')).toBe('\u0001enc\u0000\u00ff');
    } finally {
      await secondTarget.dispose();
    }
  }, 60_000);

  it('rejects a store that is not empty', async () => {
    await putAll(target().store, { 'pods/a/b': 'x' });
    const revisionBefore = await target().store.revision();
    await expect(restoreTo(target().store, backup().bytes)).rejects.toThrow(/\/registry\/pods\/a\/b/);
    expect(await target().store.revision()).toBe(revisionBefore);
  });

  /** Restores a backup without its last bytes, which contain the end frame and a few records. */
  async function startUnfinishedRestore(): Promise<void> {
    const { bytes } = backup();
    const truncated = bytes.subarray(0, bytes.length - 1_000);
    await expect(restoreTo(target().store, truncated)).rejects.toThrow('is truncated');
  }

  it('leaves data that no server, restore or backup accepts when it does not finish', async () => {
    await startUnfinishedRestore();
    const claim = claimPrefix({ store: target().store, prefix, naming: 'platform', clock, deadline: clock.monotonic() + 10_000 });
    await expect(claim).rejects.toThrow(RestoreInProgressError);
    await expect(restoreTo(target().store, backup().bytes)).rejects.toThrow('--discard-unfinished');
    await expect(target().backUp(encodeSource)).rejects.toThrow(BackupSourceError);
  });

  it('can be repeated after the data of an unfinished one have been discarded', async () => {
    await startUnfinishedRestore();
    // All records but the few at the truncated end.
    expect(await discardUnfinished({ store: target().store, prefix, clock })).toBeGreaterThan(600);
    expect((await readContents(target().store)).size).toBe(0);
    expect((await restoreTo(target().store, backup().bytes)).records).toBe(RECORDS);
  });

  it('is not discarded when it is complete', async () => {
    await restoreTo(target().store, backup().bytes);
    expect(await discardUnfinished({ store: target().store, prefix, clock })).toBe(0);
    expect((await readContents(target().store)).size).toBe(RESTORE_WRITES);
  });

  it('fails when another program writes to the store', async () => {
    const { header, records } = await decodeBackup(chunksOf(backup().bytes));
    async function* withConcurrentWrite(): ReturnType<typeof records> {
      yield* records();
      await putAll(target().store, { 'pods/a/b': 'x' });
    }
    const restoring = restore(header, withConcurrentWrite(), {
      store: target().store,
      prefix,
      clock,
      name: 'x',
      bumpRevision,
      onProgress: () => undefined,
    });
    await expect(restoring).rejects.toThrow(RestoreTargetError);
  });
}

describe('a restore from an in-memory store to another', () => defineRestoreTests({ createSource: openMemory, createTarget: openMemory }));
describe('a restore from an embedded store to an in-memory one', () =>
  defineRestoreTests({ createSource: openEmbedded, createTarget: openMemory }));
describe('a restore from an in-memory store to an embedded one', () =>
  defineRestoreTests({ createSource: openMemory, createTarget: openEmbedded }));
describeWithEtcd('a restore from an embedded store to etcd', () =>
  defineRestoreTests({ createSource: openEmbedded, createTarget: openEtcd }),
);
describeWithEtcd('a restore from etcd to an embedded store', () =>
  defineRestoreTests({ createSource: openEtcd, createTarget: openEmbedded }),
);

describe('a backup', () => {
  /** An in-memory store with 500 pods that have the value `before`. */
  function createFilledStore(): MemoryStore {
    const store = new MemoryStore();
    store.put(`${prefix}/platform-format`, encodeFormatMarker({ format: DATA_FORMAT, version: DATA_FORMAT_VERSION, naming: 'platform' }));
    for (let index = 0; index < 500; index++) store.put(`${prefix}/pods/n/p${index}`, Buffer.from('before'));
    return store;
  }

  it.each([
    ['no data', undefined, 'no data of this program'],
    ['data of another program', Buffer.from('x'), 'no data of this program'],
    ['newer data', encodeFormatMarker({ format: DATA_FORMAT, version: 9, naming: 'platform' }), 'use a newer one'],
  ])('is rejected for a store with %s', async (_title, marker, message) => {
    const store = new MemoryStore();
    if (marker !== undefined) store.put(`${prefix}/platform-format`, marker);
    await expect(createEtcdSource(store, { prefix, clock })).rejects.toThrow(message);
  });

  it('contains one revision regardless of concurrent writes', async () => {
    const store = createFilledStore();
    const source = await createEtcdSource(store, { prefix, clock });
    let count = 0;
    for await (const { value, modRevision } of source.records()) {
      expect(value.toString()).toBe('before');
      expect(modRevision).toBeLessThanOrEqual(source.header.revision);
      // A write to a pod that has not been read, from the last one to the first.
      store.put(`${prefix}/pods/n/p${499 - count++}`, Buffer.from('after'));
    }
    expect(count).toBe(500);
    await expect(source.confirmUnchanged()).rejects.toThrow('was written during the backup');
  });

  it('fails with the reason when its revision is compacted too early', async () => {
    const store = createFilledStore();
    const source = await createEtcdSource(store, { prefix, clock });
    const reading = (async () => {
      for await (const { key } of source.records()) {
        store.put(`${prefix}/${key}`, Buffer.from('after'));
        await store.compact(store.currentRevision);
      }
    })();
    await expect(reading).rejects.toThrow('--etcd-compaction-interval');
  });
});
