/**
 * Contract: transactions. All operations of a transaction have one revision, and none is applied when a comparison
 * fails. Runs with every store.
 */
import { singleKey, StoreError } from '../store';
import { failureOf, put, remove, valueOf } from '../../../test/support/store/store-helpers';
import type { StoreTestContext } from './store-test-context';

/** The store under test may be shared with other suites: keys are below `context.prefix()`. */
export function describeTransactions(context: StoreTestContext): void {
  describe('transactions', () => {
    it('give the first write revision 2 after an initial revision 1', async () => {
      const instance = await context.factory.create();
      try {
        expect(await instance.store.revision()).toBe(1);
        expect(await put(instance.store, '/first', 'a')).toBe(2);
        expect(await instance.store.revision()).toBe(2);
        expect((await instance.store.status()).revision).toBe(2);
      } finally {
        await instance.dispose();
      }
    }, 60_000);

    it('report the same revision asynchronously and synchronously, and fail after close', async () => {
      const instance = await context.factory.create();
      try {
        const { store } = instance;
        const revisionSync = store.revisionSync?.bind(store);
        // A store that needs a request to know its revision lacks the method.
        if (revisionSync === undefined) return;
        const before = await store.revision();
        expect(revisionSync()).toBe(before);
        const written = put(store, '/first', 'a');
        // Not committed yet, so the new revision must not be visible.
        expect(revisionSync()).toBe(before);
        const revision = await written;
        expect(revisionSync()).toBe(revision);
        await store.close();
        expect(() => revisionSync()).toThrow(StoreError);
      } finally {
        await instance.dispose();
      }
    }, 60_000);

    it('read a key that does not exist as undefined', async () => {
      const { kv, revision } = await context.store().get(`${context.prefix()}none`);
      expect(kv).toBeUndefined();
      expect(revision).toBe(await context.store().revision());
    });

    it('create a key that does not exist', async () => {
      const key = `${context.prefix()}a`;
      const before = await context.store().revision();
      const result = await context.store().transact({
        compare: [{ key, modRevision: 0 }],
        operations: [{ type: 'put', key, value: Buffer.from([0, 255, 128, 10]) }],
      });
      expect(result).toEqual({ committed: true, revision: before + 1 });
      expect((await context.store().get(key)).kv).toEqual({
        key,
        value: Buffer.from([0, 255, 128, 10]),
        createRevision: before + 1,
        modRevision: before + 1,
        version: 1,
      });
    });

    it('refuse to create a key that exists, and return its state', async () => {
      const key = `${context.prefix()}a`;
      const created = await put(context.store(), key, 'old');
      const result = await context.store().transact({
        compare: [{ key, modRevision: 0 }],
        operations: [{ type: 'put', key, value: Buffer.from('new') }],
      });
      expect(result).toEqual({
        committed: false,
        revision: created,
        current: [{ key, value: Buffer.from('old'), createRevision: created, modRevision: created, version: 1 }],
      });
      expect(await valueOf(context.store(), key)).toBe('old');
      expect(await context.store().revision()).toBe(created);
    });

    it('update a key at the expected revision only, and count versions', async () => {
      const key = `${context.prefix()}a`;
      const first = await put(context.store(), key, '1');
      const update = (modRevision: number, value: string) =>
        context.store().transact({ compare: [{ key, modRevision }], operations: [{ type: 'put', key, value: Buffer.from(value) }] });
      expect(await update(first, '2')).toEqual({ committed: true, revision: first + 1 });
      expect(await update(first, '3')).toMatchObject({ committed: false, current: [{ modRevision: first + 1, version: 2 }] });
      expect((await context.store().get(key)).kv).toMatchObject({ createRevision: first, modRevision: first + 1, version: 2 });
    });

    it('delete a key at the expected revision only', async () => {
      const key = `${context.prefix()}a`;
      const first = await put(context.store(), key, '1');
      const deleteAt = (modRevision: number) =>
        context.store().transact({ compare: [{ key, modRevision }], operations: [{ type: 'delete', key }] });
      expect(await deleteAt(first - 1)).toMatchObject({ committed: false });
      expect(await deleteAt(first)).toEqual({ committed: true, revision: first + 1 });
      expect(await valueOf(context.store(), key)).toBeUndefined();
      expect(await deleteAt(first)).toEqual({ committed: false, revision: first + 1, current: [undefined] });
    });

    it('give a new create revision to a key that was deleted before', async () => {
      const key = `${context.prefix()}a`;
      await put(context.store(), key, '1');
      await put(context.store(), key, '2');
      await remove(context.store(), key);
      const again = await put(context.store(), key, '3');
      expect((await context.store().get(key)).kv).toMatchObject({ createRevision: again, modRevision: again, version: 1 });
    });

    it('take no revision when they change nothing', async () => {
      const before = await context.store().revision();
      expect(await remove(context.store(), `${context.prefix()}none`)).toBe(before);
      expect(await context.store().transact({ compare: [], operations: [] })).toEqual({ committed: true, revision: before });
      expect(await context.store().revision()).toBe(before);
    });

    it('apply several operations at one revision', async () => {
      const a = `${context.prefix()}a`;
      const b = `${context.prefix()}b`;
      const c = `${context.prefix()}c`;
      const first = await put(context.store(), a, '1');
      const result = await context.store().transact({
        compare: [
          { key: a, modRevision: first },
          { key: b, modRevision: 0 },
        ],
        operations: [
          { type: 'delete', key: a },
          { type: 'put', key: b, value: Buffer.from('b') },
          { type: 'put', key: c, value: Buffer.from('c') },
        ],
      });
      expect(result).toEqual({ committed: true, revision: first + 1 });
      const { kvs } = await context.store().range({ start: context.prefix(), end: `${context.prefix()}~` });
      expect(kvs.map(({ key, modRevision }) => [key, modRevision])).toEqual([
        [b, first + 1],
        [c, first + 1],
      ]);
    });

    it('apply nothing when one of several conditions fails, and return every compared key in order', async () => {
      const a = `${context.prefix()}a`;
      const b = `${context.prefix()}b`;
      const c = `${context.prefix()}c`;
      const first = await put(context.store(), a, '1');
      const result = await context.store().transact({
        compare: [
          { key: c, modRevision: 0 },
          { key: a, modRevision: first },
          { key: b, exists: true },
        ],
        operations: [
          { type: 'put', key: a, value: Buffer.from('x') },
          { type: 'put', key: c, value: Buffer.from('x') },
        ],
      });
      expect(result).toMatchObject({ committed: false, revision: first, current: [undefined, { key: a, modRevision: first }, undefined] });
      expect(await valueOf(context.store(), a)).toBe('1');
      expect(await valueOf(context.store(), c)).toBeUndefined();
    });

    it('can require that another key exists', async () => {
      const guard = `${context.prefix()}guard`;
      const key = `${context.prefix()}key`;
      const create = () =>
        context.store().transact({ compare: [{ key: guard, exists: true }], operations: [{ type: 'put', key, value: Buffer.from('x') }] });
      expect(await create()).toMatchObject({ committed: false, current: [undefined] });
      await put(context.store(), guard, '');
      expect(await create()).toMatchObject({ committed: true });
      expect((await context.store().get(guard)).kv?.value).toHaveLength(0);
    });

    it('commit exactly one of many concurrent creations', async () => {
      const key = `${context.prefix()}a`;
      const before = await context.store().revision();
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          context.store().transact({
            compare: [{ key, modRevision: 0 }],
            operations: [{ type: 'put', key, value: Buffer.from(String(index)) }],
          }),
        ),
      );
      const winners = results.flatMap((result, index) => (result.committed ? [index] : []));
      expect(winners).toHaveLength(1);
      expect(await valueOf(context.store(), key)).toBe(String(winners[0]));
      expect(await context.store().revision()).toBe(before + 1);
      for (const result of results) {
        if (!result.committed) expect(result.current[0]?.value.toString()).toBe(String(winners[0]));
      }
    });

    it('lose no increment of concurrent writers', async () => {
      const key = `${context.prefix()}n`;
      await put(context.store(), key, '0');
      const increment = async (): Promise<void> => {
        let { kv } = await context.store().get(key);
        for (;;) {
          const value = Buffer.from(String(Number(kv?.value.toString()) + 1));
          const result = await context.store().transact({
            compare: [{ key, modRevision: kv?.modRevision ?? 0 }],
            operations: [{ type: 'put', key, value }],
          });
          if (result.committed) return;
          [kv] = result.current;
        }
      };
      await Promise.all(Array.from({ length: 12 }, increment));
      expect(await valueOf(context.store(), key)).toBe('12');
      expect((await context.store().get(key)).kv?.version).toBe(13);
    });

    it('are visible to reads as soon as they are committed', async () => {
      for (let round = 0; round < 30; round++) {
        const key = `${context.prefix()}${round % 3}`;
        const revision = await put(context.store(), key, String(round));
        const [value, latest, range] = await Promise.all([
          valueOf(context.store(), key),
          context.store().revision(),
          context.store().range(singleKey(key)),
        ]);
        expect(value).toBe(String(round));
        expect(latest).toBe(revision);
        expect(range.kvs[0]?.modRevision).toBe(revision);
      }
    });

    it('preserve a returned value when the key is written again', async () => {
      const key = `${context.prefix()}a`;
      await put(context.store(), key, 'aaaa');
      const { kv: first } = await context.store().get(key);
      await put(context.store(), key, 'bbbb');
      const { kv: second } = await context.store().get(key);
      expect(first?.value.toString()).toBe('aaaa');
      expect(second?.value.toString()).toBe('bbbb');
    });

    it('accept a value of one megabyte', async () => {
      const key = `${context.prefix()}large`;
      const value = Buffer.alloc(1_000_000, 'abc');
      await context.store().transact({ compare: [], operations: [{ type: 'put', key, value }] });
      expect((await context.store().get(key)).kv?.value.equals(value)).toBe(true);
    });

    it('refuse an oversized transaction without an effect', async () => {
      const key = `${context.prefix()}large`;
      const write = context.store().transact({ compare: [], operations: [{ type: 'put', key, value: Buffer.alloc(4 << 20) }] });
      expect(await failureOf(write)).toMatchObject({ failure: 'too-large' });
      expect(await valueOf(context.store(), key)).toBeUndefined();
    });

    it('accept 1,000 operations', async () => {
      const operations = Array.from({ length: 1_000 }, (_, index) => ({
        type: 'put' as const,
        key: `${context.prefix()}${String(index).padStart(4, '0')}`,
        value: Buffer.from(String(index)),
      }));
      expect(context.store().maxOperations).toBeGreaterThanOrEqual(1_000);
      const { revision } = await context.store().transact({ compare: [], operations });
      const { kvs } = await context.store().range({ start: context.prefix(), end: `${context.prefix()}~` });
      expect(kvs).toHaveLength(1_000);
      expect(new Set(kvs.map(({ modRevision }) => modRevision))).toEqual(new Set([revision]));
    });

    it('refuse a key written twice, an empty key, and a key with NUL', async () => {
      const key = `${context.prefix()}a`;
      const write = { type: 'put' as const, value: Buffer.from('x') };
      for (const keys of [[key, key], [''], ['/a\0b']]) {
        const attempt = context.store().transact({ compare: [], operations: keys.map((name) => ({ ...write, key: name })) });
        expect(await failureOf(attempt)).toMatchObject({ failure: 'internal' });
      }
      expect(await valueOf(context.store(), key)).toBeUndefined();
    });

    it('refuse a call whose deadline has passed', async () => {
      const key = `${context.prefix()}a`;
      const write = { compare: [], operations: [{ type: 'put' as const, key, value: Buffer.from('x') }] };
      expect(await failureOf(context.store().transact(write, { deadline: -1 }))).toMatchObject({ failure: 'unavailable' });
      expect(await failureOf(context.store().get(key, { deadline: -1 }))).toMatchObject({ failure: 'deadline' });
      expect(await valueOf(context.store(), key)).toBeUndefined();
    });

    it('survive a restart with their revisions and history', async () => {
      const instance = await context.factory.create();
      try {
        await put(instance.store, '/a', '1');
        await put(instance.store, '/a', '2');
        await put(instance.store, '/b', '1');
        await remove(instance.store, '/b');
        const store = await instance.restart();
        expect(await store.revision()).toBe(5);
        expect((await store.get('/a')).kv).toMatchObject({ createRevision: 2, modRevision: 3, version: 2 });
        expect(await valueOf(store, '/a', 2)).toBe('1');
        expect(await valueOf(store, '/b', 4)).toBe('1');
        expect(await valueOf(store, '/b')).toBeUndefined();
        expect(await put(store, '/c', '1')).toBe(6);
      } finally {
        await instance.dispose();
      }
    }, 60_000);

    it('are refused after close', async () => {
      const instance = await context.factory.create();
      await instance.store.close();
      await instance.store.close();
      expect(await failureOf(instance.store.get('/a'))).toMatchObject({ failure: 'closed' });
      expect(await failureOf(put(instance.store, '/a', '1'))).toMatchObject({ failure: 'closed' });
      await instance.dispose();
    }, 60_000);
  });
}
