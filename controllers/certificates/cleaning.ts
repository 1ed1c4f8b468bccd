/** When a request for a certificate has served its purpose; pure. */
import { X509Certificate } from 'node:crypto';
import { has, type SigningRequest } from './request';

const HOUR_MS = 3_600_000;
/** After a decision, or a failure. */
const DECIDED_MS = HOUR_MS;
/** While nobody has decided. */
const PENDING_MS = 24 * HOUR_MS;

/** Milliseconds since 1970; undefined = it stays for as long as nothing happens to it. One that is approved and waits for its signer stays. */
export function endOfRequest(request: SigningRequest): number | undefined {
  const { conditions, certificate, created } = request;
  const ends: number[] = [];
  if (conditions.length === 0) ends.push(created + PENDING_MS);
  for (const { type, updated } of conditions) {
    const isOver = type === 'Denied' || type === 'Failed' || (type === 'Approved' && certificate !== '');
    if (isOver) ends.push(updated + DECIDED_MS);
  }
  if (certificate !== '' && has(request, 'Approved')) ends.push(endOfCertificate(certificate));
  const known = ends.filter((end) => !Number.isNaN(end));
  return known.length === 0 ? undefined : Math.min(...known);
}

/** NaN = it cannot be read. */
function endOfCertificate(text: string): number {
  try {
    return Date.parse(new X509Certificate(text).validTo);
  } catch {
    return NaN;
  }
}
