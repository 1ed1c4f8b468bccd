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
  ['one that nobody decided on', request({}), NOW + 24 * HOUR],
  ['one that was denied', request({ conditions: decided('Denied') }), NOW + HOUR],
  ['one that failed', request({ conditions: decided('Approved', 'Failed') }), NOW + HOUR],
  ['one that was issued', request({ conditions: decided('Approved'), certificate: 'junk' }), NOW + HOUR],
])('%s goes in time', (_, found, end) => {
  expect(endOfRequest(found)).toBe(end);
});

test.each([
  ['one that waits for its signer', request({ conditions: decided('Approved') })],
  ['one about which something else is said', request({ conditions: decided('Noted') })],
  ['one whose times cannot be read', request({ created: NaN })],
])('%s stays', (_, found) => {
  expect(endOfRequest(found)).toBeUndefined();
});

test('one whose certificate is over goes at once', async () => {
  const clock = new ManualClock(NOW);
  const { certificate } = await createAuthority({ subject: { commonName: 'x' }, lifetimeMs: 60_000, clock });
  expect(endOfRequest(request({ conditions: decided('Approved'), certificate }))).toBe(NOW + 60_000);
});
