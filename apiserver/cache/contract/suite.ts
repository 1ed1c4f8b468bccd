/**
 * The contract of the cache, independent of the store: guarantees of watches over random histories, reads of current and
 * past states, compaction, custom resources and the consistency check. cache.test.ts runs it with every kind of store.
 */
import fc from 'fast-check';
import type { OpenedStore } from '../../../test/support/store/open-stores';
import type { Snapshot, WatchRequest } from '../cache';
import { openCache, type CacheOptions, type OpenedCache } from '../sync/open-cache';
import { StoreError, type Revision, type Store } from '../../storage/store';
import { stopAfterTest, useForEachTest, useResource } from '../../../test/support/use-resource';
import { systemClock } from '../../../shared/runtime/clock';
import { silentLogger } from '../../../shared/runtime/logger';
import { systemRandom } from '../../../shared/runtime/random';
import {
  configMaps,
  dataOf,
  gadgets,
  nodes,
  storePrefix,
  putObject,
  ChangeRecorder,
  removeObject,
  services,
  storedTypes,
  widgets,
} from '../../../test/support/store/cache-fixture';
import { guarantees } from './guarantees';
import { histories } from './history';
import { recordHistory, type Recording } from './recording';

const fiveSeconds = (): { deadline: number } => ({ deadline: systemClock.monotonic() + 5000 });

/** A watch of all objects from this revision on. */
const after = (revision: Revision): WatchRequest => ({
  scope: {},
  start: { type: 'after', revision },
  bookmarks: false,
  markEndOfInitialEvents: false,
});

/** A cache without periodic checks and compactions, once it is ready. */
async function openReadyCache(store: Store, options: Partial<CacheOptions>): Promise<OpenedCache> {
  const dependencies = { store, clock: systemClock, random: systemRandom, logger: silentLogger };
  const cache = openCache({ ...dependencies, prefix: storePrefix, types: storedTypes, checkMs: 0, compactionMs: 0, ...options });
  await cache.whenReady();
  return cache;
}

/** The guarantees of watches over random histories, each on a store of its own. */
function describeWatchGuarantees(open: () => Promise<OpenedStore>, historyRuns: number): void {
  async function recordHistories(options: Partial<CacheOptions>): Promise<readonly Recording[]> {
    const recordings: Recording[] = [];
    for (const steps of fc.sample(histories, { numRuns: historyRuns, seed: 42 })) {
      const { store, dispose } = await open();
      const cache = await openReadyCache(store, options);
      recordings.push(...(await recordHistory(store, cache, steps)));
      if (options.windowBytes === 0) expect(cache.statistics.windowEvents).toBe(0);
      await cache.close();
      await dispose();
    }
    return recordings;
  }

  describe.each<[string, Partial<CacheOptions>]>([
    ['from the window', {}],
    ['from a replay of the store, with an empty window', { windowBytes: 0 }],
  ])('watch guarantees, resuming %s', (_name, options) => {
    // Each history runs once; every guarantee is then checked against all recordings.
    const recordings = useResource(() => recordHistories(options), undefined, 60_000);

    it.each(Object.entries(guarantees))('watches satisfy %s', (_guarantee, isSatisfied) => {
      expect(recordings().length).toBeGreaterThan(historyRuns);
      expect(recordings().filter((recording) => !isSatisfied(recording))).toEqual([]);
    });
  });
}

