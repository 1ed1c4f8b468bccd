import { ManualClock } from '../../test/support/clock/manual-clock';
import { CertificateExpirations } from './certificate-expirations';
import { createAuthority } from './certificates';

const HOUR = 3_600_000;
const clock = new ManualClock();
const authorityFor = async (lifetimeMs: number): Promise<string> =>
  (await createAuthority({ subject: { commonName: 'ca' }, lifetimeMs, clock })).certificate;
/** Certificates have whole seconds. */
const secondsAfter = (ms: number): number => Math.floor((clock.now() + ms) / 1000);

describe('CertificateExpirations', () => {
  it('returns the first expiration of a chain, and the last of a bundle of authorities', async () => {
    const bundle = (await authorityFor(3 * HOUR)) + (await authorityFor(HOUR)) + (await authorityFor(2 * HOUR));
    const expirations = new CertificateExpirations();
    expirations.addChain('serving', () => Buffer.from(bundle));
    expirations.addAuthorities('client-ca', () => bundle);
    expect([...expirations.entries()]).toEqual([
      ['serving', secondsAfter(HOUR)],
      ['client-ca', secondsAfter(3 * HOUR)],
    ]);
  });

  it('returns the expiration of the renewed certificate after a renewal', async () => {
    let current = await authorityFor(HOUR);
    const expirations = new CertificateExpirations();
    expirations.addChain('serving', () => current);
    expect([...expirations.entries()]).toEqual([['serving', secondsAfter(HOUR)]]);
    current = await authorityFor(2 * HOUR);
    expect([...expirations.entries()]).toEqual([['serving', secondsAfter(2 * HOUR)]]);
  });

  it('leaves out a source without a certificate', () => {
    const expirations = new CertificateExpirations();
    expirations.addChain('etcd-client', () => undefined);
    expirations.addAuthorities('client-ca', () => '');
    expect([...expirations.entries()]).toEqual([]);
  });
});
