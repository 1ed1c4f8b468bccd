/**
 * Reads through the cache over each kind of store: pages that another replica continues, exact lists, compacted
 * revisions.
 */
import fc from 'fast-check';
import type { OpenedCache } from '../../../apiserver/cache/sync/open-cache';
import { NO_CONVERSIONS } from '../../../apiserver/registry/conversions';
import type { ListOptions, ListPage, Reader, RequestContext, Resource } from '../../../apiserver/registry/verbs';
import { parseContinueToken } from '../../../apiserver/registry/read/continue-token';
import { createReader } from '../../../apiserver/registry/read/reader';
import { selectionFor } from '../../../apiserver/registry/read/selection';
import { buildResources } from '../../../apiserver/registry/resources';
import type { Revision, Store } from '../../../apiserver/storage/store';
import { StatusError } from '../../../shared/api/errors/status';
import { systemClock } from '../../../shared/runtime/clock';
import { putObject, removeObject } from '../../support/store/cache-fixture';
import { openEtcd, openTemporaryEmbeddedStore, type OpenedStore } from '../../support/store/open-stores';
import { openTestCache } from '../../support/store/test-cache';
import { stopAfterTest, useForEachTest, useResource } from '../../support/use-resource';
import { describeWithEtcd, startEtcd } from '../../support/external/etcd';

const resources = buildResources();
const configMaps: Resource = resources.require('configmaps');
const context: RequestContext = { user: { name: 'someone', groups: [] }, deadline: Infinity, warn: () => undefined };

describe('reads over the embedded store', () => describeReads(openTemporaryEmbeddedStore));

describeWithEtcd('reads over etcd', () => {
  const server = useResource(startEtcd, (started) => started.dispose());

  describeReads(async () => {
    const store = await openEtcd(server().endpoint);
    const { kvs } = await store.range({ start: '/registry/', end: '/registry0', keysOnly: true });
    for (const { key } of kvs) await store.transact({ compare: [], operations: [{ type: 'delete', key }] });
    return { store, dispose: () => store.close() };
  });
});

