import { storedValue, type ValueOptions } from '../../../test/support/store/cache-fixture';
import { ManualClock, flushPromises } from '../../../test/support/clock/manual-clock';
import { MemoryStore } from '../../../test/support/store/memory-store';
import { STORED_KINDS, type KindRow } from '../../../shared/api/kinds';
import { StatusError } from '../../../shared/api/errors/status';
import { silentLogger } from '../../../shared/runtime/logger';
import { systemRandom } from '../../../shared/runtime/random';
import type { ChangeSink, WatchRequest } from '../../cache/cache';
import { openCache, type CacheOptions, type OpenedCache } from '../../cache/sync/open-cache';
import { StoreError, type Revision } from '../../storage/store';
import type { ListOptions, ListPage, Reader, RequestContext, Resource, WatchOptions } from '../verbs';
import { parseContinueToken } from './continue-token';
import { createReader } from './reader';
import { EVERYTHING, selectionFor } from './selection';

function rowOf(kind: string): KindRow {
  const row = STORED_KINDS.find((candidate) => candidate.kind === kind);
  if (row === undefined) throw new Error(`no row for ${kind}`);
  return row;
}

function resourceOf(kind: string): Resource {
  const row = rowOf(kind);
  return { row, hub: row, stored: { name: row.resource, segment: row.resource, namespaced: row.namespaced } };
}

const configMaps = resourceOf('ConfigMap');
const namespaces = resourceOf('Namespace');
const events = resourceOf('Event');
const pods = resourceOf('Pod');

const clock = new ManualClock();
let store: MemoryStore;
let cache: OpenedCache;
let reader: Reader;
let watchList: boolean;
let context: RequestContext;

/** Revisions: a/c1 = 101, a/c2 = 102, a/c3 = 103, b/c1 = 104; a write of another type moves the store to 105. */
beforeEach(async () => {
  store = new MemoryStore();
  store.currentRevision = 100;
  store.reopenReleases = false;
  put('a/c1', { labels: { parity: 'odd' } });
  put('a/c2', { labels: { parity: 'even' } });
  put('a/c3', { labels: { parity: 'odd' } });
  put('b/c1', { labels: { parity: 'odd' } });
  tick();
  watchList = false;
  context = { user: { name: 'someone', groups: [] }, deadline: clock.monotonic() + 60_000, warn: () => undefined };
  open();
  await cache.whenReady();
});

afterEach(() => cache.close());

function open(options: Partial<CacheOptions> = {}): void {
  const types = [configMaps, namespaces, events, pods].map(({ stored }) => stored);
  const surroundings = { store, prefix: '/registry', types, clock, random: systemRandom, logger: silentLogger };
  cache = openCache({ ...surroundings, checkMs: 0, compactionMs: 0, ...options });
  reader = createReader({ cache, store, clock, gates: { isEnabled: (name) => name === 'WatchList' && watchList } });
}

function put(key: string, options: ValueOptions = {}, resource = configMaps): Revision {
  return store.put(`/registry/${resource.stored.segment}/${key}`, storedValue(options));
}

function remove(key: string): Revision {
  return store.remove(`/registry/${configMaps.stored.segment}/${key}`);
}

/** Increments the store revision as a write of another type does. */
function tick(): void {
  store.put('/registry/elsewhere', Buffer.alloc(0));
}

/** Compacts the store before `revision`. */
function compact(revision: Revision): void {
  store.put('/registry/compaction', Buffer.from(String(revision)));
}

/** The cache receives no more events, so the store gets ahead of it. */
function hold(): void {
  store.isHeld = true;
}

function catchUp(): void {
  store.isHeld = false;
  store.deliver();
}

const lookups = (): number => cache.statistics.revisionLookups;

type Options = Partial<ListOptions> & { readonly labels?: string; readonly fields?: string };

function list(options: Options = {}, namespace = 'a', resource = configMaps): Promise<ListPage> {
  const { labels = '', fields = '', ...rest } = options;
  return reader.list(context, resource, namespace, { selection: selectionFor(resource.row, labels, fields), ...rest });
}

