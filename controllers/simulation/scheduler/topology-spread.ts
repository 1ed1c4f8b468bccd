/** The hard topology spread constraints of pods (`whenUnsatisfiable: DoNotSchedule`). The functions are pure. */
import { isBeingDeleted } from '../../../shared/client/rest/api-object';
import type { CoreV1TopologySpreadConstraint } from '../../../shared/api/types/generated/members';
import { nodeMatcher } from '../../runtime/node-affinity';
import { taintsOf, tolerates } from '../../runtime/nodes';
import type { ClusterView } from './scheduler-cache';
import { finalFailure, preemptableFailure, topologyValue, type NodeFilter } from './node-filter';
import type { NodeState } from './node-state';
import { podSelector, type PodInfo } from './pod-info';

const REASON = "node(s) didn't match pod topology spread constraints";

/** A constraint with the counts of its domains. */
interface Constraint {
  readonly topologyKey: string;
  readonly maxSkew: number;
  /** The number of matching pods by domain: a value of the topology key. */
  readonly counts: ReadonlyMap<string, number>;
  /** The count of the domain with the fewest pods; 0 while there are fewer domains than `minDomains`. */
  readonly minCount: number;
  /** Whether the pod itself counts. */
  readonly countsItself: boolean;
}

/**
 * Counts the pods of each domain once; the filter is then cheap for each node. It refuses a node where the skew would
 * exceed `maxSkew`.
 */
export function topologySpreadFilter(info: PodInfo, view: ClusterView): NodeFilter {
  const hard = (info.pod.body.spec?.topologySpreadConstraints ?? []).filter(
    ({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule',
  );
  if (hard.length === 0) return () => undefined;
  const keys = hard.map(({ topologyKey = '' }) => topologyKey);
  const candidates = view.nodes.filter((state) => keys.every((key) => topologyValue(state, key) !== undefined));
  const constraints = hard.map((constraint) => countDomains(constraint, info, candidates));
  return (state) => {
    for (const { topologyKey, maxSkew, counts, minCount, countsItself } of constraints) {
      const domain = topologyValue(state, topologyKey);
      if (domain === undefined) return finalFailure(`${REASON} (missing required label)`);
      const skew = (counts.get(domain) ?? 0) + (countsItself ? 1 : 0) - minCount;
      if (skew > maxSkew) return preemptableFailure(REASON);
    }
    return undefined;
  };
}

function countDomains(constraint: CoreV1TopologySpreadConstraint, info: PodInfo, candidates: readonly NodeState[]): Constraint {
  const { topologyKey = '', maxSkew = 1, minDomains = 1, matchLabelKeys = [] } = constraint;
  const matchesSelector = podSelector(constraint.labelSelector);
  const keys = matchLabelKeys.filter((key) => info.labels[key] !== undefined);
  const isCounted = ({ namespace, labels }: Pick<PodInfo, 'namespace' | 'labels'>): boolean =>
    namespace === info.namespace && matchesSelector(labels) && keys.every((key) => labels[key] === info.labels[key]);
  const counts = new Map<string, number>();
  const isEligible = eligibility(constraint, info);
  for (const state of candidates) {
    if (!isEligible(state)) continue;
    const domain = topologyValue(state, topologyKey) ?? '';
    const count = state.countMatching(constraint, (other) => !isBeingDeleted(other.pod) && isCounted(other));
    counts.set(domain, (counts.get(domain) ?? 0) + count);
  }
  const minCount = counts.size < minDomains ? 0 : Math.min(...counts.values());
  return { topologyKey, maxSkew, counts, minCount: Number.isFinite(minCount) ? minCount : 0, countsItself: isCounted(info) };
}

/** Returns a function that decides whether the pods of a node count in its domain, by the node's affinity and taints. */
function eligibility(
  { nodeAffinityPolicy, nodeTaintsPolicy }: CoreV1TopologySpreadConstraint,
  { pod }: PodInfo,
): (state: NodeState) => boolean {
  const matchesNode = nodeAffinityPolicy === 'Ignore' ? () => true : nodeMatcher(pod.body.spec ?? {});
  const { tolerations = [] } = pod.body.spec ?? {};
  return ({ node }) =>
    matchesNode(node) &&
    (nodeTaintsPolicy !== 'Honor' ||
      taintsOf(node).every(
        ({ effect, ...taint }) =>
          effect === 'PreferNoSchedule' || tolerations.some((toleration) => tolerates(toleration, { effect, ...taint })),
      ));
}
