/**
 * Decides on which nodes to create daemon pods and which pods to delete. The functions are pure. First, missing pods are
 * created, and surplus or finished ones are deleted. In a sync without such pods, a rolling update replaces the pods of
 * old revisions within `maxUnavailable` or `maxSurge`.
 */
import { isBeingDeleted } from '../../shared/client/rest/api-object';
import { appendAll } from '../../shared/values/append';
import { isPodAvailable } from '../workload/pod-activity';
import { minReadySecondsOf } from '../workload/spec';
import type { Node } from '../runtime/nodes';
import { isPodReady, nodeNameOf } from '../runtime/pods';
import type { Pod } from '../../shared/client/rest/typed-objects';
import { podsByNode, revisionHashOf, sortDaemonPods, targetNodeOf } from './daemon-pod';
import { rollingUpdateLimitsOf, updateStrategyOf, type DaemonSet } from './daemon-set';
import type { NodeEligibility } from './node-eligibility';

/** A DaemonSet with its pods and all nodes, as one sync observes them. */
export interface DaemonSetView {
  readonly set: DaemonSet;
  /** The pods that the DaemonSet controls. */
  readonly pods: readonly Pod[];
  readonly nodes: readonly Node[];
  readonly eligibilityOf: (node: Node) => NodeEligibility;
  /** The hash of the current revision. */
  readonly hash: string;
  /** Milliseconds until a failed pod on the node may be replaced; 0 means at once. */
  readonly backoffMs: (node: string) => number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** A pod in a final phase, which is deleted so that another one is created. */
export interface FinishedPod {
  readonly pod: Pod;
  readonly node: string;
  readonly phase: 'Failed' | 'Succeeded';
}

/** What one sync creates and deletes. */
export interface DaemonSetPlan {
  /** Names of nodes on which a pod must be created. */
  readonly nodesNeedingPods: readonly string[];
  readonly podsToDelete: readonly Pod[];
  /** Those of `podsToDelete` that an Event reports. */
  readonly finishedPods: readonly FinishedPod[];
  /** Milliseconds until a failed pod may be replaced; undefined when none waits. */
  readonly requeueAfterMs: number | undefined;
}

type PodChanges = Pick<DaemonSetPlan, 'nodesNeedingPods' | 'podsToDelete'>;

/** A rolling update proceeds only when no pod is missing, surplus or finished. */
export function planDaemonSet(view: DaemonSetView): DaemonSetPlan {
  const byNode = podsByNode(view.pods);
  const plan = manageNodes(view, byNode);
  if (plan.nodesNeedingPods.length > 0 || plan.podsToDelete.length > 0) return plan;
  return updateStrategyOf(view.set) === 'OnDelete' ? plan : { ...plan, ...rollingUpdate(view, byNode) };
}

/**
 * Plans one pod of any revision on each eligible node, and none on other nodes. With `maxSurge`, a second pod of another
 * revision may stay. No pod is created on a node with a pod that is being deleted.
 */
function manageNodes(view: DaemonSetView, byNode: ReadonlyMap<string, readonly Pod[]>): DaemonSetPlan {
  const nodesNeedingPods: string[] = [];
  const surplusPods: Pod[] = [];
  const finishedPods: FinishedPod[] = [];
  const backoffs: number[] = [];
  // With one desired pod: whether a percentage resolves to more than 0 does not depend on the number.
  const canSurge = rollingUpdateLimitsOf(view.set, 1).maxSurge > 0;
  for (const node of view.nodes) {
    const pods = byNode.get(node.name) ?? [];
    const { shouldRun, shouldContinueRunning } = view.eligibilityOf(node);
    const remaining = pods.filter((pod) => !isBeingDeleted(pod));
    if (!shouldContinueRunning) {
      appendAll(surplusPods, remaining);
      continue;
    }
    if (shouldRun && pods.length === 0) {
      nodesNeedingPods.push(node.name);
      continue;
    }
    const { running, finished, backoffMs } = separateFinishedPods(view, node.name, remaining);
    appendAll(finishedPods, finished);
    if (backoffMs > 0) backoffs.push(backoffMs);
    appendAll(surplusPods, canSurge ? surplusDuringSurge(view, running) : sortDaemonPods(running).slice(1));
  }
  const nodeNames = new Set(view.nodes.map(({ name }) => name));
  // The pod garbage collector deletes pods of missing nodes only when they were scheduled.
  const unscheduled = view.pods.filter((pod) => nodeNameOf(pod) === '' && !nodeNames.has(targetNodeOf(pod)) && !isBeingDeleted(pod));
  return {
    nodesNeedingPods,
    podsToDelete: [...surplusPods, ...finishedPods.map(({ pod }) => pod), ...unscheduled],
    finishedPods,
    requeueAfterMs: backoffs.length === 0 ? undefined : Math.min(...backoffs),
  };
}

/** The pods of a node that are not being deleted. */
interface SeparatedPods {
  readonly running: readonly Pod[];
  /** Pods to delete now, because they are in a final phase. */
  readonly finished: readonly FinishedPod[];
  /** Milliseconds until the failed pods of the node may be replaced: they stay until then. 0 when none has to wait. */
  readonly backoffMs: number;
}

function separateFinishedPods(view: DaemonSetView, node: string, pods: readonly Pod[]): SeparatedPods {
  const running: Pod[] = [];
  const finished: FinishedPod[] = [];
  let backoffMs = 0;
  for (const pod of pods) {
    const phase = pod.body.status?.phase;
    if (phase !== 'Failed' && phase !== 'Succeeded') {
      running.push(pod);
      continue;
    }
    // The remaining back-off is read once per node: a second read could return 0, and the failed pod would then stay
    // without a requeue time.
    if (phase === 'Failed' && backoffMs === 0) backoffMs = view.backoffMs(node);
    if (phase === 'Succeeded' || backoffMs === 0) finished.push({ pod, node, phase });
  }
  return { running, finished, backoffMs };
}

/**
 * With `maxSurge` a node may have one pod of the new and one of an old revision. The old pod stays until the new one is
 * available, unless it is not ready itself. Of several old pods, as there are when the template changes twice, an
 * available one stays: creation times have a resolution of a second, so the oldest pod need not be the available one.
 */
function surplusDuringSurge(view: DaemonSetView, running: readonly Pod[]): readonly Pod[] {
  const sorted = sortDaemonPods(running);
  const { newPods, oldPods } = separateRevisions(view, sorted);
  const newPod = newPods[0];
  const oldPod = oldPods.find((pod) => isAvailable(view, pod)) ?? oldPods[0];
  const surplus = sorted.filter((pod) => pod !== newPod && pod !== oldPod);
  if (newPod === undefined || oldPod === undefined) return surplus;
  return !isPodReady(oldPod) || isAvailable(view, newPod) ? [...surplus, oldPod] : surplus;
}

/** Some pods, separated by whether they have the current template. */
interface PodsByRevision {
  /** Pods of the current template. */
  readonly newPods: readonly Pod[];
  readonly oldPods: readonly Pod[];
}

function separateRevisions({ hash }: DaemonSetView, pods: readonly Pod[]): PodsByRevision {
  const isNew = (pod: Pod): boolean => revisionHashOf(pod) === hash;
  return { newPods: pods.filter(isNew), oldPods: pods.filter((pod) => !isNew(pod)) };
}

const isAvailable = ({ set, now }: DaemonSetView, pod: Pod): boolean => isPodAvailable(pod, minReadySecondsOf(set), now);

/** The pods of a node that are not being deleted. */
interface NodePods {
  readonly node: string;
  /** False when the node has several pods of the new revision or several old ones. */
  readonly isUnambiguous: boolean;
  /** The first pod of the current template; `undefined` when the node has none. */
  readonly newPod: Pod | undefined;
  /** The first pod of an earlier template; `undefined` when the node has none. */
  readonly oldPod: Pod | undefined;
}

function rollingUpdate(view: DaemonSetView, byNode: ReadonlyMap<string, readonly Pod[]>): PodChanges {
  const desired = view.nodes.filter((node) => view.eligibilityOf(node).shouldRun).length;
  const { maxSurge, maxUnavailable } = rollingUpdateLimitsOf(view.set, desired);
  const nodes = view.nodes.flatMap(({ name }) => {
    const pods = byNode.get(name) ?? [];
    return pods.length === 0 ? [] : [nodePodsOf(view, name, pods)];
  });
  return maxSurge > 0 ? createBeforeDelete(view, nodes, maxSurge) : deleteBeforeCreate(view, nodes, maxUnavailable);
}

function nodePodsOf(view: DaemonSetView, node: string, pods: readonly Pod[]): NodePods {
  const { newPods, oldPods } = separateRevisions(
    view,
    pods.filter((pod) => !isBeingDeleted(pod)),
  );
  return { node, isUnambiguous: newPods.length <= 1 && oldPods.length <= 1, newPod: newPods[0], oldPod: oldPods[0] };
}

/** Deletes all unavailable old pods, and available ones as far as `maxUnavailable` allows. */
function deleteBeforeCreate(view: DaemonSetView, nodes: readonly NodePods[], maxUnavailable: number): PodChanges {
  const unavailablePods: Pod[] = [];
  const candidates: Pod[] = [];
  let unavailable = 0;
  for (const { isUnambiguous, newPod, oldPod } of nodes) {
    const pod = newPod ?? oldPod;
    const hasAvailablePod = isUnambiguous && pod !== undefined && isAvailable(view, pod);
    if (!hasAvailablePod) unavailable += 1;
    const hasOnlyOldPod = isUnambiguous && newPod === undefined;
    if (!hasOnlyOldPod || oldPod === undefined) continue;
    if (isAvailable(view, oldPod)) candidates.push(oldPod);
    else unavailablePods.push(oldPod);
  }
  return { nodesNeedingPods: [], podsToDelete: [...unavailablePods, ...candidates.slice(0, Math.max(0, maxUnavailable - unavailable))] };
}

/**
 * Creates new pods on all nodes with an unavailable old pod, where no availability can be lost, and on other nodes as far
 * as `maxSurge` allows. Deletes an old pod when the new one is available.
 */
function createBeforeDelete(view: DaemonSetView, nodes: readonly NodePods[], maxSurge: number): PodChanges {
  const unavailableNodes: string[] = [];
  const candidates: string[] = [];
  const replacedPods: Pod[] = [];
  let surge = 0;
  for (const { node, isUnambiguous, newPod, oldPod } of nodes) {
    if (!isUnambiguous) surge += 1;
    else if (oldPod === undefined) continue;
    else if (newPod === undefined) (isAvailable(view, oldPod) ? candidates : unavailableNodes).push(node);
    else if (isAvailable(view, newPod)) replacedPods.push(oldPod);
    else surge += 1;
  }
  return { nodesNeedingPods: [...unavailableNodes, ...candidates.slice(0, Math.max(0, maxSurge - surge))], podsToDelete: replacedPods };
}