const keys = (page: ListPage): string[] => [...page.entries].map(({ key }) => key);

async function failure(promise: Promise<unknown>): Promise<StatusError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof StatusError)) throw new Error(`expected a StatusError, not ${String(error)}`);
  return error;
}

/** Advances the clock by `ms` while the promise is pending. */
async function after<T>(ms: number, promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  await clock.advanceAsync(ms);
  return promise;
}

const tooLarge = (asked: number, current: number): object => ({
  code: 504,
  status: expect.objectContaining({
    message: `Timeout: Too large resource version: ${asked}, current: ${current}`,
    reason: 'Timeout',
    details: { causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }], retryAfterSeconds: 1 },
  }),
});

const tokenOf = (page: ListPage): string => page.continue ?? '';
const token = (rv: number, start: string): string =>
  Buffer.from(JSON.stringify({ v: 'meta.platform.io/v1', rv, start })).toString('base64url');

describe('get', () => {
  test('without a resourceVersion reads the store revision once and waits for it', async () => {
    hold();
    tick();
    const revision = put('a/c1');
    const got = reader.get(context, configMaps, { namespace: 'a', name: 'c1' }, undefined);
    await flushPromises();
    catchUp();
    await expect(got).resolves.toMatchObject({ key: 'a/c1', revision });
    expect(lookups()).toBe(1);
  });

  test('without a resourceVersion does not read the store revision when the store reports it synchronously', async () => {
    const now = put('a/c1');
    store.enableRevisionSync();
    expect(await reader.get(context, configMaps, { namespace: 'a', name: 'c1' }, undefined)).toMatchObject({ revision: now });
    expect(lookups()).toBe(0);
    hold();
    const later = put('a/c1');
    const got = reader.get(context, configMaps, { namespace: 'a', name: 'c1' }, undefined);
    await flushPromises();
    catchUp();
    await expect(got).resolves.toMatchObject({ revision: later });
    expect(lookups()).toBe(1);
  });

  test('at resourceVersion 0 returns the cached object without a store call', async () => {
    store.failure = new StoreError('unavailable', 'gone');
    expect(await reader.get(context, configMaps, { namespace: 'a', name: 'c1' }, 0)).toMatchObject({ key: 'a/c1', revision: 101 });
    expect(lookups()).toBe(0);
  });

  test('at a resourceVersion waits until the cache reaches it', async () => {
    const got = reader.get(context, configMaps, { namespace: 'a', name: 'c1' }, 106);
    await flushPromises();
    const revision = put('a/c1');
    await expect(got).resolves.toMatchObject({ key: 'a/c1', revision });
  });

  test('at a future resourceVersion fails with 504 after 3 s', async () => {
    const got = reader.get(context, configMaps, { namespace: 'a', name: 'c1' }, 999);
    let isDone = false;
    got.catch(() => undefined).finally(() => (isDone = true));
    await clock.advanceAsync(2_999);
    expect(isDone).toBe(false);
    expect(await failure(after(1, got))).toMatchObject(tooLarge(999, 105));
  });

  test('fails with 504 at the deadline of its request', async () => {
    context = { ...context, deadline: clock.monotonic() + 500 };
    expect(await failure(after(500, reader.get(context, configMaps, { namespace: 'a', name: 'c1' }, 999)))).toMatchObject({ code: 504 });
  });

  test('of a cluster-scoped kind uses only the name', async () => {
    const revision = put('default', {}, namespaces);
    expect(await reader.get(context, namespaces, { namespace: '', name: 'default' }, undefined)).toMatchObject({
      key: 'default',
      revision,
    });
  });

  test('of an absent object fails with 404', async () => {
    const error = await failure(reader.get(context, configMaps, { namespace: 'a', name: 'none' }, undefined));
    expect(error.status).toMatchObject({
      code: 404,
      message: 'configmaps "none" not found',
      details: { name: 'none', kind: 'configmaps' },
    });
  });

  test('reads from the store while the cache lags behind', async () => {
    hold();
    const revision = put('a/c1');
    const got = reader.get(context, configMaps, { namespace: 'a', name: 'c1' }, undefined);
    expect(await after(3_000, got)).toMatchObject({ key: 'a/c1', revision });
  });

  test('fails with 504 when the store is unreachable', async () => {
    store.failure = new StoreError('unavailable', 'no member answers');
    expect(await failure(reader.get(context, configMaps, { namespace: 'a', name: 'c1' }, undefined))).toMatchObject({
      code: 504,
      reason: 'Timeout',
    });
  });
});

