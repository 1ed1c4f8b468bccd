import { X509Certificate } from 'node:crypto';
import { createAuthority, issueCertificate, type Credential } from '../../../shared/pki/certificates';
import { ManualClock } from '../../../test/support/clock/manual-clock';
import { ClientAuthorities, validityOf } from './client-authorities';

const HOUR_MS = 3_600_000;
const clock = new ManualClock();
const authorityNamed = (commonName: string): Promise<Credential> =>
  createAuthority({ subject: { commonName }, lifetimeMs: 10 * HOUR_MS, clock });
const clientOf = async (authority: Credential): Promise<X509Certificate> => {
  const issued = await issueCertificate({ subject: { commonName: 'jane' }, lifetimeMs: HOUR_MS, clock, authority, usage: 'client' });
  return new X509Certificate(issued.certificate);
};

it('ClientAuthorities trusts the certificates of every authority in the current bundle', async () => {
  const [first, second, other] = [await authorityNamed('first'), await authorityNamed('second'), await authorityNamed('first')];
  const authorities = new ClientAuthorities(clock, Buffer.from(`# both\n${first.certificate}\n${second.certificate}`));
  expect(authorities.trusts(await clientOf(first))).toBe(true);
  expect(authorities.trusts(await clientOf(second))).toBe(true);
  // An authority with the same name but another key.
  expect(authorities.trusts(await clientOf(other))).toBe(false);
  authorities.replace(Buffer.from(second.certificate));
  expect(authorities.trusts(await clientOf(first))).toBe(false);
  authorities.replace(undefined);
  expect(authorities.trusts(await clientOf(second))).toBe(false);
});

it('ClientAuthorities does not trust an expired certificate or one of an expired authority', async () => {
  const authority = await authorityNamed('short');
  const authorities = new ClientAuthorities(clock, Buffer.from(authority.certificate));
  const client = await clientOf(authority);
  expect(authorities.isValidNow(validityOf(client))).toBe(true);
  clock.advance(HOUR_MS + 1000);
  expect(authorities.isValidNow(validityOf(client))).toBe(false);
  clock.advance(10 * HOUR_MS);
  expect(authorities.trusts(client)).toBe(false);
});
