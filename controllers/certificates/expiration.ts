/**
 * Computes when a CertificateSigningRequest expires, from its decision and the certificate that was issued for it. Pure:
 * the deletion is left to the cleaner.
 */
import { X509Certificate } from 'node:crypto';
import { hasCondition, type SigningRequest } from './signing-request';

const HOUR_MS = 3_600_000;
/** After the denial or failure, or after the approval if a certificate was issued. */
const DECIDED_MS = HOUR_MS;
/** After the creation of a request without a decision. */
const PENDING_MS = 24 * HOUR_MS;

/** Milliseconds since 1970; undefined while the request does not expire: an approved request waits for its signer. */
export function expirationOf(request: SigningRequest): number | undefined {
  const { conditions, certificate, createdAt } = request;
  const times: number[] = [];
  if (conditions.length === 0) times.push(createdAt + PENDING_MS);
  for (const { type, updatedAt } of conditions) {
    const isFinal = type === 'Denied' || type === 'Failed' || (type === 'Approved' && certificate !== '');
    if (isFinal) times.push(updatedAt + DECIDED_MS);
  }
  if (certificate !== '' && hasCondition(request, 'Approved')) times.push(certificateExpiration(certificate));
  const validTimes = times.filter((time) => !Number.isNaN(time));
  return validTimes.length === 0 ? undefined : Math.min(...validTimes);
}

/** NaN for text that is no certificate. */
function certificateExpiration(certificate: string): number {
  try {
    return Date.parse(new X509Certificate(certificate).validTo);
  } catch {
    return NaN;
  }
}