describe('while the cache is loading', () => {
  const refused = {
    code: 429,
    reason: 'TooManyRequests',
    message: 'storage is (re)initializing',
    status: { details: { retryAfterSeconds: 1 } },
  };

  test('get, list and watch are rejected with 429', async () => {
    await cache.close();
    store.failure = new StoreError('unavailable', 'not yet');
    open();
    expect(await failure(reader.get(context, configMaps, { namespace: 'a', name: 'c1' }, 0))).toMatchObject(refused);
    expect(await failure(list({ resourceVersion: 0 }))).toMatchObject(refused);
    expect(await failure(watch({}))).toMatchObject(refused);
  });
});

/**
 * Every row of the table of lists in upstream's API concepts. The store is one revision ahead (a/c4 = 106): cached
 * states lack this object, most recent ones contain it.
 */
describe('list', () => {
  const newest = ['a/c1', 'a/c2', 'a/c3', 'a/c4'];
  const cached = ['a/c1', 'a/c2', 'a/c3'];
  const paged = ['a/c1', 'a/c2'];

  /** Lists while the cache lags behind, and lets the cache catch up. */
  async function answers(options: Options): Promise<ListPage> {
    hold();
    put('a/c4');
    const page = list(options);
    page.catch(() => undefined);
    await flushPromises();
    catchUp();
    return page;
  }

  describe('without resourceVersionMatch', () => {
    test('and without limit and resourceVersion returns the most recent state', async () => {
      const page = await answers({});
      expect([keys(page), page.revision, page.continue]).toEqual([newest, 106, undefined]);
    });

    test('and with resourceVersion 0 returns the cached state', async () => {
      const page = await answers({ resourceVersion: 0 });
      expect([keys(page), page.revision, lookups()]).toEqual([cached, 105, 0]);
    });

    test('and with a resourceVersion returns a state not older than it', async () => {
      expect(keys(await answers({ resourceVersion: 103 }))).toEqual(cached);
      const page = await answers({ resourceVersion: 107 });
      expect([keys(page), page.revision, lookups()]).toEqual([newest, 107, 0]);
    });

    test('and with a limit returns a page of the most recent state', async () => {
      const page = await answers({ limit: 2 });
      expect([keys(page), page.revision, page.remainingItemCount]).toEqual([paged, 106, 2]);
      expect(parseContinueToken(tokenOf(page))).toEqual({ revision: 106, start: 'c2\0' });
    });

    test('and with a limit and resourceVersion 0 returns the whole cached state', async () => {
      const page = await answers({ limit: 2, resourceVersion: 0 });
      expect([keys(page), page.revision, page.continue]).toEqual([cached, 105, undefined]);
    });

    test('and with a limit and resourceVersion 0 returns a page of a kind without an upstream cache', async () => {
      for (const name of ['e1', 'e2', 'e3']) put(`a/${name}`, {}, events);
      const page = await list({ limit: 2, resourceVersion: 0 }, 'a', events);
      expect([keys(page), page.continue !== undefined]).toEqual([['a/e1', 'a/e2'], true]);
    });

    test('and with a limit and a resourceVersion returns a page of exactly that state', async () => {
      const page = await answers({ limit: 2, resourceVersion: 102 });
      expect([keys(page), page.revision, page.continue]).toEqual([paged, 102, undefined]);
      const cut = await answers({ limit: 1, resourceVersion: 103 });
      expect([keys(cut), cut.revision, cut.remainingItemCount]).toEqual([['a/c1'], 103, 2]);
    });

    test('and with a continue token returns a page of the state of the first one', async () => {
      const page = await answers({ limit: 1, continue: token(102, 'c1\0') });
      expect([keys(page), page.revision, page.continue]).toEqual([['a/c2'], 102, undefined]);
    });

    test('and with a continue token ignores resourceVersion 0', async () => {
      const page = await answers({ limit: 1, resourceVersion: 0, continue: token(102, 'c1\0') });
      expect([keys(page), page.revision]).toEqual([['a/c2'], 102]);
    });

    test('and with a continue token and a resourceVersion fails with 400', async () => {
      const error = await failure(answers({ limit: 1, resourceVersion: 103, continue: token(102, 'c1\0') }));
      expect(error).toMatchObject({ code: 400, message: 'specifying resource version is not allowed when using continue' });
    });
  });

  describe('with resourceVersionMatch=Exact', () => {
    test('returns exactly the state of the resourceVersion', async () => {
      const page = await answers({ resourceVersionMatch: 'Exact', resourceVersion: 102 });
      expect([keys(page), page.revision, lookups()]).toEqual([paged, 102, 0]);
    });

    test('and a limit returns a page of exactly the state of the resourceVersion', async () => {
      const page = await answers({ resourceVersionMatch: 'Exact', resourceVersion: 103, limit: 2 });
      expect([keys(page), page.revision, page.remainingItemCount]).toEqual([paged, 103, 1]);
    });

    test('fails with 410 for a compacted resourceVersion', async () => {
      compact(103);
      const error = await failure(answers({ resourceVersionMatch: 'Exact', resourceVersion: 102 }));
      expect(error).toMatchObject({ code: 410, reason: 'Expired', message: 'The resourceVersion for the provided list is too old.' });
    });

    test('fails with 504 after 3 s for a future resourceVersion', async () => {
      const page = list({ resourceVersionMatch: 'Exact', resourceVersion: 999 });
      expect(await failure(after(3_000, page))).toMatchObject(tooLarge(999, 105));
    });

    test('waits for a resourceVersion that the cache has not reached', async () => {
      const page = await answers({ resourceVersionMatch: 'Exact', resourceVersion: 106 });
      expect([keys(page), page.revision]).toEqual([newest, 106]);
    });
  });

  describe('with resourceVersionMatch=NotOlderThan', () => {
    test('and resourceVersion 0 returns the whole cached state with and without a limit', async () => {
      expect(keys(await answers({ resourceVersionMatch: 'NotOlderThan', resourceVersion: 0 }))).toEqual(cached);
      const page = await list({ resourceVersionMatch: 'NotOlderThan', resourceVersion: 0, limit: 2 });
      expect([keys(page), page.continue]).toEqual([newest, undefined]);
    });

    test('waits for the resourceVersion', async () => {
      const page = await answers({ resourceVersionMatch: 'NotOlderThan', resourceVersion: 106 });
      expect([keys(page), page.revision]).toEqual([newest, 106]);
    });

    test('and a limit returns a page of a state not older than the resourceVersion', async () => {
      const page = await answers({ resourceVersionMatch: 'NotOlderThan', resourceVersion: 106, limit: 2 });
      expect([keys(page), page.revision, page.remainingItemCount]).toEqual([paged, 106, 2]);
    });

    test('fails with 504 after 3 s for a future resourceVersion', async () => {
      const page = list({ resourceVersionMatch: 'NotOlderThan', resourceVersion: 999 });
      expect(await failure(after(3_000, page))).toMatchObject(tooLarge(999, 105));
    });
  });
});

