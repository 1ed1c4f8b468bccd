/** When a finished Job is to go; decided from what is seen, without a server. */
import { isBeingDeleted, type ApiObject } from '../../shared/client/rest/api-object';
import { parseTimestamp } from '../../shared/api/metadata/object-meta';
import { arrayAt, isObject, objectAt, own, stringAt } from '../../shared/values/json';

export type Expiry =
  /** It stays, unless it changes. */
  | { readonly type: 'never' }
  /** It has ended, and does not say when. */
  | { readonly type: 'unclear' }
  /** Milliseconds since 1970. */
  | { readonly type: 'at'; readonly ms: number };

const ENDS: readonly (string | undefined)[] = ['Complete', 'Failed'];

export function expiryOf(job: ApiObject): Expiry {
  const seconds = own(objectAt(job.body, 'spec') ?? {}, 'ttlSecondsAfterFinished');
  if (typeof seconds !== 'number' || isBeingDeleted(job)) return { type: 'never' };
  const conditions = (arrayAt(objectAt(job.body, 'status'), 'conditions') ?? []).filter(isObject);
  const end = conditions.find((condition) => ENDS.includes(stringAt(condition, 'type')) && stringAt(condition, 'status') === 'True');
  if (end === undefined) return { type: 'never' };
  const ended = parseTimestamp(stringAt(end, 'lastTransitionTime'));
  return ended === undefined ? { type: 'unclear' } : { type: 'at', ms: ended + seconds * 1_000 };
}
