/**
 * Decides on which nodes a pod can run, with the checks and in the order of upstream's scheduler: the first check that
 * fails gives the reasons. The functions are pure. Volumes, topology spread and affinity between pods are in modules of
 * their own.
 */
import { nodeMatcher } from '../../runtime/node-affinity';
import { isUnschedulable, taintsOf, tolerates } from '../../runtime/nodes';
import type { ClusterView } from './scheduler-cache';
import { interPodAffinityFilter } from './inter-pod-affinity';
import { finalFailure, preemptableFailure, type NodeFilter } from './node-filter';
import { portsConflict, type PodInfo } from './pod-info';
import { topologySpreadFilter } from './topology-spread';

const UNSCHEDULABLE_TAINT = { key: 'node.platform.io/unschedulable', value: '', effect: 'NoSchedule' };

/** Returns the filter of one pod. Everything that depends on the pod and the whole cluster is computed once. */
export function nodeFilter(info: PodInfo, view: ClusterView, volumeFilter: NodeFilter): NodeFilter {
  const filters: readonly NodeFilter[] = [
    unschedulableFilter(info),
    nodeNameFilter(info),
    taintFilter(info),
    affinityFilter(info),
    portFilter(info),
    resourceFilter(info, view),
    volumeFilter,
    topologySpreadFilter(info, view),
    interPodAffinityFilter(info, view),
  ];
  return (state) => {
    for (const filter of filters) {
      const failure = filter(state);
      if (failure !== undefined) return failure;
    }
    return undefined;
  };
}

function unschedulableFilter({ pod }: PodInfo): NodeFilter {
  const isTolerated = (pod.body.spec?.tolerations ?? []).some((toleration) => tolerates(toleration, UNSCHEDULABLE_TAINT));
  return ({ node }) => (isUnschedulable(node) && !isTolerated ? finalFailure('node(s) were unschedulable') : undefined);
}

function nodeNameFilter({ pod }: PodInfo): NodeFilter {
  const { nodeName = '' } = pod.body.spec ?? {};
  return ({ name }) => (nodeName === '' || nodeName === name ? undefined : finalFailure("node(s) didn't match the requested node name"));
}

function taintFilter({ pod }: PodInfo): NodeFilter {
  const { tolerations = [] } = pod.body.spec ?? {};
  return ({ node }) => {
    const taint = taintsOf(node).find(
      (candidate) => candidate.effect !== 'PreferNoSchedule' && !tolerations.some((toleration) => tolerates(toleration, candidate)),
    );
    return taint === undefined ? undefined : finalFailure(`node(s) had untolerated taint {${taint.key}: ${taint.value}}`);
  };
}

function affinityFilter({ pod }: PodInfo): NodeFilter {
  const matches = nodeMatcher(pod.body.spec ?? {});
  return ({ node }) => (matches(node) ? undefined : finalFailure("node(s) didn't match Pod's node affinity/selector"));
}

function portFilter({ hostPorts }: PodInfo): NodeFilter {
  if (hostPorts.length === 0) return () => undefined;
  return ({ pods }) => {
    const isTaken = [...pods.values()].some((other) => other.hostPorts.some((used) => hostPorts.some((port) => portsConflict(port, used))));
    return isTaken ? preemptableFailure("node(s) didn't have free ports for the requested pod ports") : undefined;
  };
}

const BILLION = 1_000_000_000n;

/** Pods with at least this priority to which the node was nominated count as if they ran on it. */
function resourceFilter(info: PodInfo, view: ClusterView): NodeFilter {
  return (state) => {
    const nominated = view.nominatedPods(state.name).filter(({ key, priority }) => key !== info.key && priority >= info.priority);
    const reasons: string[] = [];
    const podCount = BigInt(state.pods.size + nominated.length + 1) * BILLION;
    if (podCount > state.allocatableOf('pods')) reasons.push('Too many pods');
    for (const [name, amount] of info.requests) {
      if (amount === 0n) continue;
      const reserved = nominated.reduce((sum, { requests }) => sum + (requests.get(name) ?? 0n), 0n);
      if (amount > state.allocatableOf(name) - state.requestedOf(name) - reserved) reasons.push(`Insufficient ${name}`);
    }
    return reasons.length === 0 ? undefined : preemptableFailure(...reasons);
  };
}
