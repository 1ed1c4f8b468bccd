/**
 * The digest by which tokens are looked up and cached. Comparing digests leaks no token through timing, and caches hold
 * no tokens.
 */
import { hash } from 'node:crypto';

/** The SHA-256 of the token in base64. */
export function tokenFingerprint(token: string): string {
  return hash('sha256', token, 'base64');
}
