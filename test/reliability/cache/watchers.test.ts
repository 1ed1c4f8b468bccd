/** Watchers of the cache: slow, faulty and many watchers, bookmarks, and watches from future revisions. */
import type { Change, ChangeSink, Entry, WatchEnd, WatchEventType } from '../../../apiserver/cache/cache';
import { flushPromises } from '../../support/clock/manual-clock';
import { ChangeRecorder, configMaps, dataOf, nodes, putObject, removeObject } from '../../support/store/cache-fixture';
import { useCaches } from './use-caches';

const openFixture = useCaches();

/** A sink that accepts no further event until `release` is called. */
class GatedSink extends ChangeRecorder {
  private openGate: () => void = () => undefined;
  private gate: Promise<void> | undefined = new Promise((resolve) => (this.openGate = resolve));

  whenWritable(): Promise<void> | undefined {
    return this.gate;
  }

  release(): void {
    this.gate = undefined;
    this.openGate();
  }
}

describe('slow or faulty watchers', () => {
  it('receive the initial state and then all later events when they become ready, without delaying others', async () => {
    const { store, cache, watchFromNow, watchWithState } = await openFixture();
    for (const name of ['one', 'two', 'three']) await putObject(store, configMaps, `a/${name}`);
    const slow = new GatedSink();
    const other = new ChangeRecorder();
    cache.watch(configMaps, watchWithState({ markEndOfInitialEvents: true }), slow);
    cache.watch(configMaps, watchFromNow(), other);
    const from = cache.revision;
    await flushPromises();
    expect(slow.events).toHaveLength(1);
    await removeObject(store, configMaps, 'a/two');
    await putObject(store, configMaps, 'a/four');
    expect(other.events).toHaveLength(2);
    await flushPromises();
    expect(slow.events).toHaveLength(1);
    slow.release();
    await slow.until(({ events }) => events.length === 5);
    // The initial state in the order of keys, without the changes after the start of the watch, and then these.
    expect(slow.lines).toEqual(['ADDED a/one@2', 'ADDED a/three@4', 'ADDED a/two@3', 'DELETED a/two@5', 'ADDED a/four@6']);
    expect(slow.bookmarks).toEqual([{ revision: from, type: 'end-of-initial-events', after: 3 }]);
    await putObject(store, configMaps, 'a/five');
    expect(slow.events).toHaveLength(6);
  });

  it('receive events from the store when the window no longer holds them', async () => {
    const { store, cache, watchFromNow } = await openFixture({ windowBytes: 0 });
    const from = cache.revision;
    for (let i = 0; i < 3; i += 1) await putObject(store, configMaps, 'a/one', { data: String(i) });
    const slow = new GatedSink();
    cache.watch(configMaps, watchFromNow({ start: { type: 'after', revision: from } }), slow);
    await flushPromises();
    expect(slow.events).toHaveLength(1);
    await putObject(store, configMaps, 'a/one', { data: 'later' });
    slow.release();
    await slow.until(({ events }) => events.length === 4);
    expect(slow.lines).toEqual([`ADDED a/one@${from + 1}`, ...[2, 3, 4].map((i) => `MODIFIED a/one@${from + i}`)]);
    expect(cache.statistics.replays).toBeGreaterThan(0);
  });

  it('receive each event during a replay once', async () => {
    const { store, cache, watchFromNow } = await openFixture({ windowBytes: 0 });
    const from = cache.revision;
    for (const data of ['1', '2']) await putObject(store, configMaps, 'a/one', { data });
    store.isHeld = true;
    await putObject(store, configMaps, 'a/one', { data: '3' });
    const recorder = new ChangeRecorder();
    cache.watch(configMaps, watchFromNow({ start: { type: 'after', revision: from } }), recorder);
    await flushPromises();
    store.isHeld = false;
    store.deliver();
    await flushPromises(10);
    expect(recorder.events.map(({ entry }) => dataOf(entry))).toEqual(['1', '2', '3']);
  });

  it('are closed when the window moves past the initial state that they still read', async () => {
    const { store, clock, cache, watchWithState } = await openFixture({ windowBytes: 0 });
    await putObject(store, configMaps, 'a/one');
    await putObject(store, configMaps, 'a/two');
    const slow = new GatedSink();
    cache.watch(configMaps, watchWithState(), slow);
    await flushPromises();
    await putObject(store, configMaps, 'a/three');
    await clock.advanceAsync(10_000);
    expect(slow.ended).toEqual({ type: 'closed' });
  });

  it('end as expired when the store has compacted the revision that they resume from', async () => {
    const { store, cache, watchFromNow } = await openFixture({ windowBytes: 0 });
    const from = cache.revision;
    for (let i = 0; i < 3; i += 1) await putObject(store, configMaps, 'a/one', { data: String(i) });
    await store.compact(store.currentRevision);
    const recorder = new ChangeRecorder();
    cache.watch(configMaps, watchFromNow({ start: { type: 'after', revision: from } }), recorder);
    await recorder.until(({ ended }) => ended !== undefined);
    expect(recorder.ended).toEqual({ type: 'expired', requested: from, oldest: store.currentRevision });
  });

  it('receive nothing more after they close themselves in an event handler', async () => {
    const { store, cache, watchFromNow } = await openFixture();
    const received: string[] = [];
    const other = new ChangeRecorder();
    const closing: ChangeSink = {
      event: (type) => {
        received.push(type);
        watch.close();
      },
      bookmark: () => undefined,
      end: (reason) => received.push(reason.type),
    };
    const watch = cache.watch(configMaps, watchFromNow(), closing);
    cache.watch(configMaps, watchFromNow(), other);
    await putObject(store, configMaps, 'a/one');
    await putObject(store, configMaps, 'a/two');
    expect(received).toEqual(['ADDED']);
    expect(other.events).toHaveLength(2);
    expect(cache.statistics.watchers.get('configmaps')).toBe(1);
  });

  it('end as failed when they throw, without affecting others', async () => {
    const { store, cache, watchFromNow } = await openFixture();
    const other = new ChangeRecorder();
    const ends: WatchEnd[] = [];
    const faulty: ChangeSink = {
      event: () => {
        throw new Error('broken sink');
      },
      bookmark: () => undefined,
      end: (reason) => void ends.push(reason),
    };
    cache.watch(configMaps, watchFromNow(), faulty);
    const throwError = (): never => {
      throw new Error('broken selector');
    };
    cache.watch(configMaps, watchFromNow({ scope: { matches: throwError } }), new ChangeRecorder());
    cache.watch(configMaps, watchFromNow(), other);
    await putObject(store, configMaps, 'a/one');
    await putObject(store, configMaps, 'a/two');
    expect(other.events).toHaveLength(2);
    expect(ends).toEqual([{ type: 'failed', message: 'broken sink' }]);
    expect(cache.statistics.watchesFailed).toBe(2);
    expect(cache.statistics.watchers.get('configmaps')).toBe(1);
  });
});

