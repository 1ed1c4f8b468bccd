/**
 * Calculates the status of a DaemonSet, which counts nodes, not pods: of several pods on a node the first in the order
 * of {@link sortDaemonPods} counts. The functions are pure.
 */
import type { AppsV1DaemonSetStatus } from '../../shared/api/types/generated/members';
import { equalJson } from '../../shared/values/json';
import { omitZeros } from '../workload/omit-zeros';
import { isPodAvailable } from '../workload/pod-activity';
import { minReadySecondsOf } from '../workload/spec';
import { isPodReady } from '../runtime/pods';
import { podsByNode, revisionHashOf, sortDaemonPods } from './daemon-pod';
import type { DaemonSetView } from './reconcile';

/**
 * `undefined` when the object has this status already; absent counts equal 0. `collisionCount`: of the names of
 * revisions.
 */
export function calculateStatus(
  { set, pods, nodes, eligibilityOf, hash, now }: DaemonSetView,
  collisionCount: number,
): AppsV1DaemonSetStatus | undefined {
  const byNode = podsByNode(pods);
  const counts = { current: 0, misscheduled: 0, desired: 0, ready: 0, updated: 0, available: 0 };
  for (const node of nodes) {
    const [first] = sortDaemonPods(byNode.get(node.name) ?? []);
    if (!eligibilityOf(node).shouldRun) {
      if (first !== undefined) counts.misscheduled += 1;
      continue;
    }
    counts.desired += 1;
    if (first === undefined) continue;
    counts.current += 1;
    if (isPodReady(first)) counts.ready += 1;
    if (isPodAvailable(first, minReadySecondsOf(set), now)) counts.available += 1;
    if (revisionHashOf(first) === hash) counts.updated += 1;
  }
  const { generation } = set.metadata;
  const status: AppsV1DaemonSetStatus = {
    currentNumberScheduled: counts.current,
    numberMisscheduled: counts.misscheduled,
    desiredNumberScheduled: counts.desired,
    numberReady: counts.ready,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    ...omitZeros({
      updatedNumberScheduled: counts.updated,
      numberAvailable: counts.available,
      numberUnavailable: counts.desired - counts.available,
      collisionCount,
    }),
  };
  return equalJson(omitZeros(status), omitZeros(set.body.status ?? {})) ? undefined : status;
}
