/**
 * Issues client and server certificates of test authorities. They expire after an hour, which is longer than any test
 * runs.
 */
import { issueCertificate, type Credential } from '../../../shared/pki/certificates';
import { systemClock as clock } from '../../../shared/runtime/clock';

export const HOUR_MS = 3_600_000;

/** Issues a client certificate, by default of a member of `system:masters`. */
export function issueClientCertificate(
  authority: Credential,
  commonName = 'jane',
  organizations: readonly string[] = ['system:masters'],
): Promise<Credential> {
  return issueCertificate({ authority, usage: 'client', subject: { commonName, organizations }, lifetimeMs: HOUR_MS, clock });
}

/** Issues a serving certificate for this machine, or for other DNS names and addresses. */
export function issueServerCertificate(authority: Credential, names: readonly string[] = ['localhost', '127.0.0.1']): Promise<Credential> {
  return issueCertificate({ authority, usage: 'server', subject: { commonName: 'server' }, names, lifetimeMs: HOUR_MS, clock });
}

/** The certificate and key as Node's TLS options. */
export function tlsPairOf({ certificate, key }: Credential): { readonly cert: Buffer; readonly key: Buffer } {
  return { cert: Buffer.from(certificate), key: Buffer.from(key) };
}
