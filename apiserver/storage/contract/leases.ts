/** Contract: leases. */
import { failureOf, put, valueOf } from '../../../test/support/store-helpers';
import { Recorder } from '../../../test/support/store-recorder';
import { prefixRange, type LeaseId } from '../store';
import type { Scene } from './subject';

export function leaseTests(scene: Scene): void {
  describe('leases', () => {
    const attach = (key: string, lease: LeaseId) =>
      scene.store().transact({ compare: [], operations: [{ type: 'put', key, value: Buffer.from('leased'), lease }] });

    it('take their keys with them when revoked, at one revision that watches see', async () => {
      const [a, b, c] = ['a', 'b', 'c'].map((name) => `${scene.prefix()}${name}`) as [string, string, string];
      const lease = await scene.store().grantLease(600);
      await attach(a, lease);
      await attach(b, lease);
      const before = await put(scene.store(), c, 'free');
      const seen = new Recorder();
      const watch = scene.store().watch(prefixRange(scene.prefix()), before + 1, seen);
      await scene.store().revokeLease(lease);
      await seen.count(2);
      watch.close();
      expect(seen.all.map(({ type, key, revision }) => [type, key, revision]).sort()).toEqual([
        ['delete', a, before + 1],
        ['delete', b, before + 1],
      ]);
      expect(await valueOf(scene.store(), c)).toBe('free');
    });

    it('leave a key that was written again without them', async () => {
      const key = `${scene.prefix()}a`;
      const lease = await scene.store().grantLease(600);
      await attach(key, lease);
      await put(scene.store(), key, 'free');
      await scene.store().revokeLease(lease);
      expect(await valueOf(scene.store(), key)).toBe('free');
    });

    it('leave a key that moved to another lease', async () => {
      const key = `${scene.prefix()}a`;
      const [first, second] = [await scene.store().grantLease(600), await scene.store().grantLease(600)];
      await attach(key, first);
      await attach(key, second);
      await scene.store().revokeLease(first);
      expect(await valueOf(scene.store(), key)).toBe('leased');
      await scene.store().revokeLease(second);
      expect(await valueOf(scene.store(), key)).toBeUndefined();
    });

    it('take no revision when they end without keys', async () => {
      const before = await scene.store().revision();
      await scene.store().revokeLease(await scene.store().grantLease(600));
      expect(await scene.store().revision()).toBe(before);
    });

    it('refuse what was never granted or is over', async () => {
      const key = `${scene.prefix()}a`;
      const lease = await scene.store().grantLease(600);
      await scene.store().revokeLease(lease);
      for (const gone of [lease, '987654321']) {
        expect(await failureOf(scene.store().keepLeaseAlive(gone))).toMatchObject({ failure: 'lease-not-found' });
        expect(await failureOf(scene.store().revokeLease(gone))).toMatchObject({ failure: 'lease-not-found' });
        expect(await failureOf(attach(key, gone))).toMatchObject({ failure: 'lease-not-found' });
      }
      expect(await valueOf(scene.store(), key)).toBeUndefined();
    });

    it('end by themselves, unless they are renewed', async () => {
      const [mortal, renewed] = [`${scene.prefix()}mortal`, `${scene.prefix()}renewed`];
      const before = await scene.store().revision();
      const seen = new Recorder();
      const watch = scene.store().watch(prefixRange(scene.prefix()), before + 1, seen);
      const [short, kept] = [await scene.store().grantLease(2), await scene.store().grantLease(2)];
      await attach(mortal, short);
      await attach(renewed, kept);
      for (let second = 0; second < 4; second++) {
        await scene.store().keepLeaseAlive(kept);
        await scene.under().pass(1);
      }
      await seen.until(() => seen.all.some(({ type, key }) => type === 'delete' && key === mortal));
      watch.close();
      expect(await valueOf(scene.store(), renewed)).toBe('leased');
      expect(await failureOf(scene.store().keepLeaseAlive(short))).toMatchObject({ failure: 'lease-not-found' });
      await scene.store().revokeLease(kept);
    }, 30_000);

    it('and their keys outlive a restart', async () => {
      const own = await scene.subject.create();
      try {
        const lease = await own.store.grantLease(600);
        await own.store.transact({ compare: [], operations: [{ type: 'put', key: '/a', value: Buffer.from('x'), lease }] });
        const store = await own.restart();
        expect(await valueOf(store, '/a')).toBe('x');
        await store.keepLeaseAlive(lease);
        await store.revokeLease(lease);
        expect(await valueOf(store, '/a')).toBeUndefined();
      } finally {
        await own.dispose();
      }
    }, 60_000);
  });
}
