/**
 * Who may vouch for client certificates. A handshake asks once, a connection lasts: whoever came under an authority that is not trusted any more, or
 * whose time is over, is not who he was. Never opens or closes a connection.
 */
import type { X509Certificate } from 'node:crypto';
import { certificatesIn } from '../../../shared/pki/certificate-bundle';
import type { Clock } from '../../../shared/runtime/clock';

/** So many certificates lie between a client's and one that is trusted, at most. */
const MAX_CHAIN = 5;

/** Milliseconds since 1970. */
export interface Life {
  readonly from: number;
  readonly until: number;
}

export const lifeOf = ({ validFrom, validTo }: X509Certificate): Life => ({ from: Date.parse(validFrom), until: Date.parse(validTo) });

export class ClientAuthorities {
  private trusted: readonly X509Certificate[];
  /** How often they were replaced. */
  generation = 0;

  constructor(
    private readonly clock: Clock,
    bundle: Buffer | undefined,
  ) {
    this.trusted = certificatesIn(bundle?.toString('latin1') ?? '');
  }

  replace(bundle: Buffer | undefined): void {
    this.trusted = certificatesIn(bundle?.toString('latin1') ?? '');
    this.generation += 1;
  }

  /** Whether the certificate's time has come and is not over. */
  isInTime({ from, until }: Life): boolean {
    const now = this.clock.now();
    return from <= now && now < until;
  }

  /** Whether a chain of signatures leads to one of the present authorities. What the client sent with its certificate hangs on it. */
  vouchFor(certificate: X509Certificate): boolean {
    let last: X509Certificate | undefined = certificate;
    for (let length = 0; last !== undefined && length < MAX_CHAIN; length += 1) {
      const { fingerprint256 } = last;
      if (this.trusted.some((authority) => authority.fingerprint256 === fingerprint256 && this.isInTime(lifeOf(authority)))) return true;
      const signed: X509Certificate = last;
      if (this.trusted.some((authority) => this.isInTime(lifeOf(authority)) && isSignedBy(signed, authority))) return true;
      const next: X509Certificate | undefined = signed.issuerCertificate;
      last = next !== undefined && next.ca && this.isInTime(lifeOf(next)) && isSignedBy(signed, next) ? next : undefined;
    }
    return false;
  }

  /**
   * The same for a client whose handshake led to no authority that signed itself, which OpenSSL asks for and upstream does not: one whose certificate
   * is among the trusted, or was signed by one of them. What else the handshake would have judged is judged here, or refused.
   */
  vouchForDirectly(certificate: X509Certificate): boolean {
    const isSigner = (authority: X509Certificate): boolean =>
      authority.ca && !authority.raw.includes(NAME_CONSTRAINTS) && isSignedBy(certificate, authority);
    const isTrusted = (authority: X509Certificate): boolean =>
      this.isInTime(lifeOf(authority)) && (authority.fingerprint256 === certificate.fingerprint256 || isSigner(authority));
    return isForClients(certificate) && this.trusted.some(isTrusted);
  }
}

/** For those who are clients, and for anything. */
const CLIENT_USAGES: ReadonlySet<string> = new Set(['1.3.6.1.5.5.7.3.2', '2.5.29.37.0']);
/** The identifier of the extension that bounds whom an authority may name, as it stands in a certificate. */
const NAME_CONSTRAINTS = Buffer.from('0603551d1e', 'hex');

const isForClients = ({ keyUsage }: X509Certificate): boolean =>
  // Node's types have it that there always are some.
  !Array.isArray(keyUsage) || keyUsage.some((usage) => CLIENT_USAGES.has(usage));

const isSignedBy = (certificate: X509Certificate, authority: X509Certificate): boolean =>
  certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
