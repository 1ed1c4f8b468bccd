/**
 * Ranks the nodes on which a pod can run: free resources, few pods of the same owner on the node and in its zone,
 * preferred node affinity, and no untolerated taint with the effect PreferNoSchedule. The functions are pure.
 */
import { nodeSelectorMatcher } from '../../runtime/node-affinity';
import { taintsOf, tolerates } from '../../runtime/nodes';
import { topologyValue } from './node-filter';
import type { NodeState } from './node-state';
import type { PodInfo } from './pod-info';

/** The highest score of a node, as of upstream's plug-ins (MaxNodeScore). */
const MAX_SCORE = 100;
const ZONE = 'topology.platform.io/zone';
const SCORED_RESOURCES = ['cpu', 'memory'];
/** A pod without requests counts as a small one, so that such pods are spread too. Billionths. */
const DEFAULT_REQUESTS: Readonly<Record<string, bigint>> = { cpu: 100_000_000n, memory: 200n * 1024n * 1024n * 1_000_000_000n };
/** The factor of each score in the sum; scores are from 0 to {@link MAX_SCORE}. */
const WEIGHTS = { leastAllocated: 1, spread: 2, zoneSpread: 1, nodeAffinity: 2, taints: 3 };

/** The node with the highest score; of several, the one that `random` in [0, 1) selects. Undefined without nodes. */
export function selectNode(info: PodInfo, nodes: readonly NodeState[], random: number): NodeState | undefined {
  const spread = siblingCounts(info, nodes);
  const prefers = preferences(info);
  let best: NodeState[] = [];
  let bestScore = -Infinity;
  for (const state of nodes) {
    const score =
      WEIGHTS.leastAllocated * leastAllocatedScore(info, state) +
      WEIGHTS.spread * fewnessScore(spread.byNode.get(state.name) ?? 0, spread.maxOnNode) +
      WEIGHTS.zoneSpread * fewnessScore(spread.byZone.get(topologyValue(state, ZONE) ?? '') ?? 0, spread.maxInZone) +
      WEIGHTS.nodeAffinity * prefers(state) +
      WEIGHTS.taints * taintScore(info, state);
    if (score > bestScore) best = [];
    if (score >= bestScore) best.push(state);
    bestScore = Math.max(bestScore, score);
  }
  return best[Math.floor(random * best.length)];
}

function leastAllocatedScore(info: PodInfo, state: NodeState): number {
  const scores = SCORED_RESOURCES.map((name) => {
    const allocatable = Number(state.allocatableOf(name));
    const requested = Number(state.requestedOf(name) + requestOf(info, name));
    return allocatable === 0 ? 0 : Math.max(0, (MAX_SCORE * (allocatable - requested)) / allocatable);
  });
  return scores.reduce((sum, score) => sum + score, 0) / scores.length;
}

function requestOf({ requests }: PodInfo, name: string): bigint {
  const request = requests.get(name) ?? 0n;
  return request === 0n ? (DEFAULT_REQUESTS[name] ?? 0n) : request;
}

/** Numbers of pods with the same controller. */
interface SiblingCounts {
  readonly byNode: ReadonlyMap<string, number>;
  readonly byZone: ReadonlyMap<string, number>;
  readonly maxOnNode: number;
  readonly maxInZone: number;
}

/** Counts the pods of the same controller; no pods for a pod without one. */
function siblingCounts({ owner }: PodInfo, nodes: readonly NodeState[]): SiblingCounts {
  const byNode = new Map<string, number>();
  const byZone = new Map<string, number>();
  for (const state of owner === '' ? [] : nodes) {
    const count = state.podsOfOwner(owner);
    const zone = topologyValue(state, ZONE) ?? '';
    byNode.set(state.name, count);
    byZone.set(zone, (byZone.get(zone) ?? 0) + count);
  }
  return { byNode, byZone, maxOnNode: Math.max(0, ...byNode.values()), maxInZone: Math.max(0, ...byZone.values()) };
}

/** The score of a count: the fewer, the higher. */
const fewnessScore = (count: number, max: number): number => (max === 0 ? MAX_SCORE : (MAX_SCORE * (max - count)) / max);

/** Returns a function that scores a node by the weights of the preferred terms that the node matches. */
function preferences({ pod }: PodInfo): (state: NodeState) => number {
  const preferred = pod.body.spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const terms = preferred.map(({ weight = 0, preference = {} }) => ({ weight, matches: nodeSelectorMatcher([preference]) }));
  const total = terms.reduce((sum, { weight }) => sum + weight, 0);
  return ({ node }) =>
    total === 0 ? 0 : (MAX_SCORE * terms.reduce((sum, { weight, matches }) => sum + (matches(node) ? weight : 0), 0)) / total;
}

function taintScore({ pod }: PodInfo, { node }: NodeState): number {
  const { tolerations = [] } = pod.body.spec ?? {};
  const avoided = taintsOf(node).filter(
    (taint) => taint.effect === 'PreferNoSchedule' && !tolerations.some((toleration) => tolerates(toleration, taint)),
  );
  return MAX_SCORE / (1 + avoided.length);
}
