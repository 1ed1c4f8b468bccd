/** What the token cleaner does about a bootstrap token; decided from what is seen, without a server. */
import { isBeingDeleted, type ApiObject } from '../../shared/client/rest/api-object';
import { endOf } from './bootstrap-token';

export type Fate =
  | { readonly type: 'none' }
  /** It ends then. */
  | { readonly type: 'later'; readonly afterMs: number }
  | { readonly type: 'delete'; readonly uid: string; readonly why: 'it is over' | 'its expiration is no time' };

export function fateOf(secret: ApiObject | undefined, now: number): Fate {
  if (secret === undefined || isBeingDeleted(secret)) return { type: 'none' };
  const end = endOf(secret);
  if (end === Infinity) return { type: 'none' };
  if (end > now) return { type: 'later', afterMs: end - now };
  return { type: 'delete', uid: secret.uid, why: end === -Infinity ? 'its expiration is no time' : 'it is over' };
}