function describeReads(open: () => Promise<OpenedStore>): void {
  const opened = useForEachTest(open, ({ dispose }) => dispose());
  const store = (): Store => opened().store;
  const closeAfterTest = stopAfterTest((cache: OpenedCache) => cache.close());

  async function openReader(): Promise<Reader> {
    const cache = closeAfterTest(openTestCache({ store: store(), types: resources.storedTypes, clock: systemClock }));
    await cache.whenReady();
    const options = { clock: systemClock, gates: { isEnabled: () => false }, conversions: NO_CONVERSIONS };
    return createReader({ cache, store: store(), ...options });
  }

  type Options = Partial<ListOptions> & { readonly labels?: string };

  function list(reader: Reader, { labels = '', ...options }: Options = {}, namespace = 'a'): Promise<ListPage> {
    return reader.list(context, configMaps, namespace, { selection: selectionFor(configMaps.row, labels, ''), ...options });
  }

  const write = (key: string, labels: Record<string, string> = {}): Promise<Revision> =>
    putObject(store(), configMaps.stored, key, { labels });
  const keys = (page: ListPage): string[] => [...page.entries].map(({ key }) => key);

  /** Reads the pages of a list, each through the next reader in turn, and calls `afterPage` after each. */
  async function readPages(readers: readonly Reader[], options: Options, afterPage: () => Promise<unknown>): Promise<ListPage[]> {
    const collected: ListPage[] = [];
    let token: string | undefined;
    do {
      const reader = readers[collected.length % readers.length];
      if (reader === undefined) throw new Error('no reader');
      const page = await list(reader, { ...options, ...(token === undefined ? {} : { continue: token }) }, '');
      collected.push({ ...page, entries: [...page.entries] });
      token = page.continue;
      await afterPage();
    } while (token !== undefined);
    return collected;
  }

  async function expectStatusError(promise: Promise<unknown>): Promise<StatusError> {
    const error: unknown = await promise.catch((reason: unknown) => reason);
    if (!(error instanceof StatusError)) throw new Error(`expected a StatusError, not ${String(error)}`);
    return error;
  }

  test('a read without a version returns every earlier write, on any replica', async () => {
    const first = await openReader();
    const second = await openReader();
    for (let i = 0; i < 20; i += 1) {
      const revision = await write('a/x');
      for (const reader of [first, second]) {
        expect((await reader.get(context, configMaps, { namespace: 'a', name: 'x' }, undefined)).revision).toBe(revision);
        expect((await list(reader)).revision).toBeGreaterThanOrEqual(revision);
      }
    }
    await removeObject(store(), configMaps.stored, 'a/x');
    expect(await expectStatusError(second.get(context, configMaps, { namespace: 'a', name: 'x' }, undefined))).toMatchObject({ code: 404 });
  });

  test('an exact list returns the state of its revision, also of one from before the cache was opened', async () => {
    const first = await write('a/c1');
    const second = await write('a/c2');
    const removed = await removeObject(store(), configMaps.stored, 'a/c1');
    for (const reader of [await openReader(), await openReader()]) {
      const listAt = async (resourceVersion: Revision, more: Options = {}): Promise<unknown> => {
        const page = await list(reader, { resourceVersion, resourceVersionMatch: 'Exact', ...more });
        return [keys(page), page.revision, page.remainingItemCount];
      };
      expect(await listAt(first)).toEqual([['a/c1'], first, undefined]);
      expect(await listAt(second)).toEqual([['a/c1', 'a/c2'], second, undefined]);
      expect(await listAt(second, { limit: 1 })).toEqual([['a/c1'], second, 1]);
      expect(await listAt(removed)).toEqual([['a/c2'], removed, undefined]);
    }
  });

  test('pages return one state, whatever is written between them and whichever replica serves them', async () => {
    const readers = [await openReader(), await openReader()];
    const anyKey = fc.tuple(fc.constantFrom('a', 'b', 'ab'), fc.integer({ min: 0, max: 12 })).map(([namespace, n]) => `${namespace}/c${n}`);
    const change = fc.record({ key: anyKey, isOdd: fc.boolean(), isRemoval: fc.boolean() });
    const applyChange = ({ key, isOdd, isRemoval }: { key: string; isOdd: boolean; isRemoval: boolean }): Promise<Revision> =>
      isRemoval ? removeObject(store(), configMaps.stored, key) : write(key, { parity: isOdd ? 'odd' : 'even' });
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { minLength: 1, maxLength: 15 }),
        fc.array(change, { maxLength: 4 }),
        fc.integer({ min: 1, max: 5 }),
        fc.constantFrom('', 'parity=odd'),
        async (changesBefore, changesBetweenPages, limit, labels) => {
          for (const planned of changesBefore) await applyChange(planned);
          const [reader] = readers;
          if (reader === undefined) throw new Error('no reader');
          const allKeys = keys(await list(reader, { labels }, ''));
          const pages = await readPages(readers, { limit, labels }, async () => {
            for (const planned of changesBetweenPages) await applyChange(planned);
          });
          expect(pages.flatMap(keys)).toEqual(allKeys);
          expect(new Set(pages.map(({ revision }) => revision)).size).toBe(1);
          let remaining = allKeys.length;
          for (const page of pages.slice(0, -1)) {
            expect(keys(page)).toHaveLength(limit);
            remaining -= limit;
            // The number is not known for a list with a selector.
            expect(page.remainingItemCount).toBe(labels === '' ? remaining : undefined);
          }
          expect(pages.at(-1)?.remainingItemCount).toBeUndefined();
        },
      ),
      { numRuns: 15 },
    );
  });

  test('a list at a compacted revision fails with 410 and a token that continues in the newest state', async () => {
    for (const name of ['c1', 'c2', 'c3']) await write(`a/${name}`);
    const first = await list(await openReader(), { limit: 1 });
    const newest = await write('a/c9');
    await store().compact(newest);
    const reader = await openReader();
    const error = await expectStatusError(list(reader, { limit: 1, continue: first.continue ?? '' }));
    expect(error).toMatchObject({ code: 410, reason: 'Expired' });
    const token = error.status.metadata.continue ?? '';
    expect(parseContinueToken(token)).toEqual({ revision: -1, start: 'c1\0' });
    const continued = await list(reader, { continue: token });
    expect([keys(continued), continued.revision >= newest]).toEqual([['a/c2', 'a/c3', 'a/c9'], true]);
    expect(await expectStatusError(list(reader, { resourceVersion: first.revision, resourceVersionMatch: 'Exact' }))).toMatchObject({
      code: 410,
    });
  });

  test('a list at a later resourceVersion fails with 504 after about three seconds', async () => {
    const reader = await openReader();
    const revision = await write('a/c1');
    const start = systemClock.monotonic();
    expect(await expectStatusError(list(reader, { resourceVersion: revision + 1_000 }))).toMatchObject({ code: 504, reason: 'Timeout' });
    // Timers may run a little early.
    expect(systemClock.monotonic() - start).toBeGreaterThan(2_900);
  });
}
