/** How a Job sees a pod: whether it works, has ended, or is going, and since when. Knows no server. */
import { timeOf } from '../../shared/api/metadata/object-meta';
import { isBeingDeleted, type ApiObject } from '../../shared/client/rest/api-object';
import { arrayAt, isObject, objectAt, stringAt } from '../../shared/values/json';
import { numberAt } from '../workload/spec';
import { conditionOf } from '../runtime/conditions';
import { isPodTerminated } from '../runtime/pods';

const phaseOf = ({ body }: ApiObject): string => stringAt(objectAt(body, 'status'), 'phase') ?? '';

export const hasSucceeded = (pod: ApiObject): boolean => phaseOf(pod) === 'Succeeded';

/** It was told to go, and has not ended yet. */
export const isGoing = (pod: ApiObject): boolean => isBeingDeleted(pod) && !isPodTerminated(pod);

/** `isPatient` = a pod that goes has not failed before it has ended. */
export function hasFailed(pod: ApiObject, isPatient: boolean): boolean {
  return phaseOf(pod) === 'Failed' || (!isPatient && isGoing(pod));
}

/** Milliseconds since 1970; undefined where the pod does not say. */
export function endedAt({ body }: ApiObject): number | undefined {
  const [status, metadata] = [objectAt(body, 'status'), objectAt(body, 'metadata')];
  const containers = (arrayAt(status, 'containerStatuses') ?? []).filter(isObject);
  const ends = containers.map((container) => timeOf(stringAt(objectAt(objectAt(container, 'state'), 'terminated'), 'finishedAt')));
  const known = ends.filter((end) => end !== undefined);
  if (known.length > 0 && known.length === ends.length) return Math.max(...known);
  const ready = conditionOf(body, 'Ready');
  if (ready?.['status'] === 'False') {
    const since = timeOf(stringAt(ready, 'lastTransitionTime'));
    if (since !== undefined) return since;
  }
  const deleted = timeOf(stringAt(metadata, 'deletionTimestamp'));
  // The timestamp says when its time will be up.
  return deleted === undefined ? undefined : deleted - (numberAt(metadata, 'deletionGracePeriodSeconds') ?? 0) * 1_000;
}

/** How often its containers were started again in place. */
export function restartsOf({ body }: ApiObject): number {
  const status = objectAt(body, 'status');
  const containers = ['initContainerStatuses', 'containerStatuses'].flatMap((member) => arrayAt(status, member) ?? []).filter(isObject);
  return containers.reduce((sum, container) => sum + (numberAt(container, 'restartCount') ?? 0), 0);
}

export const mayRestart = (pod: ApiObject): boolean => ['Running', 'Pending'].includes(phaseOf(pod));
