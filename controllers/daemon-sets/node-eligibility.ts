/**
 * Decides on which nodes the pods of a template may run, by node name, node selector, required node affinity, and
 * taints. The functions are pure.
 */
import type { CoreV1PodSpec, CoreV1Toleration } from '../../shared/api/types/generated/members';
import { qualifiedNameInDialect, type Dialect } from '../../shared/names/dialect';
import { cloneJson } from '../../shared/values/json';
import { nodeMatcher } from '../runtime/node-affinity';
import { taintsOf, tolerates, type Node } from '../runtime/nodes';

/** What a node means for the pods of one DaemonSet. */
export interface NodeEligibility {
  /** A pod must be created if there is none. */
  readonly shouldRun: boolean;
  /** A running pod may stay. */
  readonly shouldContinueRunning: boolean;
}

const INELIGIBLE: NodeEligibility = { shouldRun: false, shouldContinueRunning: false };

/** Daemon pods tolerate these conditions of their node: a daemon may be what repairs it. */
const TOLERATED_TAINTS: readonly (readonly [key: string, effect: string])[] = [
  ['node.platform.io/not-ready', 'NoExecute'],
  ['node.platform.io/unreachable', 'NoExecute'],
  ['node.platform.io/disk-pressure', 'NoSchedule'],
  ['node.platform.io/memory-pressure', 'NoSchedule'],
  ['node.platform.io/pid-pressure', 'NoSchedule'],
  ['node.platform.io/unschedulable', 'NoSchedule'],
];
const TOLERATED_WITH_HOST_NETWORK: readonly [key: string, effect: string] = ['node.platform.io/network-unavailable', 'NoSchedule'];

/**
 * The tolerations of the template and those of every daemon pod. An added toleration replaces an equal one, ignoring
 * `tolerationSeconds`, at its position.
 */
export function daemonPodTolerations(spec: CoreV1PodSpec, dialect: Dialect): CoreV1Toleration[] {
  const tolerations = (spec.tolerations ?? []).map((toleration) => cloneJson(toleration));
  for (const [name, effect] of spec.hostNetwork === true ? [...TOLERATED_TAINTS, TOLERATED_WITH_HOST_NETWORK] : TOLERATED_TAINTS) {
    const added = { key: qualifiedNameInDialect(dialect, name), operator: 'Exists', effect };
    const index = tolerations.findIndex(
      ({ key, operator, effect: other, value = '' }) =>
        key === added.key && operator === added.operator && other === added.effect && value === '',
    );
    if (index < 0) tolerations.push(added);
    else tolerations[index] = added;
  }
  return tolerations;
}

/** Returns a function that is called for each node; everything that depends only on the template is computed once. */
export function nodeEligibility(spec: CoreV1PodSpec, dialect: Dialect): (node: Node) => NodeEligibility {
  const matchesNode = nodeMatcher(spec);
  const { nodeName = '' } = spec;
  const tolerations = daemonPodTolerations(spec, dialect);
  return (node) => {
    const isOtherNode = nodeName !== '' && nodeName !== node.name;
    if (isOtherNode || !matchesNode(node)) return INELIGIBLE;
    const untolerated = taintsOf(node).filter((taint) => !tolerations.some((toleration) => tolerates(toleration, taint)));
    const shouldContinueRunning = untolerated.every(({ effect }) => effect !== 'NoExecute');
    return { shouldRun: shouldContinueRunning && untolerated.every(({ effect }) => effect !== 'NoSchedule'), shouldContinueRunning };
  };
}
