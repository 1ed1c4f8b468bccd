/**
 * The authorities of client certificates. A connection outlives its handshake, so the certificate is checked again
 * when it may have expired or its authority may have been replaced. Opens and closes no connection.
 */
import type { X509Certificate } from 'node:crypto';
import { parseCertificates } from '../../../shared/pki/certificate-bundle';
import type { Clock } from '../../../shared/runtime/clock';

/** Maximum length of the chain from a client certificate to a trusted one. */
const MAX_CHAIN = 5;

/** When a certificate is valid. Milliseconds since 1970. */
export interface Validity {
  readonly from: number;
  readonly until: number;
}

/** The validity period that the certificate states. */
export const validityOf = ({ validFrom, validTo }: X509Certificate): Validity => ({
  from: Date.parse(validFrom),
  until: Date.parse(validTo),
});

/** The key usages clientAuth and any. */
const CLIENT_USAGES: ReadonlySet<string> = new Set(['1.3.6.1.5.5.7.3.2', '2.5.29.37.0']);
/** The DER encoding of the identifier of the extension nameConstraints. */
const NAME_CONSTRAINTS = Buffer.from('0603551d1e', 'hex');

/** The authorities of client certificates, which may be replaced at any time. */
export class ClientAuthorities {
  private trusted: readonly X509Certificate[];
  /** Number of replacements. A decision about a certificate that was made with an earlier number must be made again. */
  generation = 0;

  constructor(
    private readonly clock: Clock,
    bundle: Buffer | undefined,
  ) {
    this.trusted = parseCertificates(bundle?.toString('latin1') ?? '');
  }

  /** Uses other authorities from now on, also for connections that are open. `bundle`: PEM; undefined for none. */
  replace(bundle: Buffer | undefined): void {
    this.trusted = parseCertificates(bundle?.toString('latin1') ?? '');
    this.generation += 1;
  }

  /** Whether the current time is within the validity period. */
  isValidNow({ from, until }: Validity): boolean {
    const now = this.clock.now();
    return from <= now && now < until;
  }

  /**
   * Whether a chain of signatures leads to a current authority. The chain continues with the intermediate certificates
   * that the client sent, which Node links by `issuerCertificate`.
   */
  trusts(certificate: X509Certificate): boolean {
    let last: X509Certificate | undefined = certificate;
    for (let length = 0; last !== undefined && length < MAX_CHAIN; length += 1) {
      const { fingerprint256 } = last;
      if (this.trusted.some((authority) => authority.fingerprint256 === fingerprint256 && this.isValidNow(validityOf(authority))))
        return true;
      const signed: X509Certificate = last;
      if (this.trusted.some((authority) => this.isValidNow(validityOf(authority)) && isSignedBy(signed, authority))) return true;
      const next: X509Certificate | undefined = signed.issuerCertificate;
      last = next !== undefined && next.ca && this.isValidNow(validityOf(next)) && isSignedBy(signed, next) ? next : undefined;
    }
    return false;
  }

  /**
   * Like {@link trusts}, for a client with a handshake that found no self-signed authority. OpenSSL requires one; upstream
   * does not: it accepts a certificate that is itself trusted, or signed by a trusted one. The other checks of the
   * handshake are made here; an authority with name constraints, which are not evaluated, is not accepted as signer.
   */
  trustsDirectly(certificate: X509Certificate): boolean {
    const isSigner = (authority: X509Certificate): boolean =>
      authority.ca && !authority.raw.includes(NAME_CONSTRAINTS) && isSignedBy(certificate, authority);
    const isTrusted = (authority: X509Certificate): boolean =>
      this.isValidNow(validityOf(authority)) && (authority.fingerprint256 === certificate.fingerprint256 || isSigner(authority));
    return isForClients(certificate) && this.trusted.some(isTrusted);
  }
}

const isForClients = ({ keyUsage }: X509Certificate): boolean =>
  // Undefined at run time when there are none, contrary to Node's types.
  !Array.isArray(keyUsage) || keyUsage.some((usage) => CLIENT_USAGES.has(usage));

const isSignedBy = (certificate: X509Certificate, authority: X509Certificate): boolean =>
  certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
