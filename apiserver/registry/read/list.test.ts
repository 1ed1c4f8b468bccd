/** Lists from the cache: which objects they visit, and that they yield to the event loop by visits, not by matches. */
import { silentLogger } from '../../../shared/runtime/logger';
import { systemRandom } from '../../../shared/runtime/random';
import { putObject } from '../../../test/support/store/cache-fixture';
import { ManualClock } from '../../../test/support/clock/manual-clock';
import { MemoryStore } from '../../../test/support/store/memory-store';
import { stopAfterTest, useForEachTest } from '../../../test/support/use-resource';
import { openCache, type OpenedCache } from '../../cache/sync/open-cache';
import { NO_CONVERSIONS } from '../conversions';
import type { Resource, Selection } from '../verbs';
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

const CONTEXT = { user: { name: 'someone', groups: [] }, deadline: Infinity, warn: () => undefined };
const configMaps = buildResources().require('configmaps');
const pods = buildResources().require('pods');

const closeAfterTest = stopAfterTest((cache: OpenedCache) => cache.close());

/** Opens a reader of one resource, which `putObjects` has stored. `counts`: what each list fetched and returned. */
async function openReader(resource: Resource, putObjects: (store: MemoryStore) => Promise<void>) {
  const store = new MemoryStore();
  await putObjects(store);
  const clock = new ManualClock();
  const options = { prefix: '/registry', types: [resource.stored], random: systemRandom, logger: silentLogger };
  const cache = openCache({ store, clock, ...options, checkMs: 0, compactionMs: 0 });
  closeAfterTest(cache);
  await cache.whenReady();
  const counts: ListCounts[] = [];
  const listMetrics = { observeCacheList: (_type: unknown, count: ListCounts) => counts.push(count), observeStoreList: () => undefined };
  const reader = createReader({ cache, store, clock, gates: { isEnabled: () => false }, conversions: NO_CONVERSIONS, listMetrics });
  return { clock, reader, counts };
}

describe('a list of ConfigMaps with a selector', () => {
  const fixture = useForEachTest(() =>
    openReader(configMaps, async (store) => {
      for (let index = 0; index < OBJECTS; index += 1) await putObject(store, configMaps.stored, `a/${index}`);
    }),
  );

  /** A selection that advances the clock at each visit. */
  const selecting = (isMatch: (key: string) => boolean): Selection => ({
    hasFilters: true,
    matches({ key }) {
      fixture().clock.advance(VISIT_MS);
      return isMatch(key);
    },
  });

  it.each([
    ['without a limit', {}],
    ['with a limit', { limit: 100 }],
  ])('%s yields to the event loop every few milliseconds while nothing matches', async (_title, limit) => {
    const { clock, reader } = fixture();
    const page = reader.list(CONTEXT, configMaps, 'a', { selection: selecting(() => false), ...limit });
    expect(await longestTurn(clock, page)).toBeLessThan(SLICE_MS + (VISITS_PER_CLOCK_CHECK + 1) * VISIT_MS);
    expect([...(await page).entries]).toEqual([]);
    // It has visited all objects.
    expect(clock.monotonic()).toBeGreaterThan(OBJECTS * VISIT_MS - 1);
  });

  it('returns all matching objects in order', async () => {
    const page = await fixture().reader.list(CONTEXT, configMaps, 'a', { selection: selecting((key) => key.endsWith('99')) });
    const keys = [...page.entries].map(({ key }) => key);
    expect(keys.slice(0, 3)).toEqual(['a/1099', 'a/1199', 'a/1299']);
    expect(keys).toHaveLength(OBJECTS / 100);
  });
});

test('a list of Pods by spec.nodeName visits only the Pods of the node', async () => {
  const { reader, counts } = await openReader(pods, async (store) => {
    for (let index = 0; index < 100; index += 1)
      await putObject(store, pods.stored, `a/${index}`, { fields: { 'spec.nodeName': `node-${index % 50}` } });
  });
  const page = await reader.list(CONTEXT, pods, '', { selection: selectionFor(pods.row, '', 'spec.nodeName=node-7') });
  expect([...page.entries].map(({ key }) => key)).toEqual(['a/57', 'a/7']);
  expect(counts).toEqual([{ fetched: 2, returned: 2 }]);
});

/** The longest time between two turns of the event loop until the promise is fulfilled. */
async function longestTurn(clock: ManualClock, promise: Promise<unknown>): Promise<number> {
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