describe('many watchers', () => {
  /** Encodes like the endpoint layer does: once per change and frame key. */
  class EncodingSink implements ChangeSink {
    delivered = 0;
    encodings = 0;

    event(type: WatchEventType, entry: Entry, change: Change): void {
      this.delivered += 1;
      if (change.frames.has(type)) return;
      this.encodings += 1;
      change.frames.set(type, entry.bytes);
    }

    bookmark(): void {
      // Not counted.
    }

    end(_reason: WatchEnd): void {
      // Not expected.
    }
  }

  it('share one encoding of a change, including watchers that resume later', async () => {
    const { store, cache, watchFromNow } = await openFixture();
    const sinks = Array.from({ length: 1000 }, () => new EncodingSink());
    const from = cache.revision;
    for (const sink of sinks) cache.watch(configMaps, watchFromNow(), sink);
    for (let i = 0; i < 5; i += 1) await putObject(store, configMaps, 'a/one', { data: String(i) });
    expect(sinks.every(({ delivered }) => delivered === 5)).toBe(true);
    const late = new EncodingSink();
    cache.watch(configMaps, watchFromNow({ start: { type: 'after', revision: from } }), late);
    await flushPromises();
    expect(late.delivered).toBe(5);
    expect([...sinks, late].reduce((sum, { encodings }) => sum + encodings, 0)).toBe(5);
  });

  it('are visited only when their namespace and name match the change', async () => {
    const { store, cache, watchFromNow } = await openFixture();
    let visits = 0;
    const matches = (): boolean => {
      visits += 1;
      return true;
    };
    const sinks = Array.from({ length: 1000 }, (_, i) => {
      const sink = new ChangeRecorder();
      cache.watch(configMaps, watchFromNow({ scope: { namespace: i % 2 === 0 ? 'a' : 'b', name: `name-${i}`, matches } }), sink);
      return sink;
    });
    await putObject(store, configMaps, 'a/name-10');
    await putObject(store, configMaps, 'a/name-11');
    expect(visits).toBe(1);
    // `a/name-11` has the name of a watcher, which watches the other namespace.
    const receivers = [...sinks.keys()].filter((i) => sinks[i]?.events.length !== 0);
    expect(receivers).toEqual([10]);
  });
});

