/** Contract: compaction. Each test has a store of its own, because compaction concerns the whole of it. */
import { prefixRange, type Store } from '../store';
import { failureOf, put, remove, valueOf } from '../../../test/support/store-helpers';
import { Recorder } from '../../../test/support/store-recorder';
import type { Scene, StoreUnderTest } from './subject';

export function compactionTests(scene: Scene): void {
  describe('compaction', () => {
    let own: StoreUnderTest;
    let store: Store;
    const all = prefixRange('/');

    beforeEach(async () => {
      own = await scene.subject.create();
      store = own.store;
      // 2 a=1, 3 b=1, 4 a=2, 5 delete b, 6 a=3, 7 c=1
      await put(store, '/a', '1');
      await put(store, '/b', '1');
      await put(store, '/a', '2');
      await remove(store, '/b');
      await put(store, '/a', '3');
      await put(store, '/c', '1');
    }, 60_000);
    afterEach(() => own.dispose());

    it('refuses older revisions and names the oldest readable one', async () => {
      await store.compact(4);
      expect(await failureOf(store.range({ ...all, revision: 3 }))).toEqual({ failure: 'compacted', compactRevision: 4 });
      expect(await failureOf(store.get('/a', { revision: 1 }))).toEqual({ failure: 'compacted', compactRevision: 4 });
    });

    it('leaves the compacted revision and everything after it readable', async () => {
      await store.compact(4);
      await store.compact(5);
      const at = async (revision: number): Promise<string[]> =>
        (await store.range({ ...all, revision })).kvs.map(({ key, value }) => `${key}=${value.toString()}`);
      expect(await at(5)).toEqual(['/a=2']);
      expect(await at(6)).toEqual(['/a=3']);
      expect(await at(7)).toEqual(['/a=3', '/c=1']);
      expect(await valueOf(store, '/a')).toBe('3');
      expect((await store.get('/a', { revision: 5 })).kv).toMatchObject({ createRevision: 2, modRevision: 4, version: 2 });
    });

    it('keeps a deleted key readable where it still existed', async () => {
      await store.compact(4);
      expect(await valueOf(store, '/b', 4)).toBe('1');
      expect(await valueOf(store, '/b', 5)).toBeUndefined();
    });

    it('is no error when repeated or older, and refuses the future', async () => {
      await store.compact(5);
      await store.compact(5);
      await store.compact(2);
      expect(await failureOf(store.range({ ...all, revision: 4 }))).toEqual({ failure: 'compacted', compactRevision: 5 });
      expect(await failureOf(store.compact(8))).toMatchObject({ failure: 'future-revision' });
    });

    it('may reach the newest revision', async () => {
      await store.compact(7);
      expect((await store.range({ ...all, revision: 7 })).kvs.map(({ key }) => key)).toEqual(['/a', '/c']);
      expect(await put(store, '/a', '4')).toBe(8);
      expect((await store.get('/a')).kv).toMatchObject({ createRevision: 2, version: 4 });
      expect(await valueOf(store, '/a', 7)).toBe('3');
    });

    it('ends a watch that asks for compacted revisions', async () => {
      await store.compact(5);
      const seen = new Recorder();
      store.watch(all, 4, seen);
      await seen.until(() => seen.compactedAt !== undefined);
      expect([seen.compactedAt, seen.all]).toEqual([5, []]);
    });

    it('lets a watch start at the compacted revision', async () => {
      await store.compact(6);
      const seen = new Recorder();
      const watch = store.watch(all, 6, seen);
      await seen.count(2);
      watch.close();
      expect(seen.log).toEqual(['put /a@6 3', 'put /c@7+ 1']);
    });

    it('does not disturb a watch that is up to date', async () => {
      const seen = new Recorder();
      const watch = store.watch(all, 6, seen);
      await seen.count(2);
      await store.compact(7);
      await put(store, '/a', '4');
      await seen.count(3);
      watch.close();
      expect(seen.compactedAt).toBeUndefined();
    });

    it('persists over a restart', async () => {
      await store.compact(5);
      store = await own.restart();
      expect(await failureOf(store.range({ ...all, revision: 4 }))).toEqual({ failure: 'compacted', compactRevision: 5 });
      expect((await store.range({ ...all, revision: 5 })).kvs.map(({ key }) => key)).toEqual(['/a']);
    }, 60_000);

    it('repeated over a long history reads like a history that was never compacted', async () => {
      const model = new Map<number, string>();
      let revision = 7;
      for (let round = 0; round < 200; round++) {
        const key = `/k${(round * 7) % 11}`;
        revision = round % 5 === 4 ? await remove(store, key) : await put(store, key, String(round));
        const { kvs } = await store.range(all);
        model.set(
          revision,
          kvs.map((kv) => `${kv.key}=${kv.value.toString()}@${kv.createRevision}/${kv.modRevision}/${kv.version}`).join(),
        );
        if (round % 40 === 39) await store.compact(revision - 25);
      }
      store = await own.restart();
      for (let at = revision - 25; at <= revision; at++) {
        const { kvs } = await store.range({ ...all, revision: at });
        const text = kvs.map((kv) => `${kv.key}=${kv.value.toString()}@${kv.createRevision}/${kv.modRevision}/${kv.version}`).join();
        expect(text).toBe(model.get(at));
      }
    }, 60_000);
  });
}
