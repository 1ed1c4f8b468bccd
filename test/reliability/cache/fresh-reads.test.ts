/**
 * Consistent reads (`waitUntilFresh`) while the stream of the store is silent, held or cut: lookups of the newest
 * revision, progress requests, and errors that make the caller read from the store.
 */
import { StoreError } from '../../../apiserver/storage/store';
import { flushPromises } from '../../support/clock/manual-clock';
import { ChangeRecorder, nodes, putObject } from '../../support/store/cache-fixture';
import type { MemoryStore } from '../../support/store/memory-store';
import { useCaches } from './use-caches';

const openFixture = useCaches();

/** Value and error of a promise; both `undefined` while it is pending. */
function observePromise<T>(promise: Promise<T>): { readonly value: () => T | undefined; readonly error: () => unknown } {
  let result: T | undefined;
  let failure: unknown;
  promise.then(
    (resolved) => {
      result = resolved;
    },
    (error: unknown) => {
      failure = error;
    },
  );
  return { value: () => result, error: () => failure };
}

describe('consistent reads', () => {
  it('share one lookup in flight and one queued, so that none uses a lookup that started before it', async () => {
    const { store, cache, deadlineIn } = await openFixture();
    let openGate: () => void = () => undefined;
    store.lookupGate = new Promise((resolve) => {
      openGate = resolve;
    });
    const before = store.calls.revision;
    const earlier = Array.from({ length: 3 }, () => cache.waitUntilFresh(deadlineIn(5000)));
    await flushPromises();
    const later = Array.from({ length: 100 }, () => cache.waitUntilFresh(deadlineIn(5000)));
    await flushPromises();
    expect(store.calls.revision - before).toBe(1);
    const written = await putObject(store, nodes, 'n');
    openGate();
    store.lookupGate = undefined;
    await Promise.all(earlier);
    const laterRevisions = await Promise.all(later);
    expect(store.calls.revision - before).toBe(2);
    expect(store.maxLookupsInFlight).toBe(1);
    expect(laterRevisions.filter((revision) => revision < written)).toEqual([]);
  });

  it('request progress from a silent stream after 250 ms', async () => {
    const { store, clock, cache, deadlineIn } = await openFixture();
    store.currentRevision += 1;
    const read = observePromise(cache.waitUntilFresh(deadlineIn(5000)));
    await clock.advanceAsync(249);
    expect(cache.statistics.progressRequests).toBe(0);
    expect(read.value()).toBeUndefined();
    await clock.advanceAsync(2);
    expect(cache.statistics.progressRequests).toBe(1);
    expect(read.value()).toBe(store.currentRevision);
  });

  it('write the tick key at most once a second when the store does not report progress', async () => {
    const { store, clock, cache, deadlineIn } = await openFixture();
    store.supportsProgress = false;
    store.currentRevision += 5;
    const reads = Array.from({ length: 20 }, () => observePromise(cache.waitUntilFresh(deadlineIn(5000))));
    await clock.advanceAsync(260);
    // The write of the tick key is the revision after the awaited one.
    expect(reads.every((read) => read.value() === store.currentRevision - 1)).toBe(true);
    expect(cache.statistics.ticks).toBe(1);
    expect((await store.get('/registry/tick')).kv?.version).toBe(1);
    store.currentRevision += 5;
    const read = observePromise(cache.waitUntilFresh(deadlineIn(5000)));
    await clock.advanceAsync(600);
    expect(cache.statistics.ticks).toBe(1);
    await clock.advanceAsync(600);
    expect(cache.statistics.ticks).toBe(2);
    expect(read.value()).toBeDefined();
  });

  it('reopen a stream that is silent for a second', async () => {
    const { store, clock, cache, deadlineIn } = await openFixture();
    store.isHeld = true;
    const revision = await putObject(store, nodes, 'n');
    const read = observePromise(cache.waitUntilFresh(deadlineIn(5000)));
    await clock.advanceAsync(999);
    expect(store.reopenCount).toBe(0);
    await clock.advanceAsync(300);
    expect(store.reopenCount).toBe(1);
    expect(read.value()).toBe(revision);
    expect(cache.get(nodes, 'n')?.revision).toBe(revision);
  });

  /** A write that the stream never delivers, also when it is reopened. */
  async function putUndelivered(store: MemoryStore): Promise<void> {
    store.isHeld = true;
    store.reopenReleases = false;
    await putObject(store, nodes, 'n');
  }

  it('fail after 3 s when the caller would wait longer, which is counted as a fallback to the store', async () => {
    const { store, clock, cache, deadlineIn } = await openFixture();
    await putUndelivered(store);
    const read = observePromise(cache.waitUntilFresh(deadlineIn(60_000)));
    await clock.advanceAsync(2999);
    expect(read.error()).toBeUndefined();
    await clock.advanceAsync(2);
    expect(read.error()).toMatchObject({ failure: 'deadline' });
    expect(cache.statistics.consistentReadFallbacks).toBe(1);
  });

  it('fail at the deadline of the caller, which is counted as a fallback to the store', async () => {
    const { store, clock, cache, deadlineIn } = await openFixture();
    await putUndelivered(store);
    const read = observePromise(cache.waitUntilFresh(deadlineIn(400)));
    await clock.advanceAsync(401);
    expect(read.error()).toMatchObject({ failure: 'deadline' });
    expect(cache.statistics.consistentReadFallbacks).toBe(1);
  });
});

