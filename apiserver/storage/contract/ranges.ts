/**
 * Contract: ranges. Keys are in byte order, limits leave the count correct, and all pages can be read at one revision.
 * Runs with every store.
 */
import { prefixRange, singleKey, type RangeRequest } from '../store';
import { failureOf, put, remove } from '../../../test/support/store/store-helpers';
import type { StoreTestContext } from './store-test-context';

/** Defines the tests of ranges and counts; they share the store of `context`. */
export function describeRanges(context: StoreTestContext): void {
  describe('ranges', () => {
    /** The keys of a range without the prefix of the test. */
    const keys = async (range: RangeRequest): Promise<string[]> =>
      (await context.store().range(range)).kvs.map(({ key }) => key.slice(context.prefix().length));

    /** Puts the named keys in this order, each at a revision of its own. */
    const fill = async (...names: string[]): Promise<void> => {
      for (const name of names) await put(context.store(), `${context.prefix()}${name}`, `value of ${name}`);
    };

    it('are empty when there are no keys', async () => {
      expect(await context.store().range(prefixRange(context.prefix()))).toEqual({
        revision: await context.store().revision(),
        kvs: [],
        more: false,
        count: 0,
      });
    });

    it('return keys, values and revisions in key order', async () => {
      await fill('b', 'a', 'c');
      const { kvs, count, more } = await context.store().range(prefixRange(context.prefix()));
      expect(kvs.map(({ key, value, version }) => [key.slice(context.prefix().length), value.toString(), version])).toEqual([
        ['a', 'value of a', 1],
        ['b', 'value of b', 1],
        ['c', 'value of c', 1],
      ]);
      expect(count).toBe(3);
      expect(more).toBe(false);
    });

    it('include their start and exclude their end', async () => {
      await fill('a', 'b', 'c');
      const at = (name: string): string => `${context.prefix()}${name}`;
      expect(await keys({ start: at('a'), end: at('c') })).toEqual(['a', 'b']);
      expect(await keys({ start: at('b'), end: at('b') })).toEqual([]);
      expect(await keys({ start: at('c'), end: at('a') })).toEqual([]);
      expect(await keys(singleKey(at('b')))).toEqual(['b']);
    });

    it('of a prefix contain only keys below the prefix', async () => {
      await fill('a', 'a!/x', 'a/', 'a/x', 'a/y/z', 'a0', 'ab/x', 'a-b/x');
      expect(await keys(prefixRange(`${context.prefix()}a/`))).toEqual(['a/', 'a/x', 'a/y/z']);
    });

    it('start just after a key when the start ends in NUL', async () => {
      await fill('a', 'a!', 'a/x', 'b');
      const rest = { start: `${context.prefix()}a\0`, end: `${context.prefix()}~` };
      expect(await keys(rest)).toEqual(['a!', 'a/x', 'b']);
      expect(await keys({ ...rest, revision: (await context.store().revision()) - 1 })).toEqual(['a!', 'a/x']);
    });

    it('order keys by their UTF-8 bytes, at the newest and at an older revision', async () => {
      // U+FF5E sorts after U+1F600 in UTF-16 but before it in UTF-8.
      const names = ['z', 'é', '\u{ff5e}', '\u{1f600}', 'Z', 'a'];
      await fill(...names);
      const sorted = [...names].sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
      const everything = { start: context.prefix(), end: `${context.prefix()}\u{10ffff}` };
      expect(await keys(everything)).toEqual(sorted);
      const revision = await context.store().revision();
      await fill('q');
      expect(await keys({ ...everything, revision })).toEqual(sorted);
      expect(await keys({ start: `${context.prefix()}\u{ff5e}`, end: `${context.prefix()}\u{1f600}\0` })).toEqual([
        '\u{ff5e}',
        '\u{1f600}',
      ]);
    });

    it('stop at the limit and count the keys beyond it', async () => {
      await fill('a', 'b', 'c', 'd');
      const range = prefixRange(context.prefix());
      const readPage = async (limit: number) => {
        const { kvs, more, count } = await context.store().range({ ...range, limit });
        return { entries: kvs.length, more, count };
      };
      expect(await readPage(3)).toEqual({ entries: 3, more: true, count: 4 });
      expect(await readPage(4)).toEqual({ entries: 4, more: false, count: 4 });
      expect(await readPage(9)).toEqual({ entries: 4, more: false, count: 4 });
      // 0 is no limit.
      expect(await readPage(0)).toEqual({ entries: 4, more: false, count: 4 });
    });

    it('leave out the values when only keys are requested', async () => {
      await fill('a', 'b');
      const range = { ...prefixRange(context.prefix()), keysOnly: true };
      const now = await context.store().range(range);
      const past = await context.store().range({ ...range, revision: now.revision - 1 });
      expect(now.kvs.map(({ key, value, modRevision }) => [key.slice(-1), value.length, modRevision])).toEqual([
        ['a', 0, now.revision - 1],
        ['b', 0, now.revision],
      ]);
      expect(past.kvs.map(({ key, value, modRevision }) => [key.slice(-1), value.length, modRevision])).toEqual([
        ['a', 0, now.revision - 1],
      ]);
    });

    it('count the keys of a range', async () => {
      await fill('a', 'b', 'c');
      expect(await context.store().count(prefixRange(context.prefix()))).toEqual({ revision: await context.store().revision(), count: 3 });
    });

    it('return the state at an older revision', async () => {
      const a = `${context.prefix()}a`;
      const b = `${context.prefix()}b`;
      const first = await put(context.store(), a, '1');
      const second = await put(context.store(), b, '1');
      const third = await put(context.store(), a, '2');
      const fourth = await remove(context.store(), b);
      const fifth = await put(context.store(), b, '3');
      /** Key, value, create revision, mod revision and version of each entry at `revision`. */
      const view = async (revision: number): Promise<unknown> => {
        const { kvs, count, revision: current } = await context.store().range({ ...prefixRange(context.prefix()), revision });
        expect(current).toBe(fifth);
        expect(count).toBe(kvs.length);
        return kvs.map((kv) => [kv.key.slice(-1), kv.value.toString(), kv.createRevision, kv.modRevision, kv.version]);
      };
      expect(await view(first - 1)).toEqual([]);
      expect(await view(first)).toEqual([['a', '1', first, first, 1]]);
      expect(await view(second)).toEqual([
        ['a', '1', first, first, 1],
        ['b', '1', second, second, 1],
      ]);
      expect(await view(third)).toEqual([
        ['a', '2', first, third, 2],
        ['b', '1', second, second, 1],
      ]);
      expect(await view(fourth)).toEqual([['a', '2', first, third, 2]]);
      expect(await view(fifth)).toEqual([
        ['a', '2', first, third, 2],
        ['b', '3', fifth, fifth, 1],
      ]);
      expect((await context.store().get(b, { revision: third })).kv).toMatchObject({ modRevision: second });
      expect((await context.store().get(b, { revision: fourth })).kv).toBeUndefined();
    });

    it('apply the limit and count at an older revision', async () => {
      await fill('a', 'b', 'c', 'd');
      const revision = await context.store().revision();
      await remove(context.store(), `${context.prefix()}a`);
      const page = await context.store().range({ ...prefixRange(context.prefix()), revision, limit: 2 });
      expect(page.kvs.map(({ key }) => key.slice(-1))).toEqual(['a', 'b']);
      expect(page.more).toBe(true);
      expect(page.count).toBe(4);
    });

    it('refuse a future revision', async () => {
      const revision = (await context.store().revision()) + 1;
      expect(await failureOf(context.store().range({ ...prefixRange(context.prefix()), revision }))).toMatchObject({
        failure: 'future-revision',
      });
      expect(await failureOf(context.store().get('/a', { revision }))).toMatchObject({ failure: 'future-revision' });
    });

    it('return thousands of keys at one revision while they change', async () => {
      const names = Array.from({ length: 2_300 }, (_, index) => `${context.prefix()}${String(index).padStart(5, '0')}`);
      for (let at = 0; at < names.length; at += 500) {
        const operations = names.slice(at, at + 500).map((key) => ({ type: 'put' as const, key, value: Buffer.from('old') }));
        await context.store().transact({ compare: [], operations });
      }
      const reading = context.store().range(prefixRange(context.prefix()));
      const writing = Promise.all([names[0], names[1_200], names[2_299]].map((key) => put(context.store(), key ?? '', 'new')));
      const { kvs, count, revision } = await reading;
      await writing;
      expect(kvs).toHaveLength(2_300);
      expect(count).toBe(2_300);
      expect(kvs.every(({ modRevision }) => modRevision <= revision)).toBe(true);
      const again = await context.store().range({ ...prefixRange(context.prefix()), revision });
      expect(again.kvs).toEqual(kvs);
      const page = await context.store().range({ ...prefixRange(context.prefix()), limit: 1_700 });
      expect(page.kvs).toHaveLength(1_700);
      expect(page.count).toBe(2_300);
      expect(page.more).toBe(true);
    });
  });
}