describe('list while the cache lags behind', () => {
  test('returns the newest revision of the store', async () => {
    hold();
    const revision = put('a/c4');
    const page = await after(3_000, list());
    expect([keys(page), page.revision]).toEqual([['a/c1', 'a/c2', 'a/c3', 'a/c4'], revision]);
  });

  test('fails with 504 when the store is unreachable', async () => {
    store.failure = new StoreError('deadline', 'no member answers');
    expect(await failure(list())).toMatchObject({ code: 504 });
  });
});

describe('pages of a list', () => {
  test('all show the state of the first page despite later writes', async () => {
    const first = await list({ limit: 2 }, '');
    remove('a/c3');
    put('a/c9');
    put('b/c0');
    const second = await list({ limit: 2, continue: tokenOf(first) }, '');
    expect([keys(first), keys(second)]).toEqual([
      ['a/c1', 'a/c2'],
      ['a/c3', 'b/c1'],
    ]);
    expect([first.revision, second.revision, first.remainingItemCount, second.remainingItemCount, second.continue]).toEqual([
      105,
      105,
      2,
      undefined,
      undefined,
    ]);
  });

  test('have tokens relative to the listed namespace or cluster', async () => {
    expect(parseContinueToken(tokenOf(await list({ limit: 1 }, '')))).toEqual({ revision: 105, start: 'a/c1\0' });
    expect(parseContinueToken(tokenOf(await list({ limit: 1 }, 'a')))).toEqual({ revision: 105, start: 'c1\0' });
  });

  test('pin their state once, on the first page, if there are more pages', async () => {
    const pin = jest.spyOn(cache, 'pin');
    await list({ limit: 3 });
    expect(pin).not.toHaveBeenCalled();
    const first = await list({ limit: 1 });
    await list({ limit: 1, continue: tokenOf(first) });
    expect(pin.mock.calls.map(([, { revision }]) => revision)).toEqual([105]);
  });

  test('include all remaining objects when a continue token comes without a limit', async () => {
    const first = await list({ limit: 1 });
    const rest = await list({ continue: tokenOf(first) });
    expect([keys(rest), rest.continue]).toEqual([['a/c2', 'a/c3'], undefined]);
  });

  test('of a compacted state fail with 410 and a token for the newest state', async () => {
    compact(105);
    const error = await failure(list({ limit: 1, continue: token(103, 'c1\0') }));
    expect(error).toMatchObject({ code: 410, reason: 'Expired' });
    expect(error.message).toMatch(
      /^The provided continue parameter is too old to display a consistent list result\. You can start a new list/,
    );
    expect(parseContinueToken(error.status.metadata.continue ?? '')).toEqual({ revision: -1, start: 'c1\0' });
  });

  test('with a token for the newest state continue at its revision', async () => {
    const pin = jest.spyOn(cache, 'pin');
    put('a/c4');
    const page = await list({ limit: 1, continue: token(-1, 'c1\0') });
    expect([keys(page), page.revision, page.remainingItemCount]).toEqual([['a/c2'], 106, 2]);
    expect(parseContinueToken(tokenOf(page))).toEqual({ revision: 106, start: 'c2\0' });
    expect([lookups(), pin.mock.calls.length]).toEqual([1, 1]);
  });

  test('of a future revision fail with 504', async () => {
    expect(await failure(after(3_000, list({ limit: 1, continue: token(999, 'c1\0') })))).toMatchObject(tooLarge(999, 105));
  });

  test('never include objects of another namespace', async () => {
    expect(keys(await list({ limit: 5, continue: token(105, '/') }, 'a'))).toEqual(['a/c1', 'a/c2', 'a/c3']);
    expect(keys(await list({ limit: 5, continue: token(105, 'zzz') }, 'a'))).toEqual([]);
    expect(keys(await list({ limit: 5, continue: token(105, 'b/c1') }, 'a'))).toEqual(['a/c1', 'a/c2', 'a/c3']);
  });

  test('with a selector are full, have no remainingItemCount, and can be followed by an empty page', async () => {
    const first = await list({ limit: 2, labels: 'parity=odd' }, '');
    expect([keys(first), first.remainingItemCount]).toEqual([['a/c1', 'a/c3'], undefined]);
    const second = await list({ limit: 2, labels: 'parity=odd', continue: tokenOf(first) }, '');
    expect([keys(second), second.continue]).toEqual([['b/c1'], undefined]);
    const full = await list({ limit: 1, labels: 'parity=even' }, '');
    expect(keys(full)).toEqual(['a/c2']);
    const empty = await list({ limit: 1, labels: 'parity=even', continue: tokenOf(full) }, '');
    expect([keys(empty), empty.continue]).toEqual([[], undefined]);
  });

  test('of states read from the store in chunks are full', async () => {
    await cache.close();
    open({ windowBytes: 0 });
    await cache.whenReady();
    const snapshotAt = jest.spyOn(cache, 'snapshotAt');
    for (let i = 10; i < 40; i += 1) put(`a/d${i}`, { labels: { parity: i % 2 === 0 ? 'even' : 'odd' } });
    tick();
    const revision = cache.revision - 1;
    const plain = await list({ limit: 10, continue: token(revision, '/') }, '');
    expect([keys(plain).length, plain.remainingItemCount]).toEqual([10, 24]);
    const selected = await list({ limit: 16, labels: 'parity=even', continue: token(revision, '/') }, '');
    expect([keys(selected).length, selected.continue !== undefined]).toEqual([16, true]);
    const rest = await list({ limit: 100, labels: 'parity=even', continue: token(revision, '/') }, '');
    expect([keys(rest).length, rest.continue]).toEqual([16, undefined]);
    expect(Math.max(...snapshotAt.mock.calls.map(([, , { limit = Infinity }]) => limit))).toBeLessThanOrEqual(100);
  });
});

