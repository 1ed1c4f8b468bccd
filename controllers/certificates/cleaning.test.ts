import { createAuthority } from '../../shared/pki/certificates';
import { ManualClock } from '../../test/support/manual-clock';
import { endOfRequest } from './cleaning';
import type { SigningRequest } from './request';

const NOW = Date.UTC(2026, 0, 1);
const HOUR = 3_600_000;

function request(more: Partial<SigningRequest>): SigningRequest {
  return {
    name: 'r',
    text: '',
    signer: '',
    usages: [],
    seconds: undefined,
    username: '',
    conditions: [],
    certificate: '',
    created: NOW,
    ...more,
  };
}
const decided = (...types: readonly string[]) => types.map((type) => ({ type, updated: NOW }));

test.each([
  ['a pending request 24 hours after its creation', request({}), NOW + 24 * HOUR],
  ['a denied request one hour after the denial', request({ conditions: decided('Denied') }), NOW + HOUR],
  ['a failed request one hour after the failure', request({ conditions: decided('Approved', 'Failed') }), NOW + HOUR],
  ['an issued request one hour after the approval', request({ conditions: decided('Approved'), certificate: 'junk' }), NOW + HOUR],
])('endOfRequest expires %s', (_, found, end) => {
  expect(endOfRequest(found)).toBe(end);
});

test.each([
  ['an approved request without a certificate', request({ conditions: decided('Approved') })],
  ['a request with another condition', request({ conditions: decided('Noted') })],
  ['a request with an invalid creationTimestamp', request({ created: NaN })],
])('endOfRequest does not expire %s', (_, found) => {
  expect(endOfRequest(found)).toBeUndefined();
});

test('endOfRequest expires a request when its certificate does', async () => {
  const clock = new ManualClock(NOW);
  const { certificate } = await createAuthority({ subject: { commonName: 'x' }, lifetimeMs: 60_000, clock });
  expect(endOfRequest(request({ conditions: decided('Approved'), certificate }))).toBe(NOW + 60_000);
});
