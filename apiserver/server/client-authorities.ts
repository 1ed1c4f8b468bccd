/**
 * Who may vouch for client certificates. A handshake asks once, a connection lasts: whoever came under an authority that is not trusted any more, or
 * whose time is over, is not who he was. Never opens or closes a connection.
 */
import type { X509Certificate } from 'node:crypto';
import { certificatesIn } from '../../shared/runtime/certificate-bundle';
import type { Clock } from '../../shared/runtime/clock';

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
}

const isSignedBy = (certificate: X509Certificate, authority: X509Certificate): boolean =>
  certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