describe('a cache whose store is unreachable', () => {
  function cutOff(store: MemoryStore): void {
    store.isCut = true;
    store.failure = new StoreError('unavailable', 'no connection');
    store.deliver();
  }

  function reconnect(store: MemoryStore): void {
    store.isCut = false;
    store.failure = undefined;
  }

  it('rejects consistent reads', async () => {
    const { store, cache, deadlineIn } = await openFixture();
    cutOff(store);
    await expect(cache.waitUntilFresh(deadlineIn(5000))).rejects.toThrow('no connection');
  });

  it('returns the objects that it has', async () => {
    const { store, cache } = await openFixture();
    await putObject(store, nodes, 'n');
    cutOff(store);
    expect(cache.get(nodes, 'n')).toBeDefined();
  });

  it('reports a problem until the stream is back', async () => {
    const { store, cache } = await openFixture();
    cutOff(store);
    expect(cache.problems()).toEqual(['the stream to the store is disconnected']);
    reconnect(store);
    await putObject(store, nodes, 'n', { data: 'back' });
    expect(cache.problems()).toEqual([]);
  });

  it('keeps watches open, which get the changes when the stream is back', async () => {
    const { store, cache, watchFromNow } = await openFixture();
    await putObject(store, nodes, 'n');
    const recorder = new ChangeRecorder();
    cache.watch(nodes, watchFromNow(), recorder);
    cutOff(store);
    reconnect(store);
    await putObject(store, nodes, 'n', { data: 'back' });
    expect(recorder.lines).toEqual([`MODIFIED n@${store.currentRevision}`]);
  });
});

describe('reads at a revision', () => {
  it('include a revision that is known to be stored before the stream delivers it', async () => {
    const { store, cache, deadlineIn } = await openFixture();
    await putObject(store, nodes, 'old');
    await cache.waitUntilFresh(deadlineIn(5000));
    store.isHeld = true;
    store.reopenReleases = false;
    const revision = await putObject(store, nodes, 'new');
    const waiting = observePromise(cache.snapshotAt(nodes, revision, deadlineIn(5000)));
    const snapshot = await cache.snapshotAt(nodes, revision, { ...deadlineIn(5000), isInStore: true });
    expect([...snapshot.range()].map(({ key }) => key)).toEqual(['new', 'old']);
    expect(snapshot.revision).toBe(revision);
    expect(waiting.value()).toBeUndefined();
  });

  it('send no progress request while they wait for a future revision', async () => {
    const { clock, cache, deadlineIn } = await openFixture();
    const waiting = cache.waitForRevision(cache.revision + 1000, deadlineIn(3000));
    await clock.advanceAsync(3000);
    expect(await waiting).toBe(false);
    expect(cache.statistics).toMatchObject({ ticks: 0, progressRequests: 0, streamReopens: 0 });
  });
});
