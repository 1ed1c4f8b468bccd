import type { CoreV1Secret, MetaV1ObjectMeta } from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import { reconcileExpiration } from './token-expiration';

const NOW = Date.UTC(2026, 0, 1);

function secret(expiration: string | undefined, metadata: MetaV1ObjectMeta = {}) {
  const data = expiration === undefined ? {} : { expiration: Buffer.from(expiration).toString('base64') };
  return apiObject<CoreV1Secret>({ metadata: { namespace: 's', name: 'bootstrap-token-abcdef', uid: 'u', ...metadata }, data });
}

test.each([
  ['2025-12-31T23:59:59Z', 'it has expired'],
  ['2026-01-01T00:00:00Z', 'it has expired'],
  ['2026-01-01T04:59:59+05:00', 'it has expired'],
  ['tomorrow', 'its expiration is not a time'],
  ['2026-02-30T00:00:00Z', 'its expiration is not a time'],
  [' 2099-01-01T00:00:00Z', 'its expiration is not a time'],
])('reconcileExpiration deletes a bootstrap token with the expiration %j because %s', (expiration, reason) => {
  expect(reconcileExpiration(secret(expiration), NOW)).toEqual({ type: 'delete', uid: 'u', reason });
});

test.each([
  ['2026-01-01T00:00:01Z', 1_000],
  ['2026-01-01T00:00:00.25Z', 250],
  ['2027-01-01T00:00:00Z', 365 * 86_400_000],
])('reconcileExpiration requeues a bootstrap token with the expiration %j for the time at which it expires', (expiration, afterMs) => {
  expect(reconcileExpiration(secret(expiration), NOW)).toEqual({ type: 'requeue', afterMs });
});

test('reconcileExpiration keeps a bootstrap token that has no expiration or is being deleted, and does nothing for a missing one', () => {
  expect(reconcileExpiration(secret(undefined), NOW)).toEqual({ type: 'none' });
  expect(reconcileExpiration(secret(''), NOW)).toEqual({ type: 'none' });
  expect(reconcileExpiration(secret('tomorrow', { deletionTimestamp: '2026-01-01T00:00:00Z' }), NOW)).toEqual({ type: 'none' });
  expect(reconcileExpiration(undefined, NOW)).toEqual({ type: 'none' });
});