describe('bookmarks', () => {
  it('are sent about once a minute, only when the revision advanced since the last event or bookmark', async () => {
    const { store, clock, cache, watchFromNow } = await openFixture();
    const watching = new ChangeRecorder();
    const withoutBookmarks = new ChangeRecorder();
    cache.watch(configMaps, watchFromNow({ bookmarks: true }), watching);
    cache.watch(configMaps, watchFromNow(), withoutBookmarks);
    await clock.advanceAsync(120_000);
    expect(watching.bookmarks).toEqual([]);
    const otherRevision = await putObject(store, nodes, 'n');
    await clock.advanceAsync(61_000);
    expect(watching.bookmarks).toEqual([{ revision: otherRevision, type: 'progress', after: 0 }]);
    await clock.advanceAsync(300_000);
    expect(watching.bookmarks).toHaveLength(1);
    await putObject(store, configMaps, 'a/one');
    await clock.advanceAsync(300_000);
    expect(watching.bookmarks).toHaveLength(1);
    expect(withoutBookmarks.bookmarks).toEqual([]);
  });

  it('are sent on request, unless the revision is that of the start', async () => {
    const { store, cache, watchFromNow } = await openFixture();
    const recorder = new ChangeRecorder();
    const watch = cache.watch(configMaps, watchFromNow({ bookmarks: true }), recorder);
    watch.sendBookmark();
    expect(recorder.bookmarks).toEqual([]);
    const revision = await putObject(store, configMaps, 'a/one');
    watch.sendBookmark();
    expect(recorder.bookmarks).toEqual([{ revision, type: 'progress', after: 1 }]);
    watch.close();
    watch.sendBookmark();
    expect(recorder.bookmarks).toHaveLength(1);
  });

  it('are spread over several seconds for watchers that started together', async () => {
    const { store, clock, cache, watchFromNow } = await openFixture();
    const recorders = Array.from({ length: 50 }, () => new ChangeRecorder());
    for (const recorder of recorders) cache.watch(configMaps, watchFromNow({ bookmarks: true }), recorder);
    await putObject(store, nodes, 'n');
    const perSecond: number[] = [];
    for (let second = 0; second < 62; second += 1) {
      const before = cache.statistics.bookmarks;
      await clock.advanceAsync(1000);
      perSecond.push(cache.statistics.bookmarks - before);
    }
    expect(perSecond.reduce((sum, count) => sum + count)).toBe(50);
    expect(perSecond.filter((count) => count > 0).length).toBeGreaterThan(2);
    const firstSecond = perSecond.findIndex((count) => count > 0);
    expect(firstSecond).toBeGreaterThanOrEqual(53);
  });
});

describe('a watch from a future revision', () => {
  it('waits without an error and delivers only events after that revision', async () => {
    const { store, cache, watchFromNow } = await openFixture();
    const recorder = new ChangeRecorder();
    cache.watch(configMaps, watchFromNow({ start: { type: 'after', revision: cache.revision + 2 } }), recorder);
    for (let i = 0; i < 3; i += 1) await putObject(store, configMaps, `a/${i}`);
    expect(recorder.lines).toEqual([`ADDED a/2@${store.currentRevision}`]);
  });
});
