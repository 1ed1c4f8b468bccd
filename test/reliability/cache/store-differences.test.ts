/**
 * How the cache finds and repairs differences from the store, after a gap in the stream and by the consistency checker, and
 * how it compacts the store and closes.
 */
import { StoreError, type Revision } from '../../../apiserver/storage/store';
import { flushPromises } from '../../support/clock/manual-clock';
import {
  ChangeRecorder,
  configMaps,
  dataOf,
  gadgets,
  keyOf,
  nodes,
  putObject,
  removeObject,
  services,
  storedValue,
  widgets,
} from '../../support/store/cache-fixture';
import type { MemoryStore } from '../../support/store/memory-store';
import { useCaches } from './use-caches';

const openFixture = useCaches();

describe('a gap in the stream of the store', () => {
  /** Compacts the store after the changes of `during`, which the cache does not receive. Returns the newest revision. */
  async function disconnectDuring(store: MemoryStore, during: () => Promise<void>): Promise<Revision> {
    store.isCut = true;
    store.deliver();
    await during();
    await store.compact(store.currentRevision);
    store.isCut = false;
    store.deliver();
    await flushPromises();
    return store.currentRevision;
  }

  it('ends only the watches of changed types, and leaves the cache with the state of the store', async () => {
    const { store, cache, watchFromNow } = await openFixture();
    await putObject(store, configMaps, 'a/kept');
    await putObject(store, configMaps, 'a/removed');
    await putObject(store, nodes, 'n');
    const changed = new ChangeRecorder();
    const same = new ChangeRecorder();
    cache.watch(configMaps, watchFromNow(), changed);
    cache.watch(nodes, watchFromNow(), same);
    const requested = cache.revision;
    const revision = await disconnectDuring(store, async () => {
      await removeObject(store, configMaps, 'a/removed');
      await putObject(store, configMaps, 'a/new', { data: 'missed' });
      for (let i = 0; i < 40; i += 1) await putObject(store, configMaps, `b/${i}`);
    });
    expect(changed.ended).toEqual({ type: 'expired', requested, oldest: revision });
    expect(same.ended).toBeUndefined();
    expect(cache.revision).toBe(revision);
    // `a/kept`, `a/new` and the 40 objects in namespace b.
    expect(cache.snapshot(configMaps).size).toBe(42);
    expect(dataOf(cache.get(configMaps, 'a/new')!)).toBe('missed');
    expect(cache.get(configMaps, 'a/removed')).toBeUndefined();
    expect(cache.statistics).toMatchObject({ gaps: 1, resyncs: 1 });
  });

  it('is followed by the delivery of later events to watches that remain and to those that resume', async () => {
    const { store, cache, watchFromNow } = await openFixture();
    await putObject(store, configMaps, 'a/kept');
    await putObject(store, nodes, 'n');
    const remaining = new ChangeRecorder();
    cache.watch(nodes, watchFromNow(), remaining);
    const revision = await disconnectDuring(store, async () => {
      await putObject(store, configMaps, 'a/new');
    });
    await putObject(store, nodes, 'n', { data: '2' });
    expect(remaining.lines).toEqual([`MODIFIED n@${store.currentRevision}`]);
    const resumed = new ChangeRecorder();
    cache.watch(configMaps, watchFromNow({ start: { type: 'after', revision } }), resumed);
    await putObject(store, configMaps, 'a/kept', { data: '2' });
    expect(resumed.lines).toEqual([`MODIFIED a/kept@${store.currentRevision}`]);
  });

  it('hides no custom resource whose first object was created in it', async () => {
    const { store, cache } = await openFixture();
    await disconnectDuring(store, async () => {
      await putObject(store, widgets, 'a/new');
      await putObject(store, gadgets, 'new');
    });
    expect(cache.snapshot(widgets).size).toBe(1);
    expect(cache.get(gadgets, 'new')).toBeDefined();
  });

  it('expires watches that resume from an earlier revision', async () => {
    const { store, cache, watchFromNow } = await openFixture();
    const old = await putObject(store, configMaps, 'a/one');
    const revision = await disconnectDuring(store, async () => {
      await putObject(store, configMaps, 'a/two');
      await putObject(store, configMaps, 'a/two', { data: '2' });
    });
    const recorder = new ChangeRecorder();
    cache.watch(configMaps, watchFromNow({ start: { type: 'after', revision: old } }), recorder);
    await recorder.until(({ ended }) => ended !== undefined);
    expect(recorder.ended).toEqual({ type: 'expired', requested: old, oldest: revision });
  });

  it('resyncs with retries while the store cannot be read, and resets key listeners', async () => {
    const { store, clock, cache } = await openFixture();
    const notifications: string[] = [];
    cache.addKeyListener('allocations/', {
      onReset: () => notifications.push('reset'),
      onKeyChange: (key, bytes) => notifications.push(`${key}=${bytes?.toString() ?? 'deleted'}`),
    });
    store.isCut = true;
    store.deliver();
    store.put('/registry/allocations/ips/10.0.0.9', Buffer.from('earlier'));
    store.put('/registry/allocations/ips/10.0.0.9', Buffer.from('owner'));
    await store.compact(store.currentRevision);
    store.failure = new StoreError('unavailable', 'down');
    store.isCut = false;
    store.deliver();
    await flushPromises();
    expect(cache.revision).toBeLessThan(store.currentRevision);
    store.failure = undefined;
    await clock.advanceAsync(2000);
    expect(cache.revision).toBe(store.currentRevision);
    expect(notifications).toEqual(['reset', 'allocations/ips/10.0.0.9=owner']);
  });
});