/** `open` creates an empty store; `historyRuns` is the number of random histories, each on a store of its own. */
export function describeCache(open: () => Promise<OpenedStore>, { historyRuns }: { readonly historyRuns: number }): void {
  describeWatchGuarantees(open, historyRuns);

  const opened = useForEachTest(open, ({ dispose }) => dispose());
  const closeAfterTest = stopAfterTest((cache: OpenedCache) => cache.close());

  /** Opens a cache on the store of the test. */
  const start = async (options: Partial<CacheOptions> = {}): Promise<OpenedCache> =>
    closeAfterTest(await openReadyCache(opened().store, options));

  it('waitUntilFresh makes every earlier write visible', async () => {
    const { store } = opened();
    const cache = await start();
    const otherCache = await start();
    for (let i = 0; i < 50; i += 1) {
      const revision = await putObject(store, configMaps, 'a/one', { data: String(i) });
      expect(await otherCache.waitUntilFresh(fiveSeconds())).toBeGreaterThanOrEqual(revision);
      expect(dataOf(otherCache.get(configMaps, 'a/one')!)).toBe(String(i));
    }
    await cache.waitUntilFresh(fiveSeconds());
    expect(dataOf(cache.get(configMaps, 'a/one')!)).toBe('49');
  });

  it('becomes ready on an empty, a filled and a compacted store', async () => {
    const { store } = opened();
    expect((await start()).snapshot(configMaps).size).toBe(0);
    for (let i = 0; i < 20; i += 1) await putObject(store, configMaps, `a/${i % 5}`, { data: String(i) });
    expect((await start()).snapshot(configMaps).size).toBe(5);
    await store.compact(await store.revision());
    const lateCache = await start();
    expect([...lateCache.snapshot(configMaps).range()].map(dataOf)).toEqual(['15', '16', '17', '18', '19']);
  });

  it('returns the same past states from memory and from the store', async () => {
    const { store } = opened();
    const withWindow = await start();
    const withoutWindow = await start({ windowBytes: 0 });
    /** The keys after each write. */
    const states: { readonly revision: Revision; readonly keys: string[] }[] = [];
    const present = new Set<string>();
    // Puts and deletes eleven keys in two namespaces, in a mixed order.
    for (let i = 0; i < 40; i += 1) {
      const key = `${i % 3 === 0 ? 'b' : 'a'}/${(i * 7) % 11}`;
      const isDeletion = present.has(key) && i % 2 === 0;
      const revision = isDeletion ? await removeObject(store, configMaps, key) : await putObject(store, configMaps, key);
      if (isDeletion) present.delete(key);
      else present.add(key);
      states.push({ revision, keys: [...present].sort() });
    }
    for (const { revision, keys } of states) {
      for (const cache of [withWindow, withoutWindow]) {
        const snapshot = await cache.snapshotAt(configMaps, revision, fiveSeconds());
        const inA = keys.filter((key) => key.startsWith('a/'));
        expect(snapshot.revision).toBe(revision);
        expect([...snapshot.range()].map((entry) => entry.key)).toEqual(keys);
        expect([...snapshot.range('a/', 'a0')].map((entry) => entry.key)).toEqual(inA);
        expect(snapshot.size).toBe(keys.length);
        expect(snapshot.count()).toBe(keys.length);
        expect(snapshot.count('a/', 'a0')).toBe(inA.length);
        expect(snapshot.get(keys[0] ?? '')?.key).toBe(keys[0]);
        expect(snapshot.get('a/none')).toBeUndefined();
      }
    }
    expect(withWindow.statistics.storeSnapshots).toBe(0);
    expect(withoutWindow.statistics.storeSnapshots).toBeGreaterThan(0);
  });

  it('reads a part of a past state from the store in pages', async () => {
    const { store } = opened();
    for (let i = 0; i < 10; i += 1) await putObject(store, configMaps, `a/${i}`);
    const revision = await putObject(store, configMaps, 'b/0');
    const cache = await start({ windowBytes: 0 });
    await putObject(store, configMaps, 'a/5', { data: 'newer' });
    const allKeys: string[] = [];
    let pageStart = 'a/';
    for (;;) {
      const page: Snapshot = await cache.snapshotAt(configMaps, revision, { ...fiveSeconds(), start: pageStart, end: 'a0', limit: 4 });
      const keys = [...page.range(pageStart, 'a0')].map((entry) => entry.key);
      expect(page.count(pageStart, 'a0')).toBe(10 - allKeys.length);
      allKeys.push(...keys);
      if (page.unknownFrom === undefined) break;
      pageStart = page.unknownFrom;
    }
    expect(allKeys).toEqual(Array.from({ length: 10 }, (_, i) => `a/${i}`));
  });

  it('rejects compacted and future revisions', async () => {
    const { store } = opened();
    const cache = await start();
    const old = await putObject(store, configMaps, 'a/one');
    for (let i = 0; i < 5; i += 1) await putObject(store, configMaps, 'a/one', { data: String(i) });
    await cache.waitUntilFresh(fiveSeconds());
    await cache.runCompactionRound();
    await putObject(store, configMaps, 'a/one', { data: 'newest' });
    await cache.runCompactionRound();
    await cache.waitUntilFresh(fiveSeconds());
    expect(cache.compactedRevision).toBeGreaterThan(old);
    await expect(cache.snapshotAt(configMaps, old, fiveSeconds())).rejects.toMatchObject({
      failure: 'compacted',
      compactRevision: cache.compactedRevision,
    });
    const soonOver = { deadline: systemClock.monotonic() + 20 };
    await expect(cache.snapshotAt(configMaps, cache.revision + 100, soonOver)).rejects.toMatchObject({ failure: 'future-revision' });
    await expect(cache.snapshotAt(configMaps, cache.revision + 100, soonOver)).rejects.toBeInstanceOf(StoreError);
  });

  it('ends a watch from a compacted revision as expired, on every replica, with both revisions', async () => {
    const { store } = opened();
    const cache = await start();
    const otherCache = await start();
    const old = await putObject(store, configMaps, 'a/one');
    await putObject(store, configMaps, 'a/two');
    await cache.runCompactionRound();
    await putObject(store, configMaps, 'a/three');
    await cache.runCompactionRound();
    for (const replica of [cache, otherCache]) {
      await replica.waitUntilFresh(fiveSeconds());
      const recorder = new ChangeRecorder();
      replica.watch(configMaps, after(old), recorder);
      await recorder.until(({ ended }) => ended !== undefined);
      expect(recorder.ended).toEqual({ type: 'expired', requested: old, oldest: replica.compactedRevision });
      const resumed = new ChangeRecorder();
      replica.watch(configMaps, after(replica.compactedRevision), resumed);
      await resumed.until(({ events }) => events.length === 1);
      expect(resumed.events[0]?.key).toBe('a/three');
    }
  });

  it('compacts the store once per interval on one replica, at the revision of its previous round', async () => {
    const { store } = opened();
    const firstCache = await start();
    const secondCache = await start();
    await putObject(store, nodes, 'n');
    const firstRoundRevision = await store.revision();
    await firstCache.runCompactionRound();
    await secondCache.runCompactionRound();
    await putObject(store, nodes, 'n', { data: '2' });
    await firstCache.runCompactionRound();
    await secondCache.runCompactionRound();
    await firstCache.waitUntilFresh(fiveSeconds());
    await secondCache.waitUntilFresh(fiveSeconds());
    expect(firstCache.statistics.compactions).toBe(1);
    expect(secondCache.statistics.compactions).toBe(0);
    expect(firstCache.compactedRevision).toBe(firstRoundRevision);
    expect(secondCache.compactedRevision).toBe(firstRoundRevision);
  });

  it('compacts the store on another replica when the one that did so has stopped', async () => {
    const { store } = opened();
    const firstCache = await start();
    const secondCache = await start();
    for (const round of [1, 2]) {
      await putObject(store, nodes, 'n', { data: String(round) });
      await firstCache.runCompactionRound();
      await secondCache.runCompactionRound();
    }
    await secondCache.waitUntilFresh(fiveSeconds());
    const { compactedRevision } = secondCache;
    await firstCache.close();
    await secondCache.runCompactionRound();
    await secondCache.waitUntilFresh(fiveSeconds());
    expect(secondCache.statistics.compactions).toBe(1);
    expect(secondCache.compactedRevision).toBeGreaterThan(compactedRevision);
  });

  it('recognizes custom resources by their keys, whether they exist at the start or are created later', async () => {
    const { store } = opened();
    await putObject(store, widgets, 'a/first');
    const cache = await start();
    expect(cache.storedTypes()).toContainEqual(widgets);
    expect([...cache.snapshot(widgets).range()].map(({ key }) => key)).toEqual(['a/first']);
    const revision = await putObject(store, gadgets, 'one');
    const recorder = new ChangeRecorder();
    cache.watch(gadgets, after(revision - 1), recorder);
    await putObject(store, gadgets, 'two');
    await recorder.until(({ events }) => events.length === 2);
    expect(recorder.events.map(({ key }) => key)).toEqual(['one', 'two']);
    expect(cache.snapshot(gadgets).size).toBe(2);
    await cache.checkConsistency();
    expect(cache.statistics).toMatchObject({ checks: 1, differences: 0 });
  });

  it('accepts a custom resource with another scope once it has no objects', async () => {
    const { store } = opened();
    const cache = await start();
    const scoped = { ...gadgets, namespaced: true };
    await putObject(store, gadgets, 'one');
    await cache.waitUntilFresh(fiveSeconds());
    expect(() => cache.snapshot(scoped)).toThrow('objects of another scope');
    await removeObject(store, gadgets, 'one');
    await cache.waitUntilFresh(fiveSeconds());
    cache.removeType(gadgets);
    expect(cache.storedTypes()).not.toContainEqual(gadgets);
    const since = cache.snapshot(scoped).revision;
    await putObject(store, scoped, 'a/one');
    const recorder = new ChangeRecorder();
    cache.watch(scoped, after(since), recorder);
    await recorder.until(({ events }) => events.length === 1);
    expect(cache.snapshot(scoped).count('a/', 'a0')).toBe(1);
  });

  it('passes the consistency check when it is correct', async () => {
    const { store } = opened();
    const cache = await start();
    for (let i = 0; i < 15; i += 1) {
      await putObject(store, services, `a/${i}`);
      await putObject(store, nodes, `${i}`);
    }
    await removeObject(store, nodes, '3');
    await cache.waitUntilFresh(fiveSeconds());
    const writeDuringCheck = putObject(store, configMaps, 'a/during');
    await cache.checkConsistency();
    await writeDuringCheck;
    expect(cache.statistics).toMatchObject({ checks: 1, differences: 0, resyncs: 0 });
  });
}
