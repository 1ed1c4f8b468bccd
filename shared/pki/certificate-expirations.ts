/**
 * Collects when the certificates in use expire, for metrics. Code that reads certificate files adds a source for each.
 * A collection of the metrics calls the sources, and parses only contents that have changed since the last one. Checks
 * neither validity nor trust.
 */
import { parseCertificates } from './certificate-bundle';
import { memoizeBySource } from '../runtime/memoize-by-source';

/** Returns the current content in PEM format; `undefined` while the process has no such certificate. */
export type CertificateSource = () => Buffer | string | undefined;

/** The metric of every program, labelled by the name of the certificate. */
export const CERTIFICATE_EXPIRATION_METRIC = 'tls_certificate_expiration_timestamp_seconds';
export const CERTIFICATE_EXPIRATION_HELP = 'Unix time at which a certificate in use expires; of a bundle of authorities, the last of them.';

/** The certificates of one process; their sources are read at each collection. */
export class CertificateExpirations {
  private readonly sources: (readonly [name: string, expiration: () => number | undefined])[] = [];

  /** A certificate with its intermediates: it can be verified until the first of them expires. */
  addChain(name: string, source: CertificateSource): void {
    this.add(name, source, (times) => Math.min(...times));
  }

  /**
   * A bundle of authorities: certificates are accepted until the last of them expires. During a rotation a bundle
   * contains an old authority on purpose.
   */
  addAuthorities(name: string, source: CertificateSource): void {
    this.add(name, source, (times) => Math.max(...times));
  }

  /** The expirations as Unix times in seconds, by name. Sources without a certificate are left out. */
  *entries(): Iterable<readonly [name: string, seconds: number]> {
    for (const [name, expiration] of this.sources) {
      const seconds = expiration();
      if (seconds !== undefined) yield [name, seconds];
    }
  }

  private add(name: string, source: CertificateSource, select: (times: readonly number[]) => number): void {
    const pemText = (): Buffer | string => source() ?? '';
    this.sources.push([name, memoizeBySource(pemText, (pem) => expirationOf(pem, select))]);
  }
}

function expirationOf(pem: Buffer | string, select: (times: readonly number[]) => number): number | undefined {
  const times = parseCertificates(pem.toString('latin1')).map(({ validTo }) => Date.parse(validTo) / 1000);
  return times.length === 0 ? undefined : select(times);
}