describe('the consistency checker', () => {
  it('ends only the watches of a type that differs from the store', async () => {
    const { store, cache, watchFromNow } = await openFixture();
    await putObject(store, configMaps, 'a/one');
    await putObject(store, services, 'a/svc');
    const affected = new ChangeRecorder();
    const other = new ChangeRecorder();
    cache.watch(configMaps, watchFromNow(), affected);
    cache.watch(services, watchFromNow(), other);
    store.corrupt(keyOf(configMaps, 'a/one'), 1000);
    await cache.checkConsistency();
    expect(affected.ended?.type).toBe('expired');
    expect(other.ended).toBeUndefined();
  });

  it('repairs a type that differs, and reports a repeated difference until a check finds none', async () => {
    const { store, cache } = await openFixture();
    await putObject(store, configMaps, 'a/one');
    for (const pass of [1, 2]) {
      // Another revision, of which the cache receives no event.
      store.corrupt(keyOf(configMaps, 'a/one'), 1000 + pass);
      await cache.checkConsistency();
      expect(cache.get(configMaps, 'a/one')?.revision).toBe(1000 + pass);
      expect(cache.statistics).toMatchObject({ differences: pass, resyncs: pass });
      const isReported = pass > 1;
      expect(cache.problems()).toEqual(isReported ? ['configmaps: differs from the store repeatedly'] : []);
    }
    await cache.checkConsistency();
    expect(cache.problems()).toEqual([]);
  });

  it('ignores keys that the stream changed during the check', async () => {
    const { store, cache } = await openFixture();
    await putObject(store, configMaps, 'a/one');
    store.corrupt(keyOf(configMaps, 'a/one'), 1000);
    const checking = cache.checkConsistency();
    const written = await putObject(store, configMaps, 'a/one', { data: 'newer' });
    await checking;
    expect(cache.get(configMaps, 'a/one')?.revision).toBe(written);
  });

  it('first runs within the last fifth of the interval', async () => {
    const { clock, cache } = await openFixture({ checkMs: 300_000 });
    // At a random time, so that replicas do not check at the same time.
    await clock.advanceAsync(239_000);
    expect(cache.statistics.checks).toBe(0);
    await clock.advanceAsync(62_000);
    expect(cache.statistics.checks).toBe(1);
  });
});

describe('compaction', () => {
  it('runs every interval and keeps between one and two intervals of history', async () => {
    const { store, clock, cache } = await openFixture({ compactionMs: 300_000 });
    await putObject(store, nodes, 'n');
    await clock.advanceAsync(300_000);
    const intervalStart = store.currentRevision;
    expect(store.compactRevision).toBe(0);
    await putObject(store, nodes, 'n', { data: '2' });
    await clock.advanceAsync(300_000);
    expect(store.compactRevision).toBe(intervalStart);
    expect(cache.compactedRevision).toBe(intervalStart);
  });

  it('never runs with interval 0', async () => {
    const { store, clock } = await openFixture({ compactionMs: 0 });
    await clock.advanceAsync(3_600_000);
    expect(store.compactRevision).toBe(0);
    // Replicas agree on the revision to compact in a key.
    expect(store.calls.transact).toBe(0);
  });
});

describe('closing the cache', () => {
  it('ends watches and pending waits, and leaves no timer and no store watch', async () => {
    const { store, clock, cache, deadlineIn, watchFromNow } = await openFixture();
    const recorder = new ChangeRecorder();
    cache.watch(configMaps, watchFromNow({ bookmarks: true }), recorder);
    const waiting = cache.waitForRevision(cache.revision + 1, deadlineIn(60_000));
    await cache.close();
    expect(await waiting).toBe(false);
    expect(recorder.ended).toEqual({ type: 'closed' });
    store.put(keyOf(configMaps, 'a/one'), storedValue());
    expect(recorder.events).toEqual([]);
    expect(clock.pending).toBe(0);
    expect(store.openWatches).toBe(0);
  });
});
