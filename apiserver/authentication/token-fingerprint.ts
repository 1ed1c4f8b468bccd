/**
 * The digest by which tokens are looked up, compared and cached. The time of a comparison of digests reveals nothing about
 * a token, and caches contain no tokens.
 */
import { hash } from 'node:crypto';

/** The SHA-256 of the token in base64. */
export function tokenFingerprint(token: string): string {
  return hash('sha256', token, 'base64');
}
