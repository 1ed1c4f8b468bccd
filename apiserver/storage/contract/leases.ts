/**
 * Contract: leases. Keys end with their lease, whether it is revoked or expires, and watches see the deletions. Runs
 * with every store.
 */
import { failureOf, put, valueOf } from '../../../test/support/store/store-helpers';
import { StoreEventRecorder } from '../../../test/support/store/store-recorder';
import { prefixRange, type LeaseId } from '../store';
import type { StoreTestContext } from './store-test-context';

/** Defines the tests of leases; they share the store of `context`. */
export function describeLeases(context: StoreTestContext): void {
  describe('leases', () => {
    const attach = (key: string, lease: LeaseId) =>
      context.store().transact({ compare: [], operations: [{ type: 'put', key, value: Buffer.from('leased'), lease }] });

    it('delete their keys when revoked, at one revision that watches see', async () => {
      const a = `${context.prefix()}a`;
      const b = `${context.prefix()}b`;
      const c = `${context.prefix()}c`;
      const lease = await context.store().grantLease(600);
      await attach(a, lease);
      await attach(b, lease);
      const before = await put(context.store(), c, 'free');
      const recorder = new StoreEventRecorder();
      const watch = context.store().watch(prefixRange(context.prefix()), before + 1, recorder);
      await context.store().revokeLease(lease);
      await recorder.count(2);
      watch.close();
      expect(recorder.allEvents.map(({ type, key, revision }) => [type, key, revision]).sort()).toEqual([
        ['delete', a, before + 1],
        ['delete', b, before + 1],
      ]);
      expect(await valueOf(context.store(), c)).toBe('free');
    });

    it('do not delete a key that was written again without a lease', async () => {
      const key = `${context.prefix()}a`;
      const lease = await context.store().grantLease(600);
      await attach(key, lease);
      await put(context.store(), key, 'free');
      await context.store().revokeLease(lease);
      expect(await valueOf(context.store(), key)).toBe('free');
    });

    it('do not delete a key that was attached to another lease', async () => {
      const key = `${context.prefix()}a`;
      const first = await context.store().grantLease(600);
      const second = await context.store().grantLease(600);
      await attach(key, first);
      await attach(key, second);
      await context.store().revokeLease(first);
      expect(await valueOf(context.store(), key)).toBe('leased');
      await context.store().revokeLease(second);
      expect(await valueOf(context.store(), key)).toBeUndefined();
    });

    it('take no revision when they end without keys', async () => {
      const before = await context.store().revision();
      await context.store().revokeLease(await context.store().grantLease(600));
      expect(await context.store().revision()).toBe(before);
    });

    it('reject calls with lease-not-found when they were never granted or have ended', async () => {
      const key = `${context.prefix()}a`;
      const lease = await context.store().grantLease(600);
      await context.store().revokeLease(lease);
      for (const missing of [lease, '987654321']) {
        expect(await failureOf(context.store().keepLeaseAlive(missing))).toMatchObject({ failure: 'lease-not-found' });
        expect(await failureOf(context.store().revokeLease(missing))).toMatchObject({ failure: 'lease-not-found' });
        expect(await failureOf(attach(key, missing))).toMatchObject({ failure: 'lease-not-found' });
      }
      expect(await valueOf(context.store(), key)).toBeUndefined();
    });

    it('expire unless they are renewed', async () => {
      const expiring = `${context.prefix()}mortal`;
      const renewed = `${context.prefix()}renewed`;
      const before = await context.store().revision();
      const recorder = new StoreEventRecorder();
      const watch = context.store().watch(prefixRange(context.prefix()), before + 1, recorder);
      const expiringLease = await context.store().grantLease(2);
      const renewedLease = await context.store().grantLease(2);
      await attach(expiring, expiringLease);
      await attach(renewed, renewedLease);
      for (let second = 0; second < 4; second++) {
        await context.store().keepLeaseAlive(renewedLease);
        await context.underTest().advance(1);
      }
      await recorder.until(() => recorder.allEvents.some(({ type, key }) => type === 'delete' && key === expiring));
      watch.close();
      expect(await valueOf(context.store(), renewed)).toBe('leased');
      expect(await failureOf(context.store().keepLeaseAlive(expiringLease))).toMatchObject({ failure: 'lease-not-found' });
      await context.store().revokeLease(renewedLease);
    }, 30_000);

    it('survive a restart with their keys', async () => {
      const instance = await context.factory.create();
      try {
        const lease = await instance.store.grantLease(600);
        await instance.store.transact({ compare: [], operations: [{ type: 'put', key: '/a', value: Buffer.from('x'), lease }] });
        const store = await instance.restart();
        expect(await valueOf(store, '/a')).toBe('x');
        await store.keepLeaseAlive(lease);
        await store.revokeLease(lease);
        expect(await valueOf(store, '/a')).toBeUndefined();
      } finally {
        await instance.dispose();
      }
    }, 60_000);
  });
}
