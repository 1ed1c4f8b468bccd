/** The kinds that the deployment controller works on, and members of a Deployment's spec with their defaults. */
import type { AppsV1Deployment, AppsV1ReplicaSet } from '../../shared/api/types/generated/members';
import type { ApiObject } from '../../shared/client/rest/api-object';
import { resourceOf } from '../../shared/client/rest/resource';

export const DEPLOYMENTS = resourceOf('apps.v1.Deployment');
export const REPLICA_SETS = resourceOf('apps.v1.ReplicaSet');

export type Deployment = ApiObject<AppsV1Deployment>;
export type ReplicaSet = ApiObject<AppsV1ReplicaSet>;

/** The largest 32-bit integer: as a progress deadline or a history limit it means "none". */
const UNLIMITED = 2_147_483_647;

/** Whether the strategy is `RollingUpdate`, its default; otherwise it is `Recreate`. */
export const isRollingUpdate = ({ body }: Deployment): boolean => (body.spec?.strategy?.type ?? 'RollingUpdate') === 'RollingUpdate';

export const isPaused = ({ body }: Deployment): boolean => body.spec?.paused === true;

/** Seconds; undefined for a Deployment without a deadline, which has no `Progressing` condition. */
export function progressDeadlineOf({ body }: Deployment): number | undefined {
  const seconds = body.spec?.progressDeadlineSeconds;
  return seconds === UNLIMITED ? undefined : seconds;
}

/** Undefined for a Deployment that keeps all old ReplicaSets. */
export function revisionHistoryLimitOf({ body }: Deployment): number | undefined {
  const limit = body.spec?.revisionHistoryLimit;
  return limit === UNLIMITED ? undefined : limit;
}
