import { createAuthority } from '../../shared/pki/certificates';
import { ManualClock } from '../../test/support/clock/manual-clock';
import { expirationOf } from './expiration';
import type { SigningRequest } from './signing-request';

const NOW = Date.UTC(2026, 0, 1);
const HOUR = 3_600_000;

function signingRequest(more: Partial<SigningRequest>): SigningRequest {
  return {
    name: 'r',
    request: '',
    signerName: '',
    usages: [],
    expirationSeconds: undefined,
    username: '',
    conditions: [],
    certificate: '',
    createdAt: NOW,
    ...more,
  };
}
const decided = (...types: readonly string[]) => types.map((type) => ({ type, updatedAt: NOW }));

test.each([
  ['a pending request 24 hours after its creation', signingRequest({}), NOW + 24 * HOUR],
  ['a denied request one hour after the denial', signingRequest({ conditions: decided('Denied') }), NOW + HOUR],
  ['a failed request one hour after the failure', signingRequest({ conditions: decided('Approved', 'Failed') }), NOW + HOUR],
  ['an issued request one hour after the approval', signingRequest({ conditions: decided('Approved'), certificate: 'junk' }), NOW + HOUR],
])('expirationOf expires %s', (_, request, expiration) => {
  expect(expirationOf(request)).toBe(expiration);
});

test.each([
  ['an approved request without a certificate', signingRequest({ conditions: decided('Approved') })],
  ['a request with another condition', signingRequest({ conditions: decided('Noted') })],
  ['a request with an invalid creationTimestamp', signingRequest({ createdAt: NaN })],
])('expirationOf does not expire %s', (_, request) => {
  expect(expirationOf(request)).toBeUndefined();
});

test('expirationOf expires a request when its certificate does', async () => {
  const clock = new ManualClock(NOW);
  const { certificate } = await createAuthority({ subject: { commonName: 'x' }, lifetimeMs: 60_000, clock });
  expect(expirationOf(signingRequest({ conditions: decided('Approved'), certificate }))).toBe(NOW + 60_000);
});
