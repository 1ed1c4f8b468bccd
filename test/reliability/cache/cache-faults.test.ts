/**
 * The cache under faults: stalled and broken streams, compaction, corruption, slow and faulty watchers. Tests control
 * the clock and the stream of the store.
 */
import type { Change, ChangeSink, Entry, WatchEnd, WatchEventType, WatchRequest } from '../../../apiserver/cache/cache';
import { openCache, type CacheOptions, type OpenedCache } from '../../../apiserver/cache/sync/open-cache';
import { StoreError, type Revision } from '../../../apiserver/storage/store';
import { silentLogger } from '../../../shared/runtime/logger';
import { systemRandom } from '../../../shared/runtime/random';
import {
  configMaps,
  dataOf,
  gadgets,
  keyOf,
  nodes,
  storePrefix,
  putObject,
  ChangeRecorder,
  removeObject,
  services,
  storedTypes,
  storedValue,
  widgets,
} from '../../support/store/cache-fixture';
import { ManualClock, flushPromises } from '../../support/clock/manual-clock';
import { MemoryStore } from '../../support/store/memory-store';

let store: MemoryStore;
let clock: ManualClock;
let cache: OpenedCache;

async function open(options: Partial<CacheOptions> = {}): Promise<OpenedCache> {
  cache = openCache({
    store,
    prefix: storePrefix,
    types: storedTypes,
    clock,
    random: systemRandom,
    logger: silentLogger,
    checkMs: 0,
    compactionMs: 0,
    ...options,
  });
  await cache.whenReady();
  return cache;
}

const deadlineIn = (ms: number): { deadline: number } => ({ deadline: clock.monotonic() + ms });
const watchFromNow = (more: Partial<WatchRequest> = {}): WatchRequest => ({
  scope: {},
  start: { type: 'after', revision: cache.revision },
  bookmarks: false,
  markEndOfInitialEvents: false,
  ...more,
});
const watchWithState = (more: Partial<WatchRequest> = {}): WatchRequest => watchFromNow({ start: { type: 'state' }, ...more });

beforeEach(async () => {
  store = new MemoryStore();
  clock = new ManualClock();
  await open();
});

afterEach(() => cache.close());

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

