/** Lists yield to the event loop by the objects that they visit, not by those that match. */
import { STORED_KINDS } from '../../../shared/api/kinds';
import { silentLogger } from '../../../shared/runtime/logger';
import { systemRandom } from '../../../shared/runtime/random';
import { put } from '../../../test/support/cache-fixture';
import { ManualClock } from '../../../test/support/manual-clock';
import { MemoryStore } from '../../../test/support/memory-store';
import { openCache, type OpenedCache } from '../../cache/sync/open-cache';
import type { ListPage, Resource, Selection } from '../verbs';
import { createReader } from './reader';

const OBJECTS = 2000;
/** What one look takes, so that all of them take 40 ms. */
const LOOK_MS = 0.02;
const SLICE_MS = 5;
/** Looks between two looks at the clock. */
const STRIDE = 16;

const row = STORED_KINDS.find(({ kind }) => kind === 'ConfigMap')!;
const configMaps: Resource = { row, hub: row, stored: { name: 'configmaps', segment: 'configmaps', namespaced: true } };

let clock: ManualClock;
let cache: OpenedCache;
let list: (selection: Selection, limit?: number) => Promise<ListPage>;

beforeEach(async () => {
  const store = new MemoryStore();
  clock = new ManualClock();
  for (let index = 0; index < OBJECTS; index += 1) await put(store, configMaps.stored, `a/${index}`);
  const options = { prefix: '/registry', types: [configMaps.stored], random: systemRandom, logger: silentLogger };
  cache = openCache({ store, clock, ...options, checkMs: 0, compactionMs: 0 });
  await cache.whenReady();
  const reader = createReader({ cache, store, clock, gates: { isEnabled: () => false } });
  list = (selection, limit) => {
    const context = { user: { name: 'someone', groups: [] }, deadline: Infinity, warn: () => undefined };
    return reader.list(context, configMaps, 'a', { selection, ...(limit === undefined ? {} : { limit }) });
  };
});

afterEach(() => cache.close());

/** Time on the clock between two turns of the event loop, at most, until the promise settles. */
async function longestTurn(promise: Promise<unknown>): Promise<number> {
  let settled = false;
  const done = promise.finally(() => (settled = true));
  let longest = 0;
  for (let before = clock.monotonic(); !settled; before = clock.monotonic()) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    longest = Math.max(longest, clock.monotonic() - before);
  }
  await done;
  return longest;
}

function selecting(found: (key: string) => boolean): Selection {
  return {
    filters: true,
    matches({ key }) {
      clock.advance(LOOK_MS);
      return found(key);
    },
  };
}

test.each([
  ['all objects', undefined],
  ['a page', 100],
])('a list of %s that matches nothing yields to the event loop every few milliseconds', async (_what, limit) => {
  const page = list(
    selecting(() => false),
    limit,
  );
  expect(await longestTurn(page)).toBeLessThan(SLICE_MS + (STRIDE + 1) * LOOK_MS);
  expect([...(await page).entries]).toEqual([]);
  expect(clock.monotonic()).toBeGreaterThan(OBJECTS * LOOK_MS - 1);
});

test('a list with a selector and no limit returns all matching objects in order', async () => {
  const page = await list(selecting((key) => key.endsWith('99')));
  expect([...page.entries].map(({ key }) => key).slice(0, 3)).toEqual(['a/1099', 'a/1199', 'a/1299']);
  expect([...page.entries]).toHaveLength(OBJECTS / 100);
});
