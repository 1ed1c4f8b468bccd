/** How many watchers a change visits, and that those whom it concerns are among them. */
import { silentLogger } from '../../../shared/runtime/logger';
import { systemRandom } from '../../../shared/runtime/random';
import { configMaps, prefix, put, Recorder, remove, types, type ValueOptions } from '../../../test/support/cache-fixture';
import { ManualClock, settle } from '../../../test/support/manual-clock';
import { MemoryStore } from '../../../test/support/memory-store';
import type { CacheWatch, SelectedField, WatchRequest, WatchScope } from '../cache';
import { openCache, type OpenedCache } from '../sync/open-cache';

const field = 'spec.nodeName';
const at = (node: string): ValueOptions => ({ fields: { [field]: node } });
const wants = (value: string): SelectedField => ({ field, value });

let store: MemoryStore;
let cache: OpenedCache;
/** How often a watcher was asked whether it wants an entry. */
let asked: number;

beforeEach(async () => {
  store = new MemoryStore();
  asked = 0;
  const clock = new ManualClock();
  cache = openCache({ store, prefix, types, clock, random: systemRandom, logger: silentLogger, checkMs: 0, compactionMs: 0 });
  await cache.whenReady();
});

afterEach(() => cache.close());

function ofNode(node: string, more: WatchScope = {}): WatchScope {
  const matches: WatchScope['matches'] = ({ fields }) => {
    asked += 1;
    return (fields[field] ?? '') === node;
  };
  return { matches, indexed: wants(node), ...more };
}

function watch(scope: WatchScope, start: WatchRequest['start'] = { type: 'after', revision: cache.revision }): [Recorder, CacheWatch] {
  const recorder = new Recorder();
  return [recorder, cache.watch(configMaps, { scope, start, bookmarks: true, markEndOfInitialEvents: false }, recorder)];
}

const told = (recorders: readonly Recorder[]): string[][] => recorders.map(({ lines }) => lines);

test('a change asks the watchers of the values that it has and had, however many there are', async () => {
  const recorders = Array.from({ length: 1000 }, (_, index) => watch(ofNode(`n${index}`))[0]);
  await put(store, configMaps, 'a/x', at('n7'));
  expect(asked).toBe(1);
  await put(store, configMaps, 'a/x', at('n7'));
  expect(asked).toBe(3);
  await put(store, configMaps, 'a/x', at('n8'));
  expect(asked).toBe(7);
  await remove(store, configMaps, 'a/x');
  expect(asked).toBe(8);
  expect(told(recorders.slice(6, 9))).toEqual([[], ['ADDED a/x@2', 'MODIFIED a/x@3', 'DELETED a/x@4'], ['ADDED a/x@4', 'DELETED a/x@5']]);
  expect(recorders.filter(({ lines }) => lines.length > 0)).toHaveLength(2);
});

test('a change asks the watchers of its name and no others', async () => {
  const matches = (): boolean => {
    asked += 1;
    return true;
  };
  const recorders = Array.from({ length: 1000 }, (_, index) => watch({ name: `p${index}`, matches })[0]);
  await put(store, configMaps, 'a/p7');
  await put(store, configMaps, 'b/p7');
  expect(asked).toBe(2);
  expect(recorders[7]?.lines).toEqual(['ADDED a/p7@2', 'ADDED b/p7@3']);
});

test('an object without the field has the empty value', async () => {
  const [[none], [some]] = [watch(ofNode('')), watch(ofNode('n1'))];
  await put(store, configMaps, 'a/x');
  await put(store, configMaps, 'a/x', at('n1'));
  expect(told([none, some])).toEqual([['ADDED a/x@2', 'DELETED a/x@3'], ['ADDED a/x@3']]);
});

test('watchers without a value, of another field and of a place are told as ever, each once', async () => {
  const everything = watch({})[0];
  const other = watch({ matches: ({ labels }) => labels['app'] === 'x', indexed: { field: 'status.phase', value: 'Running' } })[0];
  const here = watch(ofNode('n1', { namespace: 'a' }))[0];
  const elsewhere = watch(ofNode('n1', { namespace: 'b' }))[0];
  const one = watch(ofNode('n1', { name: 'x' }))[0];
  await put(store, configMaps, 'a/x', { labels: { app: 'x' }, fields: { [field]: 'n1', 'status.phase': 'Running' } });
  expect(told([everything, other, here, one])).toEqual(Array.from({ length: 4 }, () => ['ADDED a/x@2']));
  expect(told([elsewhere])).toEqual([[]]);
  expect(asked).toBe(2);
});

test('a closed watcher is not told, not even by a change that closes it', async () => {
  const [first, opened] = watch(ofNode('n1'));
  const [second] = watch(ofNode('n1'));
  first.event = () => opened.close();
  await put(store, configMaps, 'a/x', at('n1'));
  await put(store, configMaps, 'a/y', at('n1'));
  expect(asked).toBe(3);
  expect(second.lines).toEqual(['ADDED a/x@2', 'ADDED a/y@3']);
  expect(cache.statistics.watchers.get(configMaps.name)).toBe(1);
});

test('bookmarks, the state, a resume and the end of all watches do not go by value', async () => {
  await put(store, configMaps, 'a/x', at('n1'));
  await put(store, configMaps, 'a/x', at('n2'));
  const [resumed, open] = watch(ofNode('n1'), { type: 'after', revision: 2 });
  const [state] = watch(ofNode('n2'), { type: 'state' });
  await settle();
  expect(told([resumed, state])).toEqual([['DELETED a/x@3'], ['ADDED a/x@3']]);
  open.bookmarkNow();
  expect(resumed.bookmarks.map(({ revision }) => revision)).toEqual([3]);
  cache.endWatches(configMaps);
  expect([resumed.ended, state.ended]).toEqual([{ type: 'closed' }, { type: 'closed' }]);
});