describe('list with a field selector', () => {
  test('on a name in a namespace returns a list of one object or none', async () => {
    const page = await list({ fields: 'metadata.name=c2', limit: 1 });
    expect([keys(page), page.continue, page.remainingItemCount]).toEqual([['a/c2'], undefined, undefined]);
    expect(keys(await list({ fields: 'metadata.name=c2', labels: 'parity=odd' }))).toEqual([]);
    expect(keys(await list({ fields: 'metadata.name=none' }))).toEqual([]);
  });

  test('on a name returns the objects of all namespaces', async () => {
    expect(keys(await list({ fields: 'metadata.name=c1' }, ''))).toEqual(['a/c1', 'b/c1']);
    expect(keys(await list({ fields: 'metadata.name=c1,metadata.namespace=b' }, ''))).toEqual(['b/c1']);
  });

  test('on a namespace of a cluster-wide list has tokens relative to the cluster', async () => {
    expect(keys(await list({ fields: 'metadata.namespace=b' }, ''))).toEqual(['b/c1']);
    const first = await list({ fields: 'metadata.namespace=a', limit: 2 }, '');
    expect([keys(first), first.remainingItemCount, parseContinueToken(tokenOf(first)).start]).toEqual([
      ['a/c1', 'a/c2'],
      undefined,
      'a/c2\0',
    ]);
    expect(keys(await list({ fields: 'metadata.namespace=a', limit: 2, continue: tokenOf(first) }, ''))).toEqual(['a/c3']);
  });

  test('on a namespace other than that of the path returns nothing', async () => {
    expect(keys(await list({ fields: 'metadata.namespace=b' }, 'a'))).toEqual([]);
    expect(keys(await list({ fields: 'metadata.namespace=b,metadata.name=c1' }, 'a'))).toEqual([]);
  });
});