describe('most recent reads', () => {
  it('share one lookup in flight and one queued, and never use a lookup that began before them', async () => {
    let openGate: () => void = () => undefined;
    store.lookupGate = new Promise((resolve) => {
      openGate = resolve;
    });
    const before = store.calls.revision;
    const first = [1, 2, 3].map(() => cache.waitUntilFresh(deadlineIn(5000)));
    await flushPromises();
    const later = Array.from({ length: 100 }, () => cache.waitUntilFresh(deadlineIn(5000)));
    await flushPromises();
    expect(store.calls.revision - before).toBe(1);
    const written = await putObject(store, nodes, 'n');
    openGate();
    store.lookupGate = undefined;
    const answers = await Promise.all([...first, ...later]);
    expect(store.calls.revision - before).toBe(2);
    expect(store.maxLookupsInFlight).toBe(1);
    expect(answers.slice(first.length).every((revision) => revision >= written)).toBe(true);
  });

  it('request progress from a silent stream after 250 ms', async () => {
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
    store.supportsProgress = false;
    store.currentRevision += 5;
    const reads = Array.from({ length: 20 }, () => observePromise(cache.waitUntilFresh(deadlineIn(5000))));
    await clock.advanceAsync(260);
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

  it('fail after 3 s or at the deadline of the caller, and count as fallbacks to the store', async () => {
    store.isHeld = true;
    store.reopenReleases = false;
    await putObject(store, nodes, 'n');
    const longWait = observePromise(cache.waitUntilFresh(deadlineIn(60_000)));
    const shortWait = observePromise(cache.waitUntilFresh(deadlineIn(400)));
    await clock.advanceAsync(401);
    expect(shortWait.error()).toMatchObject({ failure: 'deadline' });
    expect(longWait.error()).toBeUndefined();
    await clock.advanceAsync(2600);
    expect(longWait.error()).toMatchObject({ failure: 'deadline' });
    expect(cache.statistics.consistentReadFallbacks).toBe(2);
  });

  it('return a revision known to be stored although the stream has not delivered it', async () => {
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

  it('send no progress request for a future revision that a client names', async () => {
    const waiting = cache.waitForRevision(cache.revision + 1000, deadlineIn(3000));
    await clock.advanceAsync(3000);
    expect(await waiting).toBe(false);
    expect(cache.statistics).toMatchObject({ ticks: 0, progressRequests: 0, streamReopens: 0 });
  });

  it('fail while the store is unreachable; gets from the cache succeed and its watches stay open', async () => {
    await putObject(store, nodes, 'n');
    const recorder = new ChangeRecorder();
    cache.watch(nodes, watchFromNow(), recorder);
    store.isCut = true;
    store.failure = new StoreError('unavailable', 'no connection');
    store.deliver();
    await expect(cache.waitUntilFresh(deadlineIn(5000))).rejects.toThrow('no connection');
    expect(cache.get(nodes, 'n')).toBeDefined();
    expect(cache.problems()).toEqual(['the stream to the store is disconnected']);
    store.isCut = false;
    store.failure = undefined;
    await putObject(store, nodes, 'n', { data: 'back' });
    expect(recorder.lines).toEqual([`MODIFIED n@${store.currentRevision}`]);
    expect(cache.problems()).toEqual([]);
  });
});

describe('a gap in the stream of the store', () => {
  async function disconnectDuring(during: () => Promise<void>): Promise<Revision> {
    store.isCut = true;
    store.deliver();
    await during();
    await store.compact(store.currentRevision);
    store.isCut = false;
    store.deliver();
    await flushPromises();
    return store.currentRevision;
  }

  it('ends only the watches of changed storedTypes, and later events are delivered', async () => {
    await putObject(store, configMaps, 'a/kept');
    await putObject(store, configMaps, 'a/gone');
    await putObject(store, nodes, 'n');
    const changed = new ChangeRecorder();
    const same = new ChangeRecorder();
    cache.watch(configMaps, watchFromNow(), changed);
    cache.watch(nodes, watchFromNow(), same);
    const requested = cache.revision;
    const revision = await disconnectDuring(async () => {
      await removeObject(store, configMaps, 'a/gone');
      await putObject(store, configMaps, 'a/new', { data: 'missed' });
      for (let i = 0; i < 40; i += 1) await putObject(store, configMaps, `b/${i}`);
    });
    expect(changed.ended).toEqual({ type: 'expired', requested, oldest: revision });
    expect(same.ended).toBeUndefined();
    expect(cache.revision).toBe(revision);
    expect(cache.snapshot(configMaps).size).toBe(42);
    expect(dataOf(cache.get(configMaps, 'a/new')!)).toBe('missed');
    expect(cache.get(configMaps, 'a/gone')).toBeUndefined();
    expect(cache.statistics).toMatchObject({ gaps: 1, resyncs: 1 });
    await putObject(store, nodes, 'n', { data: '2' });
    expect(same.lines).toEqual([`MODIFIED n@${store.currentRevision}`]);
    const resumed = new ChangeRecorder();
    cache.watch(configMaps, watchFromNow({ start: { type: 'after', revision } }), resumed);
    await putObject(store, configMaps, 'a/kept', { data: '2' });
    expect(resumed.lines).toEqual([`MODIFIED a/kept@${store.currentRevision}`]);
  });

  it('hides no custom resource whose first object was created in it', async () => {
    await disconnectDuring(async () => {
      await putObject(store, widgets, 'a/new');
      await putObject(store, gadgets, 'new');
    });
    expect(cache.snapshot(widgets).size).toBe(1);
    expect(cache.get(gadgets, 'new')).toBeDefined();
  });

  it('expires watches that resume from an earlier revision', async () => {
    const old = await putObject(store, configMaps, 'a/one');
    const revision = await disconnectDuring(async () => {
      await putObject(store, configMaps, 'a/two');
      await putObject(store, configMaps, 'a/two', { data: '2' });
    });
    const recorder = new ChangeRecorder();
    cache.watch(configMaps, watchFromNow({ start: { type: 'after', revision: old } }), recorder);
    await recorder.until(({ ended }) => ended !== undefined);
    expect(recorder.ended).toEqual({ type: 'expired', requested: old, oldest: revision });
  });

  it('resyncs with retries while the store cannot be read, and resets key listeners', async () => {
    const notifications: string[] = [];
    cache.addKeyListener('allocations/', {
      onReset: () => notifications.push('reset'),
      onKeyChange: (key, bytes) => notifications.push(`${key}=${bytes?.toString() ?? 'gone'}`),
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
  it('repairs a type that differs, ends its watches, and reports a problem when it differs again', async () => {
    await putObject(store, configMaps, 'a/one');
    await putObject(store, services, 'a/svc');
    const affected = new ChangeRecorder();
    const other = new ChangeRecorder();
    cache.watch(configMaps, watchFromNow(), affected);
    cache.watch(services, watchFromNow(), other);
    for (const pass of [1, 2]) {
      store.corrupt(keyOf(configMaps, 'a/one'), 1000 + pass);
      await cache.checkConsistency();
      expect(cache.get(configMaps, 'a/one')?.revision).toBe(1000 + pass);
      expect(cache.statistics).toMatchObject({ differences: pass, resyncs: pass });
      expect(cache.problems()).toEqual(pass === 1 ? [] : ['configmaps: differs from the store repeatedly']);
    }
    expect(affected.ended?.type).toBe('expired');
    expect(other.ended).toBeUndefined();
    await cache.checkConsistency();
    expect(cache.problems()).toEqual([]);
  });

  it('ignores keys that the stream changed during the check', async () => {
    await putObject(store, configMaps, 'a/one');
    store.corrupt(keyOf(configMaps, 'a/one'), 1000);
    const checking = cache.checkConsistency();
    const written = await putObject(store, configMaps, 'a/one', { data: 'newer' });
    await checking;
    expect(cache.get(configMaps, 'a/one')?.revision).toBe(written);
  });

  it('runs once per interval', async () => {
    await cache.close();
    await open({ checkMs: 300_000 });
    await clock.advanceAsync(239_000);
    expect(cache.statistics.checks).toBe(0);
    await clock.advanceAsync(62_000);
    expect(cache.statistics.checks).toBe(1);
  });
});

describe('compaction', () => {
  it('runs every interval and keeps between one and two intervals of history', async () => {
    await cache.close();
    await open({ compactionMs: 300_000 });
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
    await clock.advanceAsync(3_600_000);
    expect(store.calls.transact).toBe(0);
  });
});

/** Not writable before `release`. */
class GatedSink extends ChangeRecorder {
  private open: () => void = () => undefined;
  private gate: Promise<void> | undefined = this.newGate();

  whenWritable(): Promise<void> | undefined {
    return this.gate;
  }

  release(): void {
    this.gate = undefined;
    this.open();
  }

  private newGate(): Promise<void> {
    return new Promise((resolve) => {
      this.open = resolve;
    });
  }
}

describe('slow or faulty watchers', () => {
  it('receive the initial state and then all later events when they become ready, without delaying others', async () => {
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
    expect(slow.lines).toEqual(['ADDED a/one@2', 'ADDED a/three@4', 'ADDED a/two@3', 'DELETED a/two@5', 'ADDED a/four@6']);
    expect(slow.bookmarks).toEqual([{ revision: from, type: 'end-of-initial-events', after: 3 }]);
    await putObject(store, configMaps, 'a/five');
    expect(slow.events).toHaveLength(6);
  });

  it('receive events from the store when the window no longer holds them', async () => {
    await cache.close();
    await open({ windowBytes: 0 });
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
    await cache.close();
    await open({ windowBytes: 0 });
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
    await cache.close();
    await open({ windowBytes: 0 });
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
    await cache.close();
    await open({ windowBytes: 0 });
    const from = cache.revision;
    for (let i = 0; i < 3; i += 1) await putObject(store, configMaps, 'a/one', { data: String(i) });
    await store.compact(store.currentRevision);
    const recorder = new ChangeRecorder();
    cache.watch(configMaps, watchFromNow({ start: { type: 'after', revision: from } }), recorder);
    await recorder.until(({ ended }) => ended !== undefined);
    expect(recorder.ended).toEqual({ type: 'expired', requested: from, oldest: store.currentRevision });
  });

  it('receive nothing more after they close themselves in an event handler', async () => {
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
    cache.watch(
      configMaps,
      watchFromNow({
        scope: {
          matches: () => {
            throw new Error('broken selector');
          },
        },
      }),
      new ChangeRecorder(),
    );
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
    static encodings = 0;
    delivered = 0;

    event(type: WatchEventType, entry: Entry, change: Change): void {
      this.delivered += 1;
      if (change.frames.has(type)) return;
      EncodingSink.encodings += 1;
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
    const sinks = Array.from({ length: 1000 }, () => new EncodingSink());
    const from = cache.revision;
    for (const sink of sinks) cache.watch(configMaps, watchFromNow(), sink);
    EncodingSink.encodings = 0;
    for (let i = 0; i < 5; i += 1) await putObject(store, configMaps, 'a/one', { data: String(i) });
    expect(sinks.every(({ delivered }) => delivered === 5)).toBe(true);
    const late = new EncodingSink();
    cache.watch(configMaps, watchFromNow({ start: { type: 'after', revision: from } }), late);
    await flushPromises();
    expect(late.delivered).toBe(5);
    expect(EncodingSink.encodings).toBe(5);
  });

  it('are visited only when their namespace and name match the change', async () => {
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
    expect(sinks.map(({ events }, i) => (events.length > 0 ? i : -1)).filter((i) => i >= 0)).toEqual([10]);
  });
});

describe('bookmarks', () => {
  it('are sent about once a minute, only when the revision advanced since the last event or bookmark', async () => {
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
    expect(perSecond.slice(0, 53).every((count) => count === 0)).toBe(true);
  });
});

describe('a watch from a future revision', () => {
  it('waits without an error and delivers only events after that revision', async () => {
    const recorder = new ChangeRecorder();
    cache.watch(configMaps, watchFromNow({ start: { type: 'after', revision: cache.revision + 2 } }), recorder);
    for (let i = 0; i < 3; i += 1) await putObject(store, configMaps, `a/${i}`);
    expect(recorder.lines).toEqual([`ADDED a/2@${store.currentRevision}`]);
  });
});

describe('closing the cache', () => {
  it('ends watches and pending waits, and leaves no timer and no store watch', async () => {
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
