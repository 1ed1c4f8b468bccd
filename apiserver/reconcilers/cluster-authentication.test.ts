import { createAuthority } from '../../shared/pki/certificates';
import { ManualClock } from '../../test/support/clock/manual-clock';
import { configMapData } from './cluster-authentication';

const NONE = { allowedNames: [], usernameHeaders: [], groupHeaders: [], extraPrefixes: [] };
const DAY_MS = 86_400_000;
const clock = new ManualClock();
const authority = async (name: string): Promise<string> => {
  const { certificate } = await createAuthority({ subject: { commonName: name }, lifetimeMs: DAY_MS, clock });
  return certificate;
};

it('authentication ConfigMap omits settings that are not configured', () => expect(configMapData(NONE, {}, 0)).toEqual({}));

it('authentication ConfigMap keeps the authorities of other replicas until they expire', async () => {
  const first = await authority('one');
  const second = await authority('other');
  const before = configMapData({ ...NONE, clientCa: first }, {}, clock.now());
  const both = configMapData({ ...NONE, clientCa: second }, before, clock.now());
  expect(both).toEqual({ 'client-ca-file': first + second });
  expect(configMapData({ ...NONE, clientCa: first }, both, clock.now())).toEqual(both);
  expect(configMapData({ ...NONE, clientCa: second }, both, clock.now() + 2 * DAY_MS)).toEqual({ 'client-ca-file': second });
});

it('authentication ConfigMap merges lists and replaces invalid ones', () => {
  const info = { ...NONE, proxyCa: '', allowedNames: ['a', 'b'] };
  expect(configMapData(info, { 'requestheader-allowed-names': '["b","c"]', 'requestheader-group-headers': '{' }, 0)).toMatchObject({
    'requestheader-allowed-names': '["b","c","a"]',
    'requestheader-group-headers': '[]',
  });
});
