/** Decides whether the Secret of a bootstrap token is deleted, now or later. The functions are pure. */
import { isBeingDeleted } from '../../shared/client/rest/api-object';
import { expirationOf, type TokenSecret } from './bootstrap-token';

/** What is done with the Secret of a token. */
export type ExpirationAction =
  | { readonly type: 'none' }
  /** The token expires after this time. */
  | { readonly type: 'requeue'; readonly afterMs: number }
  | { readonly type: 'delete'; readonly uid: string; readonly reason: 'it has expired' | 'its expiration is not a time' };

/**
 * `secret` is undefined when it is deleted. `now`: milliseconds since 1970. A token without an expiration never
 * expires; a malformed one is expired.
 */
export function reconcileExpiration(secret: TokenSecret | undefined, now: number): ExpirationAction {
  if (secret === undefined || isBeingDeleted(secret)) return { type: 'none' };
  const expiration = expirationOf(secret);
  if (expiration === Infinity) return { type: 'none' };
  if (expiration > now) return { type: 'requeue', afterMs: expiration - now };
  return { type: 'delete', uid: secret.uid, reason: expiration === -Infinity ? 'its expiration is not a time' : 'it has expired' };
}
