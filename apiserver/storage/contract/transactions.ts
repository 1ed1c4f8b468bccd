/** Contract: single keys and transactions. */
import { singleKey, StoreError } from '../store';
import { failureOf, put, remove, valueOf } from '../../../test/support/store-helpers';
import type { Scene } from './subject';

export function transactionTests(scene: Scene): void {
  describe('transactions', () => {
    it('start at revision 1 and give the first write revision 2', async () => {
      const own = await scene.subject.create();
      try {
        expect(await own.store.revision()).toBe(1);
        expect(await put(own.store, '/first', 'a')).toBe(2);
        expect(await own.store.revision()).toBe(2);
        expect((await own.store.status()).revision).toBe(2);
      } finally {
        await own.dispose();
      }
    }, 60_000);

    it('report the newest revision in the same way asked or known at once, and fail after close', async () => {
      const own = await scene.subject.create();
      try {
        const known = (): number | undefined => own.store.revisionNow?.();
        const before = await own.store.revision();
        expect([before, undefined]).toContain(known());
        const written = put(own.store, '/first', 'a');
        // Not yet answered, so nobody may read it.
        expect([before, undefined]).toContain(known());
        expect([await written, undefined]).toContain(known());
        await own.store.close();
        if (own.store.revisionNow !== undefined) expect(known).toThrow(StoreError);
      } finally {
        await own.dispose();
      }
    }, 60_000);

    it('read a key that does not exist as undefined', async () => {
      const { kv, revision } = await scene.store().get(`${scene.prefix()}none`);
      expect(kv).toBeUndefined();
      expect(revision).toBe(await scene.store().revision());
    });

    it('create a key that does not exist', async () => {
      const key = `${scene.prefix()}a`;
      const before = await scene.store().revision();
      const result = await scene.store().transact({
        compare: [{ key, modRevision: 0 }],
        operations: [{ type: 'put', key, value: Buffer.from([0, 255, 128, 10]) }],
      });
      expect(result).toEqual({ committed: true, revision: before + 1 });
      expect((await scene.store().get(key)).kv).toEqual({
        key,
        value: Buffer.from([0, 255, 128, 10]),
        createRevision: before + 1,
        modRevision: before + 1,
        version: 1,
      });
    });

    it('refuse to create what exists, and return it', async () => {
      const key = `${scene.prefix()}a`;
      const created = await put(scene.store(), key, 'old');
      const result = await scene.store().transact({
        compare: [{ key, modRevision: 0 }],
        operations: [{ type: 'put', key, value: Buffer.from('new') }],
      });
      expect(result).toEqual({
        committed: false,
        revision: created,
        current: [{ key, value: Buffer.from('old'), createRevision: created, modRevision: created, version: 1 }],
      });
      expect(await valueOf(scene.store(), key)).toBe('old');
      expect(await scene.store().revision()).toBe(created);
    });

    it('update at the expected revision only, and count versions', async () => {
      const key = `${scene.prefix()}a`;
      const first = await put(scene.store(), key, '1');
      const update = (modRevision: number, value: string) =>
        scene.store().transact({ compare: [{ key, modRevision }], operations: [{ type: 'put', key, value: Buffer.from(value) }] });
      expect(await update(first, '2')).toEqual({ committed: true, revision: first + 1 });
      expect(await update(first, '3')).toMatchObject({ committed: false, current: [{ modRevision: first + 1, version: 2 }] });
      expect((await scene.store().get(key)).kv).toMatchObject({ createRevision: first, modRevision: first + 1, version: 2 });
    });

    it('delete at the expected revision only', async () => {
      const key = `${scene.prefix()}a`;
      const first = await put(scene.store(), key, '1');
      const erase = (modRevision: number) =>
        scene.store().transact({ compare: [{ key, modRevision }], operations: [{ type: 'delete', key }] });
      expect(await erase(first - 1)).toMatchObject({ committed: false });
      expect(await erase(first)).toEqual({ committed: true, revision: first + 1 });
      expect(await valueOf(scene.store(), key)).toBeUndefined();
      expect(await erase(first)).toEqual({ committed: false, revision: first + 1, current: [undefined] });
    });

    it('create a deleted key with a new create revision', async () => {
      const key = `${scene.prefix()}a`;
      await put(scene.store(), key, '1');
      await put(scene.store(), key, '2');
      await remove(scene.store(), key);
      const again = await put(scene.store(), key, '3');
      expect((await scene.store().get(key)).kv).toMatchObject({ createRevision: again, modRevision: again, version: 1 });
    });

    it('take no revision for deleting nothing or doing nothing', async () => {
      const before = await scene.store().revision();
      expect(await remove(scene.store(), `${scene.prefix()}none`)).toBe(before);
      expect(await scene.store().transact({ compare: [], operations: [] })).toEqual({ committed: true, revision: before });
      expect(await scene.store().revision()).toBe(before);
    });

    it('do several operations at one revision', async () => {
      const [a, b, c] = ['a', 'b', 'c'].map((name) => `${scene.prefix()}${name}`) as [string, string, string];
      const first = await put(scene.store(), a, '1');
      const result = await scene.store().transact({
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
      const { kvs } = await scene.store().range({ start: scene.prefix(), end: `${scene.prefix()}~` });
      expect(kvs.map(({ key, modRevision }) => [key, modRevision])).toEqual([
        [b, first + 1],
        [c, first + 1],
      ]);
    });

    it('do nothing at all when one of several conditions fails, and return every compared key in order', async () => {
      const [a, b, c] = ['a', 'b', 'c'].map((name) => `${scene.prefix()}${name}`) as [string, string, string];
      const first = await put(scene.store(), a, '1');
      const result = await scene.store().transact({
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
      expect(await valueOf(scene.store(), a)).toBe('1');
      expect(await valueOf(scene.store(), c)).toBeUndefined();
    });

    it('can require that another key exists', async () => {
      const [guard, key] = [`${scene.prefix()}guard`, `${scene.prefix()}key`];
      const create = () =>
        scene.store().transact({ compare: [{ key: guard, exists: true }], operations: [{ type: 'put', key, value: Buffer.from('x') }] });
      expect(await create()).toMatchObject({ committed: false, current: [undefined] });
      await put(scene.store(), guard, '');
      expect(await create()).toMatchObject({ committed: true });
      expect((await scene.store().get(guard)).kv?.value).toHaveLength(0);
    });

    it('let exactly one of many concurrent creations win', async () => {
      const key = `${scene.prefix()}a`;
      const before = await scene.store().revision();
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          scene.store().transact({
            compare: [{ key, modRevision: 0 }],
            operations: [{ type: 'put', key, value: Buffer.from(String(index)) }],
          }),
        ),
      );
      const winners = results.flatMap((result, index) => (result.committed ? [index] : []));
      expect(winners).toHaveLength(1);
      expect(await valueOf(scene.store(), key)).toBe(String(winners[0]));
      expect(await scene.store().revision()).toBe(before + 1);
      for (const result of results) {
        if (!result.committed) expect(result.current[0]?.value.toString()).toBe(String(winners[0]));
      }
    });

    it('lose no increment of concurrent writers', async () => {
      const key = `${scene.prefix()}n`;
      await put(scene.store(), key, '0');
      const increment = async (): Promise<void> => {
        let { kv } = await scene.store().get(key);
        for (;;) {
          const value = Buffer.from(String(Number(kv?.value.toString()) + 1));
          const result = await scene.store().transact({
            compare: [{ key, modRevision: kv?.modRevision ?? 0 }],
            operations: [{ type: 'put', key, value }],
          });
          if (result.committed) return;
          [kv] = result.current;
        }
      };
      await Promise.all(Array.from({ length: 12 }, increment));
      expect(await valueOf(scene.store(), key)).toBe('12');
      expect((await scene.store().get(key)).kv?.version).toBe(13);
    });

    it('let a write be read at once', async () => {
      for (let round = 0; round < 30; round++) {
        const key = `${scene.prefix()}${round % 3}`;
        const revision = await put(scene.store(), key, String(round));
        const [value, latest, range] = await Promise.all([
          valueOf(scene.store(), key),
          scene.store().revision(),
          scene.store().range(singleKey(key)),
        ]);
        expect([value, latest, range.kvs[0]?.modRevision]).toEqual([String(round), revision, revision]);
      }
    });

    it('keep a value that the writer overwrites afterwards in its own memory', async () => {
      const key = `${scene.prefix()}a`;
      await put(scene.store(), key, 'aaaa');
      const { kv: first } = await scene.store().get(key);
      await put(scene.store(), key, 'bbbb');
      const { kv: second } = await scene.store().get(key);
      expect([first?.value.toString(), second?.value.toString()]).toEqual(['aaaa', 'bbbb']);
    });

    it('accept values of a megabyte', async () => {
      const key = `${scene.prefix()}large`;
      const value = Buffer.alloc(1_000_000, 'abc');
      await scene.store().transact({ compare: [], operations: [{ type: 'put', key, value }] });
      expect((await scene.store().get(key)).kv?.value.equals(value)).toBe(true);
    });

    it('reject a transaction that is too large without an effect', async () => {
      const key = `${scene.prefix()}large`;
      const write = scene.store().transact({ compare: [], operations: [{ type: 'put', key, value: Buffer.alloc(4 << 20) }] });
      expect(await failureOf(write)).toMatchObject({ failure: 'too-large' });
      expect(await valueOf(scene.store(), key)).toBeUndefined();
    });

    it('accept 1,000 operations', async () => {
      const operations = Array.from({ length: 1_000 }, (_, index) => ({
        type: 'put' as const,
        key: `${scene.prefix()}${String(index).padStart(4, '0')}`,
        value: Buffer.from(String(index)),
      }));
      expect(scene.store().maxOperations).toBeGreaterThanOrEqual(1_000);
      const { revision } = await scene.store().transact({ compare: [], operations });
      const { kvs } = await scene.store().range({ start: scene.prefix(), end: `${scene.prefix()}~` });
      expect(kvs).toHaveLength(1_000);
      expect(new Set(kvs.map(({ modRevision }) => modRevision))).toEqual(new Set([revision]));
    });

    it('refuse a key written twice, an empty key, and one with NUL', async () => {
      const key = `${scene.prefix()}a`;
      const write = { type: 'put' as const, value: Buffer.from('x') };
      for (const keys of [[key, key], [''], ['/a\0b']]) {
        const attempt = scene.store().transact({ compare: [], operations: keys.map((one) => ({ ...write, key: one })) });
        expect(await failureOf(attempt)).toMatchObject({ failure: 'internal' });
      }
      expect(await valueOf(scene.store(), key)).toBeUndefined();
    });

    it('refuse a call whose deadline has passed', async () => {
      const key = `${scene.prefix()}a`;
      const write = { compare: [], operations: [{ type: 'put' as const, key, value: Buffer.from('x') }] };
      expect(await failureOf(scene.store().transact(write, { deadline: -1 }))).toMatchObject({ failure: 'unavailable' });
      expect(await failureOf(scene.store().get(key, { deadline: -1 }))).toMatchObject({ failure: 'deadline' });
      expect(await valueOf(scene.store(), key)).toBeUndefined();
    });

    it('keep everything over a restart', async () => {
      const own = await scene.subject.create();
      try {
        await put(own.store, '/a', '1');
        await put(own.store, '/a', '2');
        await put(own.store, '/b', '1');
        await remove(own.store, '/b');
        const store = await own.restart();
        expect(await store.revision()).toBe(5);
        expect((await store.get('/a')).kv).toMatchObject({ createRevision: 2, modRevision: 3, version: 2 });
        expect(await valueOf(store, '/a', 2)).toBe('1');
        expect(await valueOf(store, '/b', 4)).toBe('1');
        expect(await valueOf(store, '/b')).toBeUndefined();
        expect(await put(store, '/c', '1')).toBe(6);
      } finally {
        await own.dispose();
      }
    }, 60_000);

    it('refuse everything after close', async () => {
      const own = await scene.subject.create();
      await own.store.close();
      await own.store.close();
      expect(await failureOf(own.store.get('/a'))).toMatchObject({ failure: 'closed' });
      expect(await failureOf(put(own.store, '/a', '1'))).toMatchObject({ failure: 'closed' });
      await own.dispose();
    }, 60_000);
  });
}
