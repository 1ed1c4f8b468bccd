/** The number of watchers that a change visits, and that all concerned watchers are among them. */
import { silentLogger } from '../../../shared/runtime/logger';
import { systemRandom } from '../../../shared/runtime/random';
import {
  configMaps,
  storePrefix,
  putObject,
  ChangeRecorder,
  removeObject,
  storedTypes,
  type ValueOptions,
} from '../../../test/support/store/cache-fixture';
import { ManualClock, flushPromises } from '../../../test/support/clock/manual-clock';
import { stopAfterTest } from '../../../test/support/use-resource';
import { MemoryStore } from '../../../test/support/store/memory-store';
import type { CacheWatch, Entry, WatchRequest, WatchScope } from '../cache';
import { openCache, type OpenedCache } from '../sync/open-cache';

const FIELD = 'spec.nodeName';
const onNode = (node: string): ValueOptions => ({ fields: { [FIELD]: node } });

const closeAfterTest = stopAfterTest((cache: OpenedCache) => cache.close());

interface RecordedWatch {
  readonly recorder: ChangeRecorder;
  readonly opened: CacheWatch;
}

/** A cache on an empty store. `matchCalls.count` is the number of times that a change was compared with a watch. */
async function openFixture() {
  const store = new MemoryStore();
  const dependencies = { store, clock: new ManualClock(), random: systemRandom, logger: silentLogger };
  const cache = closeAfterTest(openCache({ ...dependencies, prefix: storePrefix, types: storedTypes, checkMs: 0, compactionMs: 0 }));
  await cache.whenReady();
  const matchCalls = { count: 0 };

  const countedScope = (scope: WatchScope, isMatch: (entry: Entry) => boolean): WatchScope => ({
    ...scope,
    matches(entry) {
      matchCalls.count += 1;
      return isMatch(entry);
    },
  });
  /** The scope of the objects on a node, with the index hint. */
  const scopeOfNode = (node: string, restrictions: WatchScope = {}): WatchScope =>
    countedScope({ indexed: { field: FIELD, value: node }, ...restrictions }, ({ fields }) => (fields[FIELD] ?? '') === node);

  /** Starts a watch, by default from the present on. */
  const watch = (scope: WatchScope, start: WatchRequest['start'] = { type: 'after', revision: cache.revision }): RecordedWatch => {
    const recorder = new ChangeRecorder();
    return { recorder, opened: cache.watch(configMaps, { scope, start, bookmarks: true, markEndOfInitialEvents: false }, recorder) };
  };
  return { store, cache, matchCalls, countedScope, scopeOfNode, watch };
}

const linesOf = (recorders: readonly ChangeRecorder[]): string[][] => recorders.map(({ lines }) => lines);

test('a change visits the watchers of its current and previous value only', async () => {
  const { store, matchCalls, scopeOfNode, watch } = await openFixture();
  const recorders = Array.from({ length: 1000 }, (_, index) => watch(scopeOfNode(`n${index}`)).recorder);
  // Each visited watcher compares the current and the previous state, as far as they exist.
  await putObject(store, configMaps, 'a/x', onNode('n7'));
  expect(matchCalls.count).toBe(1);
  await putObject(store, configMaps, 'a/x', onNode('n7'));
  expect(matchCalls.count).toBe(1 + 2);
  await putObject(store, configMaps, 'a/x', onNode('n8'));
  expect(matchCalls.count).toBe(1 + 2 + 2 * 2);
  await removeObject(store, configMaps, 'a/x');
  expect(matchCalls.count).toBe(1 + 2 + 2 * 2 + 1);
  expect(linesOf(recorders.slice(6, 9))).toEqual([
    [],
    ['ADDED a/x@2', 'MODIFIED a/x@3', 'DELETED a/x@4'],
    ['ADDED a/x@4', 'DELETED a/x@5'],
  ]);
  expect(recorders.filter(({ lines }) => lines.length > 0)).toHaveLength(2);
});

test('a change visits the watchers of its name only', async () => {
  const { store, matchCalls, countedScope, watch } = await openFixture();
  const recorders = Array.from({ length: 1000 }, (_, index) => watch(countedScope({ name: `p${index}` }, () => true)).recorder);
  await putObject(store, configMaps, 'a/p7');
  await putObject(store, configMaps, 'b/p7');
  expect(matchCalls.count).toBe(2);
  expect(recorders[7]?.lines).toEqual(['ADDED a/p7@2', 'ADDED b/p7@3']);
});

test('an object without the indexed field has the empty value', async () => {
  const { store, scopeOfNode, watch } = await openFixture();
  const { recorder: withoutNode } = watch(scopeOfNode(''));
  const { recorder: withNode } = watch(scopeOfNode('n1'));
  await putObject(store, configMaps, 'a/x');
  await putObject(store, configMaps, 'a/x', onNode('n1'));
  expect(linesOf([withoutNode, withNode])).toEqual([['ADDED a/x@2', 'DELETED a/x@3'], ['ADDED a/x@3']]);
});

test('watchers without an index, of another field, and of a namespace or name are notified once each', async () => {
  const { store, matchCalls, scopeOfNode, watch } = await openFixture();
  const { recorder: everything } = watch({});
  const { recorder: otherField } = watch({
    matches: ({ labels }) => labels['app'] === 'x',
    indexed: { field: 'status.phase', value: 'Running' },
  });
  const { recorder: inNamespace } = watch(scopeOfNode('n1', { namespace: 'a' }));
  const { recorder: inOtherNamespace } = watch(scopeOfNode('n1', { namespace: 'b' }));
  const { recorder: named } = watch(scopeOfNode('n1', { name: 'x' }));
  await putObject(store, configMaps, 'a/x', { labels: { app: 'x' }, fields: { [FIELD]: 'n1', 'status.phase': 'Running' } });
  expect(linesOf([everything, otherField, inNamespace, named])).toEqual(Array.from({ length: 4 }, () => ['ADDED a/x@2']));
  expect(linesOf([inOtherNamespace])).toEqual([[]]);
  expect(matchCalls.count).toBe(2);
});

test('a closed watcher is not notified, even by the change that closes it', async () => {
  const { store, cache, matchCalls, scopeOfNode, watch } = await openFixture();
  const { recorder: first, opened } = watch(scopeOfNode('n1'));
  const { recorder: second } = watch(scopeOfNode('n1'));
  first.event = () => opened.close();
  await putObject(store, configMaps, 'a/x', onNode('n1'));
  await putObject(store, configMaps, 'a/y', onNode('n1'));
  expect(matchCalls.count).toBe(3);
  expect(second.lines).toEqual(['ADDED a/x@2', 'ADDED a/y@3']);
  expect(cache.statistics.watchers.get(configMaps.name)).toBe(1);
});

test('bookmarks, the initial state, a resume and the end of all watches do not depend on the index', async () => {
  const { store, cache, scopeOfNode, watch } = await openFixture();
  await putObject(store, configMaps, 'a/x', onNode('n1'));
  await putObject(store, configMaps, 'a/x', onNode('n2'));
  const { recorder: resumed, opened } = watch(scopeOfNode('n1'), { type: 'after', revision: 2 });
  const { recorder: state } = watch(scopeOfNode('n2'), { type: 'state' });
  await flushPromises();
  expect(linesOf([resumed, state])).toEqual([['DELETED a/x@3'], ['ADDED a/x@3']]);
  opened.sendBookmark();
  expect(resumed.bookmarks.map(({ revision }) => revision)).toEqual([3]);
  cache.endWatches(configMaps);
  expect([resumed.ended, state.ended]).toEqual([{ type: 'closed' }, { type: 'closed' }]);
});
