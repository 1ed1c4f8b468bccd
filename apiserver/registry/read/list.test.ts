/** Lists yield to the event loop by the objects that they visit, not by those that match. */
import { STORED_KINDS } from '../../../shared/api/kinds';
import { silentLogger } from '../../../shared/runtime/logger';
import { systemRandom } from '../../../shared/runtime/random';
import { putObject } from '../../../test/support/store/cache-fixture';
import { ManualClock } from '../../../test/support/clock/manual-clock';
import { MemoryStore } from '../../../test/support/store/memory-store';
import { openCache, type OpenedCache } from '../../cache/sync/open-cache';
import { NO_CONVERSIONS } from '../conversions';
import type { ListPage, Resource, Selection } from '../verbs';
import { buildResources } from '../resources';
import { createReader } from './reader';
import type { ListCounts } from './reader-dependencies';
import { selectionFor } from './selection';

const OBJECTS = 2000;
/** Time per visited object, so that all of them take 40 ms. */
const VISIT_MS = 0.02;
const SLICE_MS = 5;
/** Visited objects between two readings of the clock. */
const VISITS_PER_CLOCK_CHECK = 16;

const row = STORED_KINDS.find(({ kind }) => kind === 'ConfigMap')!;
const configMaps: Resource = { row, hub: row, stored: { name: 'configmaps', segment: 'configmaps', namespaced: true } };

let clock: ManualClock;
let cache: OpenedCache;
let list: (selection: Selection, limit?: number) => Promise<ListPage>;

beforeEach(async () => {
  const store = new MemoryStore();
  clock = new ManualClock();
  for (let index = 0; index < OBJECTS; index += 1) await putObject(store, configMaps.stored, `a/${index}`);
  const options = { prefix: '/registry', types: [configMaps.stored], random: systemRandom, logger: silentLogger };
  cache = openCache({ store, clock, ...options, checkMs: 0, compactionMs: 0 });
  await cache.whenReady();
  const reader = createReader({ cache, store, clock, gates: { isEnabled: () => false }, conversions: NO_CONVERSIONS });
  list = (selection, limit) => {
    const context = { user: { name: 'someone', groups: [] }, deadline: Infinity, warn: () => undefined };
    return reader.list(context, configMaps, 'a', { selection, ...(limit === undefined ? {} : { limit }) });
  };
});

afterEach(() => cache.close());

/** The longest time between two event loop turns until the promise is fulfilled. */
async function longestTurn(promise: Promise<unknown>): Promise<number> {
  let isDone = false;
  const done = promise.finally(() => (isDone = true));
  let longest = 0;
  for (let before = clock.monotonic(); !isDone; before = clock.monotonic()) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    longest = Math.max(longest, clock.monotonic() - before);
  }
  await done;
  return longest;
}

function selecting(isMatch: (key: string) => boolean): Selection {
  return {
    hasFilters: true,
    matches({ key }) {
      clock.advance(VISIT_MS);
      return isMatch(key);
    },
  };
}

test.each([
  ['an unlimited list', undefined],
  ['a list with a limit', 100],
])('%s that matches nothing yields to the event loop every few milliseconds', async (_title, limit) => {
  const page = list(
    selecting(() => false),
    limit,
  );
  expect(await longestTurn(page)).toBeLessThan(SLICE_MS + (VISITS_PER_CLOCK_CHECK + 1) * VISIT_MS);
  expect([...(await page).entries]).toEqual([]);
  expect(clock.monotonic()).toBeGreaterThan(OBJECTS * VISIT_MS - 1);
});

test('a list with a selector and no limit returns all matching objects in order', async () => {
  const page = await list(selecting((key) => key.endsWith('99')));
  expect([...page.entries].map(({ key }) => key).slice(0, 3)).toEqual(['a/1099', 'a/1199', 'a/1299']);
  expect([...page.entries]).toHaveLength(OBJECTS / 100);
});

test('a list of Pods by spec.nodeName visits only the Pods of the node', async () => {
  const pods = buildResources().builtInResources.find(({ row: { kind } }) => kind === 'Pod')!;
  const store = new MemoryStore();
  for (let index = 0; index < 100; index += 1)
    await putObject(store, pods.stored, `a/${index}`, { fields: { 'spec.nodeName': `n${index % 50}` } });
  const options = { prefix: '/registry', types: [pods.stored], random: systemRandom, logger: silentLogger };
  const podCache = openCache({ store, clock, ...options, checkMs: 0, compactionMs: 0 });
  await podCache.whenReady();
  const counts: ListCounts[] = [];
  const listMetrics = { observeCacheList: (_type: unknown, count: ListCounts) => counts.push(count), observeStoreList: () => undefined };
  const reader = createReader({
    cache: podCache,
    store,
    clock,
    gates: { isEnabled: () => false },
    conversions: NO_CONVERSIONS,
    listMetrics,
  });
  const selection = selectionFor(pods.row, '', 'spec.nodeName=n7');
  const context = { user: { name: 'someone', groups: [] }, deadline: Infinity, warn: () => undefined };
  const page = await reader.list(context, pods, '', { selection });
  expect([...page.entries].map(({ key }) => key)).toEqual(['a/57', 'a/7']);
  expect(counts).toEqual([{ fetched: 2, returned: 2 }]);
  await podCache.close();
});
