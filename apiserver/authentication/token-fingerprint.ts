/** The digest by which tokens are looked up: comparing digests leaks no token through timing. */
import { hash } from 'node:crypto';

export function tokenFingerprint(token: string): string {
  return hash('sha256', token, 'base64');
}
