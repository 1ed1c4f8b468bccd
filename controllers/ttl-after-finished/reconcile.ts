/** Calculates when a finished Job expires. The functions are pure. */
import { isBeingDeleted } from '../../shared/client/rest/api-object';
import { parseTimestamp } from '../../shared/api/metadata/object-meta';
import { conditionsOf } from '../runtime/conditions';
import type { Job } from '../../shared/client/rest/typed-objects';

/** When a Job is to be deleted. */
export type Expiration =
  /** The Job has no TTL, has not finished, or is being deleted. */
  | { readonly type: 'never' }
  /** The Job has finished, but its condition has no transition time. */
  | { readonly type: 'unknown' }
  /** Milliseconds since 1970. */
  | { readonly type: 'at'; readonly ms: number };

/** The time at which the Job finished plus its TTL. */
export function expirationOf(job: Job): Expiration {
  const ttlSeconds = job.body.spec?.ttlSecondsAfterFinished;
  if (ttlSeconds === undefined || isBeingDeleted(job)) return { type: 'never' };
  const finished = conditionsOf(job.body).find(({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True');
  if (finished === undefined) return { type: 'never' };
  const finishedAt = parseTimestamp(finished.lastTransitionTime ?? undefined);
  return finishedAt === undefined ? { type: 'unknown' } : { type: 'at', ms: finishedAt + ttlSeconds * 1_000 };
}
