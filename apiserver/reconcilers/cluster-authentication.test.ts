import { createAuthority } from '../../shared/pki/certificates';
import { ManualClock } from '../../test/support/manual-clock';
import { dataOf } from './cluster-authentication';

const NONE = { allowedNames: [], usernameHeaders: [], groupHeaders: [], extraPrefixes: [] };
const DAY_MS = 86_400_000;
const clock = new ManualClock();
const authority = async (name: string): Promise<string> => {
  const { certificate } = await createAuthority({ subject: { commonName: name }, lifetimeMs: DAY_MS, clock });
  return certificate;
};

it('authentication ConfigMap omits settings that are not configured', () => expect(dataOf(NONE, {}, 0)).toEqual({}));

it('authentication ConfigMap keeps the authorities of other replicas until they expire', async () => {
  const [one, other] = [await authority('one'), await authority('other')];
  const before = dataOf({ ...NONE, clientCa: one }, {}, clock.now());
  const both = dataOf({ ...NONE, clientCa: other }, before, clock.now());
  expect(both).toEqual({ 'client-ca-file': one + other });
  expect(dataOf({ ...NONE, clientCa: one }, both, clock.now())).toEqual(both);
  expect(dataOf({ ...NONE, clientCa: other }, both, clock.now() + 2 * DAY_MS)).toEqual({ 'client-ca-file': other });
});

it('authentication ConfigMap merges lists and replaces invalid ones', () => {
  const facts = { ...NONE, proxyCa: '', allowedNames: ['a', 'b'] };
  expect(dataOf(facts, { 'requestheader-allowed-names': '["b","c"]', 'requestheader-group-headers': '{' }, 0)).toMatchObject({
    'requestheader-allowed-names': '["b","c","a"]',
    'requestheader-group-headers': '[]',
  });
});
