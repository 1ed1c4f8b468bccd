/**
 * The digest by which tokens are looked up and cached: comparing digests leaks no token through timing, and caches hold no
 * tokens.
 */
import { hash } from 'node:crypto';

export function tokenFingerprint(token: string): string {
  return hash('sha256', token, 'base64');
}