const sink: ChangeSink = { event: () => undefined, bookmark: () => undefined, end: () => undefined };

function watch(options: Partial<WatchOptions>, namespace = 'a', resource = configMaps): Promise<unknown> {
  return reader.watch(context, resource, namespace, { selection: EVERYTHING, bookmarks: false, ...options }, sink);
}

describe('watch', () => {
  let asked: jest.SpyInstance<unknown, Parameters<OpenedCache['watch']>>;
  const requests = (): WatchRequest[] => asked.mock.calls.map(([, request]) => request);

  beforeEach(() => {
    asked = jest.spyOn(cache, 'watch');
  });

  const state = { type: 'state' };
  const afterRevision = (revision: number): object => ({ type: 'after', revision });

  test('without a resourceVersion starts with the most recent state', async () => {
    hold();
    tick();
    const started = watch({});
    await flushPromises();
    expect(requests()).toEqual([]);
    catchUp();
    await started;
    expect(requests()).toEqual([{ scope: { namespace: 'a' }, start: state, bookmarks: false, markEndOfInitialEvents: false }]);
  });

  test('at resourceVersion 0 starts with the cached state', async () => {
    store.failure = new StoreError('unavailable', 'gone');
    await watch({ resourceVersion: 0, bookmarks: true });
    expect(requests()).toMatchObject([{ start: state, bookmarks: true, markEndOfInitialEvents: false }]);
  });

  test('at a resourceVersion starts after it at once, even if it is in the future', async () => {
    await watch({ resourceVersion: 3 });
    await watch({ resourceVersion: 999 });
    expect(requests().map(({ start }) => start)).toEqual([afterRevision(3), afterRevision(999)]);
  });

  test('with sendInitialEvents=true starts with the state and marks its end if bookmarks are enabled', async () => {
    watchList = true;
    await watch({ sendInitialEvents: true, bookmarks: true });
    await watch({ sendInitialEvents: true, bookmarks: false, resourceVersion: 0 });
    await watch({ sendInitialEvents: true, bookmarks: true, resourceVersion: 103 });
    expect(requests().map(({ start, markEndOfInitialEvents }) => [start, markEndOfInitialEvents])).toEqual([
      [state, true],
      [state, false],
      [state, true],
    ]);
    expect(lookups()).toBe(1);
  });

  test('with sendInitialEvents=true at a future resourceVersion fails with 504', async () => {
    watchList = true;
    expect(await failure(after(3_000, watch({ sendInitialEvents: true, resourceVersion: 999 })))).toMatchObject(tooLarge(999, 105));
  });

  test('with sendInitialEvents=false starts without the state', async () => {
    await watch({ sendInitialEvents: false });
    await watch({ sendInitialEvents: false, resourceVersion: 0 });
    await watch({ sendInitialEvents: false, resourceVersion: 102 });
    expect(requests().map(({ start }) => start)).toEqual([afterRevision(105), afterRevision(105), afterRevision(102)]);
  });

  test('with the WatchList gate starts as a streaming list without a resourceVersion or at 0', async () => {
    watchList = true;
    await watch({ bookmarks: true });
    await watch({ bookmarks: true, resourceVersion: 0 });
    await watch({ bookmarks: true, resourceVersion: 102 });
    expect(requests().map(({ start, markEndOfInitialEvents }) => [start, markEndOfInitialEvents])).toEqual([
      [state, true],
      [state, true],
      [afterRevision(102), false],
    ]);
  });

  test('fails with 504 while the cache lags behind', async () => {
    hold();
    tick();
    expect(await failure(after(3_000, watch({})))).toMatchObject({ code: 504 });
  });

  test('passes namespace, name and matcher of the selection as its scope', async () => {
    const scopes = async (fields: string, labels: string, namespace: string): Promise<unknown> => {
      await watch({ selection: selectionFor(configMaps.row, labels, fields), resourceVersion: 0 }, namespace);
      return requests().at(-1)?.scope;
    };
    expect(await scopes('', '', '')).toEqual({});
    expect(await scopes('metadata.name=x', '', 'a')).toEqual({ namespace: 'a', name: 'x' });
    expect(await scopes('metadata.name=x,metadata.namespace=b', '', '')).toEqual({ namespace: 'b', name: 'x' });
    expect(await scopes('metadata.namespace=b', '', 'a')).toEqual({ namespace: 'a', matches: expect.any(Function) });
    expect(await scopes('', 'a=b', 'a')).toEqual({ namespace: 'a', matches: expect.any(Function) });
  });

  test('passes an indexed field of the selection beside the matcher', async () => {
    const selection = selectionFor(pods.row, '', 'spec.nodeName=n1');
    await watch({ selection, resourceVersion: 0 }, '', pods);
    expect(requests()[0]?.scope).toEqual({ indexed: { field: 'spec.nodeName', value: 'n1' }, matches: expect.any(Function) });
  });
});
