/**
 * Whether a Job counts a pod as succeeded, failed or terminating, and when the pod finished. The functions are pure.
 */
import { parseTimestamp } from '../../shared/api/metadata/object-meta';
import { isBeingDeleted } from '../../shared/client/rest/api-object';
import { conditionOf } from '../runtime/conditions';
import { isPodTerminated } from '../runtime/pods';
import type { Pod } from '../../shared/client/rest/typed-objects';
import type { JobSpec } from './job-spec';

export const isPodSucceeded = ({ body }: Pod): boolean => body.status?.phase === 'Succeeded';

/** Being deleted, and not terminated yet. */
export const isPodTerminating = (pod: Pod): boolean => isBeingDeleted(pod) && !isPodTerminated(pod);

/** With `onlyReplacesFailedPods` a terminating pod does not count as failed before it has terminated. */
export function isPodFailed(pod: Pod, { onlyReplacesFailedPods }: Pick<JobSpec, 'onlyReplacesFailedPods'>): boolean {
  return pod.body.status?.phase === 'Failed' || (!onlyReplacesFailedPods && isPodTerminating(pod));
}

/**
 * When the pod finished, in milliseconds since 1970. The first of these times that the pod has; undefined without any:
 *
 * 1. when its last container ended, if every container has ended
 * 2. when it stopped being ready
 * 3. when its deletion was requested
 */
export function finishTimeOf({ body, metadata }: Pod): number | undefined {
  const containers = body.status?.containerStatuses ?? [];
  const finishTimes = containers
    .map(({ state }) => parseTimestamp(state?.terminated?.finishedAt ?? undefined))
    .filter((time) => time !== undefined);
  if (finishTimes.length > 0 && finishTimes.length === containers.length) return Math.max(...finishTimes);
  const ready = conditionOf(body, 'Ready');
  if (ready?.status === 'False') {
    const since = parseTimestamp(ready.lastTransitionTime ?? undefined);
    if (since !== undefined) return since;
  }
  const deletion = parseTimestamp(metadata.deletionTimestamp);
  // The deletionTimestamp is the end of the grace period.
  return deletion === undefined ? undefined : deletion - Number(metadata.deletionGracePeriodSeconds ?? 0) * 1_000;
}

/** How often the kubelet restarted its containers. */
export function restartCountOf({ body: { status } }: Pod): number {
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return containers.reduce((sum, { restartCount = 0 }) => sum + restartCount, 0);
}

/** Whether the kubelet may still restart a container of the pod. */
export const mayRestart = ({ body }: Pod): boolean => body.status?.phase === 'Running' || body.status?.phase === 'Pending';
