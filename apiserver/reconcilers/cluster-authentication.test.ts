import { createAuthority } from '../../shared/pki/certificates';
import { ManualClock } from '../../test/support/clock/manual-clock';
import { configMapData } from './cluster-authentication';

/** Settings of a server without authorities and request headers. */
const NO_SETTINGS = { allowedNames: [], usernameHeaders: [], groupHeaders: [], extraPrefixes: [] };
const DAY_MS = 86_400_000;
const clock = new ManualClock();
/** The certificate of a new authority, which expires after a day. */
const authority = async (name: string): Promise<string> => {
  const { certificate } = await createAuthority({ subject: { commonName: name }, lifetimeMs: DAY_MS, clock });
  return certificate;
};

it('authentication ConfigMap omits settings that are not configured', () => {
  expect(configMapData(NO_SETTINGS, {}, 0)).toEqual({});
});

it('authentication ConfigMap keeps the authorities of other replicas until they expire', async () => {
  const first = await authority('first');
  const second = await authority('second');
  const afterFirst = configMapData({ ...NO_SETTINGS, clientCa: first }, {}, clock.now());
  const afterSecond = configMapData({ ...NO_SETTINGS, clientCa: second }, afterFirst, clock.now());
  expect(afterSecond).toEqual({ 'client-ca-file': first + second });
  expect(configMapData({ ...NO_SETTINGS, clientCa: first }, afterSecond, clock.now())).toEqual(afterSecond);
  const afterExpiry = configMapData({ ...NO_SETTINGS, clientCa: second }, afterSecond, clock.now() + 2 * DAY_MS);
  expect(afterExpiry).toEqual({ 'client-ca-file': second });
});

it.each([
  ['appends missing items to a list', '["b","c"]', '["b","c","a"]'],
  ['replaces a list that is not valid JSON', '{', '["a","b"]'],
])('authentication ConfigMap %s', (_title, before, after) => {
  const settings = { ...NO_SETTINGS, proxyCa: '', allowedNames: ['a', 'b'] };
  const data = configMapData(settings, { 'requestheader-allowed-names': before }, 0);
  expect(data['requestheader-allowed-names']).toBe(after);
});
