/** Contract: ranges, limits, counts, older revisions, order. */
import { prefixRange, singleKey } from '../store';
import { failureOf, put, remove } from '../../../test/support/store-helpers';
import type { Scene } from './subject';

export function rangeTests(scene: Scene): void {
  describe('ranges', () => {
    const keys = async (range: Parameters<ReturnType<Scene['store']>['range']>[0]): Promise<string[]> =>
      (await scene.store().range(range)).kvs.map(({ key }) => key.slice(scene.prefix().length));

    const fill = async (...names: string[]): Promise<void> => {
      for (const name of names) await put(scene.store(), `${scene.prefix()}${name}`, `value of ${name}`);
    };

    it('are empty where there are no keys', async () => {
      expect(await scene.store().range(prefixRange(scene.prefix()))).toEqual({
        revision: await scene.store().revision(),
        kvs: [],
        more: false,
        count: 0,
      });
    });

    it('return keys, values and revisions in key order', async () => {
      await fill('b', 'a', 'c');
      const { kvs, count, more } = await scene.store().range(prefixRange(scene.prefix()));
      expect(kvs.map(({ key, value, version }) => [key.slice(scene.prefix().length), value.toString(), version])).toEqual([
        ['a', 'value of a', 1],
        ['b', 'value of b', 1],
        ['c', 'value of c', 1],
      ]);
      expect([count, more]).toEqual([3, false]);
    });

    it('end before their end and begin at their start', async () => {
      await fill('a', 'b', 'c');
      const at = (name: string): string => `${scene.prefix()}${name}`;
      expect(await keys({ start: at('a'), end: at('c') })).toEqual(['a', 'b']);
      expect(await keys({ start: at('b'), end: at('b') })).toEqual([]);
      expect(await keys({ start: at('c'), end: at('a') })).toEqual([]);
      expect(await keys(singleKey(at('b')))).toEqual(['b']);
    });

    it('of a prefix hold neither its neighbours nor longer names', async () => {
      await fill('a', 'a!/x', 'a/', 'a/x', 'a/y/z', 'a0', 'ab/x', 'a-b/x');
      expect(await keys(prefixRange(`${scene.prefix()}a/`))).toEqual(['a/', 'a/x', 'a/y/z']);
    });

    it('continue just after a key', async () => {
      await fill('a', 'a!', 'a/x', 'b');
      const rest = { start: `${scene.prefix()}a\0`, end: `${scene.prefix()}~` };
      expect(await keys(rest)).toEqual(['a!', 'a/x', 'b']);
      expect(await keys({ ...rest, revision: (await scene.store().revision()) - 1 })).toEqual(['a!', 'a/x']);
    });

    it('order keys by their UTF-8 bytes, now and in the past', async () => {
      // U+FF5E sorts after U+1F600 in UTF-16 but before it in UTF-8.
      const names = ['z', 'é', '\u{ff5e}', '\u{1f600}', 'Z', 'a'];
      await fill(...names);
      const sorted = [...names].sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
      const all = { start: scene.prefix(), end: `${scene.prefix()}\u{10ffff}` };
      expect(await keys(all)).toEqual(sorted);
      const revision = await scene.store().revision();
      await fill('q');
      expect(await keys({ ...all, revision })).toEqual(sorted);
      expect(await keys({ start: `${scene.prefix()}\u{ff5e}`, end: `${scene.prefix()}\u{1f600}\0` })).toEqual(['\u{ff5e}', '\u{1f600}']);
    });

    it('stop at the limit, and count what is beyond it', async () => {
      await fill('a', 'b', 'c', 'd');
      const range = prefixRange(scene.prefix());
      const page = await scene.store().range({ ...range, limit: 3 });
      expect([page.kvs.length, page.more, page.count]).toEqual([3, true, 4]);
      const exact = await scene.store().range({ ...range, limit: 4 });
      expect([exact.kvs.length, exact.more, exact.count]).toEqual([4, false, 4]);
      const generous = await scene.store().range({ ...range, limit: 9 });
      expect([generous.kvs.length, generous.more, generous.count]).toEqual([4, false, 4]);
      const unlimited = await scene.store().range({ ...range, limit: 0 });
      expect([unlimited.kvs.length, unlimited.more]).toEqual([4, false]);
    });

    it('leave the values out when only keys are asked for', async () => {
      await fill('a', 'b');
      const range = { ...prefixRange(scene.prefix()), keysOnly: true };
      const now = await scene.store().range(range);
      const past = await scene.store().range({ ...range, revision: now.revision - 1 });
      expect(now.kvs.map(({ key, value, modRevision }) => [key.slice(-1), value.length, modRevision])).toEqual([
        ['a', 0, now.revision - 1],
        ['b', 0, now.revision],
      ]);
      expect(past.kvs.map(({ key, value, modRevision }) => [key.slice(-1), value.length, modRevision])).toEqual([
        ['a', 0, now.revision - 1],
      ]);
    });

    it('count without reading', async () => {
      await fill('a', 'b', 'c');
      expect(await scene.store().count(prefixRange(scene.prefix()))).toEqual({ revision: await scene.store().revision(), count: 3 });
    });

    it('return past revisions as they were', async () => {
      const [a, b] = [`${scene.prefix()}a`, `${scene.prefix()}b`];
      const first = await put(scene.store(), a, '1');
      const second = await put(scene.store(), b, '1');
      const third = await put(scene.store(), a, '2');
      const fourth = await remove(scene.store(), b);
      const fifth = await put(scene.store(), b, '3');
      const view = async (revision: number): Promise<unknown> => {
        const { kvs, count, revision: current } = await scene.store().range({ ...prefixRange(scene.prefix()), revision });
        expect(current).toBe(fifth);
        expect(count).toBe(kvs.length);
        return kvs.map((kv) => [kv.key.slice(-1), kv.value.toString(), kv.createRevision, kv.modRevision, kv.version]);
      };
      expect(await view(first - 1)).toEqual([]);
      expect(await view(first)).toEqual([['a', '1', first, first, 1]]);
      const both = [
        ['a', '1', first, first, 1],
        ['b', '1', second, second, 1],
      ];
      expect(await view(second)).toEqual(both);
      expect(await view(third)).toEqual([['a', '2', first, third, 2], both[1]]);
      expect(await view(fourth)).toEqual([['a', '2', first, third, 2]]);
      expect(await view(fifth)).toEqual([
        ['a', '2', first, third, 2],
        ['b', '3', fifth, fifth, 1],
      ]);
      expect((await scene.store().get(b, { revision: third })).kv).toMatchObject({ modRevision: second });
      expect((await scene.store().get(b, { revision: fourth })).kv).toBeUndefined();
    });

    it('limit and count in the past', async () => {
      await fill('a', 'b', 'c', 'd');
      const revision = await scene.store().revision();
      await remove(scene.store(), `${scene.prefix()}a`);
      const page = await scene.store().range({ ...prefixRange(scene.prefix()), revision, limit: 2 });
      expect([page.kvs.map(({ key }) => key.slice(-1)), page.more, page.count]).toEqual([['a', 'b'], true, 4]);
    });

    it('refuse a revision that does not exist yet', async () => {
      const revision = (await scene.store().revision()) + 1;
      expect(await failureOf(scene.store().range({ ...prefixRange(scene.prefix()), revision }))).toMatchObject({
        failure: 'future-revision',
      });
      expect(await failureOf(scene.store().get('/a', { revision }))).toMatchObject({ failure: 'future-revision' });
    });

    it('read thousands of keys at one revision while they change', async () => {
      const names = Array.from({ length: 2_300 }, (_, index) => `${scene.prefix()}${String(index).padStart(5, '0')}`);
      for (let at = 0; at < names.length; at += 500) {
        const operations = names.slice(at, at + 500).map((key) => ({ type: 'put' as const, key, value: Buffer.from('old') }));
        await scene.store().transact({ compare: [], operations });
      }
      const reading = scene.store().range(prefixRange(scene.prefix()));
      const writing = Promise.all([names[0], names[1_200], names[2_299]].map((key) => put(scene.store(), key ?? '', 'new')));
      const { kvs, count, revision } = await reading;
      await writing;
      expect([kvs.length, count]).toEqual([2_300, 2_300]);
      expect(kvs.every(({ modRevision }) => modRevision <= revision)).toBe(true);
      const again = await scene.store().range({ ...prefixRange(scene.prefix()), revision });
      expect(again.kvs).toEqual(kvs);
      const page = await scene.store().range({ ...prefixRange(scene.prefix()), limit: 1_700 });
      expect([page.kvs.length, page.count, page.more]).toEqual([1_700, 2_300, true]);
    });
  });
}
