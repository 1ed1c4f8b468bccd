/** Contract: compaction. Each test has a store of its own, because compaction affects the whole store. */
import { prefixRange, type KeyValue } from '../store';
import { failureOf, put, remove, valueOf } from '../../../test/support/store/store-helpers';
import { StoreEventRecorder } from '../../../test/support/store/store-recorder';
import { useForEachTest } from '../../../test/support/use-resource';
import type { StoreTestContext } from './store-test-context';

/** Defines the tests of compaction; each creates its own store. */
export function describeCompaction(context: StoreTestContext): void {
  describe('compaction', () => {
    const everything = prefixRange('/');
    const instance = useForEachTest(
      () => context.factory.create(),
      (created) => created.dispose(),
      60_000,
    );
    /** The store of the test, with revisions 2 (a=1), 3 (b=1), 4 (a=2), 5 (b deleted), 6 (a=3) and 7 (c=1). */
    const filledStore = useForEachTest(
      async () => {
        const { store } = instance();
        await put(store, '/a', '1');
        await put(store, '/b', '1');
        await put(store, '/a', '2');
        await remove(store, '/b');
        await put(store, '/a', '3');
        await put(store, '/c', '1');
        return store;
      },
      undefined,
      60_000,
    );

    it('refuses to read older revisions and names the oldest readable one', async () => {
      const store = filledStore();
      await store.compact(4);
      expect(await failureOf(store.range({ ...everything, revision: 3 }))).toMatchObject({ failure: 'compacted', compactRevision: 4 });
      expect(await failureOf(store.get('/a', { revision: 1 }))).toMatchObject({ failure: 'compacted', compactRevision: 4 });
    });

    it('leaves the compacted revision and everything after it readable', async () => {
      const store = filledStore();
      await store.compact(4);
      await store.compact(5);
      const entriesAt = async (revision: number): Promise<string[]> =>
        (await store.range({ ...everything, revision })).kvs.map(({ key, value }) => `${key}=${value.toString()}`);
      expect(await entriesAt(5)).toEqual(['/a=2']);
      expect(await entriesAt(6)).toEqual(['/a=3']);
      expect(await entriesAt(7)).toEqual(['/a=3', '/c=1']);
      expect(await valueOf(store, '/a')).toBe('3');
      expect((await store.get('/a', { revision: 5 })).kv).toMatchObject({ createRevision: 2, modRevision: 4, version: 2 });
    });

    it('leaves a deleted key readable at the revisions where it existed', async () => {
      const store = filledStore();
      await store.compact(4);
      expect(await valueOf(store, '/b', 4)).toBe('1');
      expect(await valueOf(store, '/b', 5)).toBeUndefined();
    });

    it('accepts a repeated and an older revision, and refuses a future one', async () => {
      const store = filledStore();
      await store.compact(5);
      await store.compact(5);
      await store.compact(2);
      expect(await failureOf(store.range({ ...everything, revision: 4 }))).toMatchObject({ failure: 'compacted', compactRevision: 5 });
      expect(await failureOf(store.compact(8))).toMatchObject({ failure: 'future-revision' });
    });

    it('accepts the newest revision', async () => {
      const store = filledStore();
      await store.compact(7);
      expect((await store.range({ ...everything, revision: 7 })).kvs.map(({ key }) => key)).toEqual(['/a', '/c']);
      expect(await put(store, '/a', '4')).toBe(8);
      expect((await store.get('/a')).kv).toMatchObject({ createRevision: 2, version: 4 });
      expect(await valueOf(store, '/a', 7)).toBe('3');
    });

    it('ends a watch that asks for compacted revisions', async () => {
      const store = filledStore();
      await store.compact(5);
      const recorder = new StoreEventRecorder();
      store.watch(everything, 4, recorder);
      await recorder.until(() => recorder.compactedAt !== undefined);
      expect(recorder.compactedAt).toBe(5);
      expect(recorder.allEvents).toEqual([]);
    });

    it('lets a watch start at the compacted revision', async () => {
      const store = filledStore();
      await store.compact(6);
      const recorder = new StoreEventRecorder();
      const watch = store.watch(everything, 6, recorder);
      await recorder.count(2);
      watch.close();
      expect(recorder.log).toEqual(['put /a@6 3', 'put /c@7+ 1']);
    });

    it('does not disturb a watch that is up to date', async () => {
      const store = filledStore();
      const recorder = new StoreEventRecorder();
      const watch = store.watch(everything, 6, recorder);
      await recorder.count(2);
      await store.compact(7);
      await put(store, '/a', '4');
      await recorder.count(3);
      watch.close();
      expect(recorder.compactedAt).toBeUndefined();
    });

    it('survives a restart', async () => {
      await filledStore().compact(5);
      const store = await instance().restart();
      expect(await failureOf(store.range({ ...everything, revision: 4 }))).toMatchObject({ failure: 'compacted', compactRevision: 5 });
      expect((await store.range({ ...everything, revision: 5 })).kvs.map(({ key }) => key)).toEqual(['/a']);
    }, 60_000);

    it('leaves every readable revision unchanged when it is repeated over a long history', async () => {
      const store = filledStore();
      // The state of the store at each revision, read while it was the newest.
      const states = new Map<number, readonly KeyValue[]>();
      let revision = 7;
      for (let round = 0; round < 200; round++) {
        // 11 keys in turn; every fifth round deletes one.
        const key = `/k${(round * 7) % 11}`;
        revision = round % 5 === 4 ? await remove(store, key) : await put(store, key, String(round));
        states.set(revision, (await store.range(everything)).kvs);
        if (round % 40 === 39) await store.compact(revision - 25);
      }
      const reopened = await instance().restart();
      for (let readable = revision - 25; readable <= revision; readable++)
        expect((await reopened.range({ ...everything, revision: readable })).kvs).toEqual(states.get(readable));
    }, 60_000);
  });
}
