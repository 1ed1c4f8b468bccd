/**
 * Finds pods of lower priority to delete (victims), so that a pod fits on their node. The functions are pure. The rules
 * are upstream's. On a node, as many pods as possible stay; those that a PodDisruptionBudget protects stay before others.
 * Of the nodes, the first one is chosen in this order:
 *
 * 1. the fewest victims that a budget protects
 * 2. the lowest priority of the most important victim
 * 3. the lowest sum of the victims' priorities
 * 4. the fewest victims
 */
import type { PolicyV1PodDisruptionBudget } from '../../../shared/api/types/generated/members';
import { appendAll } from '../../../shared/values/append';
import { isBeingDeleted, type ApiObject } from '../../../shared/client/rest/api-object';
import type { ClusterView } from './scheduler-cache';
import { formatUnavailable, NOT_HELPFUL } from './messages';
import type { FilterFailure, NodeFilter } from './node-filter';
import type { NodeState } from './node-state';
import { podSelector, type PodInfo } from './pod-info';

export type Budget = ApiObject<PolicyV1PodDisruptionBudget>;

/** The pods to delete so that the pod fits on the node. */
export interface Preemption {
  readonly node: string;
  readonly victims: readonly PodInfo[];
}

/** The result of a search. `message` is appended to the message of the unschedulable pod. */
export type PreemptionResult =
  | { readonly type: 'found'; readonly preemption: Preemption }
  /** Earlier victims are still stopping: the pod keeps its nomination. */
  | { readonly type: 'waiting'; readonly message: string }
  | { readonly type: 'not-found'; readonly message: string };

/** The victims of one node, as a choice among several nodes. */
interface Candidate extends Preemption {
  /** The number of victims that a budget protects from deletion. */
  readonly violations: number;
}

/** The most nodes with victims that are compared. To find the victims of a node, all filters run once for each of its pods. */
const MAX_CANDIDATES = 20;
const NO_VICTIMS = 'No preemption victims found for incoming pod';
const NEVER = 'not eligible due to preemptionPolicy=Never.';
const TERMINATING = 'not eligible due to a terminating pod on the nominated node.';

/** A pod that fits on no node, and the state of the cluster. */
export interface PreemptionInput {
  readonly info: PodInfo;
  readonly view: ClusterView;
  /** Why the pod fits on no node, by the name of the node. */
  readonly failures: ReadonlyMap<string, FilterFailure>;
  readonly budgets: readonly Budget[];
  /** Returns the filters of the pod in a cluster that was changed by deletions. */
  readonly filterIn: (view: ClusterView) => NodeFilter;
}

const NO_CANDIDATE: NodeResult = { type: 'none', reasons: [NO_VICTIMS] };

/** Call it after all nodes were filtered, and none was feasible. */
export function findPreemption(input: PreemptionInput): PreemptionResult {
  const { info, view, failures } = input;
  if (info.pod.body.spec?.preemptionPolicy === 'Never') return { type: 'not-found', message: NEVER };
  if (hasTerminatingVictim(info, view)) return { type: 'waiting', message: TERMINATING };
  const candidates: Candidate[] = [];
  const reasons: string[] = [];
  for (const state of view.nodes) {
    if (failures.get(state.name)?.isPreemptable !== true) {
      reasons.push(NOT_HELPFUL);
      continue;
    }
    const result = candidates.length >= MAX_CANDIDATES ? NO_CANDIDATE : victimsOn(input, state);
    if (result.type === 'candidate') candidates.push(result.candidate);
    else appendAll(reasons, result.reasons);
  }
  const best = candidates.sort(compareCandidates)[0];
  if (best !== undefined) return { type: 'found', preemption: best };
  return { type: 'not-found', message: formatUnavailable(view.nodes.length, reasons) };
}

function hasTerminatingVictim({ pod, priority }: PodInfo, { nodes }: ClusterView): boolean {
  const nominated = nodes.find(({ name }) => name === pod.body.status?.nominatedNodeName);
  return [...(nominated?.pods.values() ?? [])].some((other) => other.priority < priority && isBeingDeleted(other.pod));
}

/** The victims on one node. */
type NodeResult =
  | { readonly type: 'candidate'; readonly candidate: Candidate }
  /** Why the deletion of all pods of lower priority is not enough. */
  | { readonly type: 'none'; readonly reasons: readonly string[] };

/** Removes all pods of lower priority, and adds them again one by one while the pod still fits. */
function victimsOn({ info, view, budgets, filterIn }: PreemptionInput, state: NodeState): NodeResult {
  const lower = [...state.pods.values()].filter(({ priority }) => priority < info.priority);
  if (lower.length === 0) return NO_CANDIDATE;
  const check = (pods: Iterable<PodInfo>): FilterFailure | undefined => {
    const changed = state.withPods(pods);
    return filterIn(withNode(view, changed))(changed);
  };
  const kept = new Map([...state.pods].filter(([, { priority }]) => priority >= info.priority));
  const failure = check(kept.values());
  if (failure !== undefined) return { type: 'none', reasons: failure.reasons };
  const { violating, others } = splitByBudgets(lower.sort(moreImportantFirst), budgets);
  const victims: PodInfo[] = [];
  let violations = 0;
  for (const pod of [...violating, ...others]) {
    kept.set(pod.key, pod);
    if (check(kept.values()) === undefined) continue;
    kept.delete(pod.key);
    victims.push(pod);
    if (violating.includes(pod)) violations += 1;
  }
  return { type: 'candidate', candidate: { node: state.name, victims: victims.sort(moreImportantFirst), violations } };
}

/** The cluster with another state of one node. */
function withNode(view: ClusterView, changed: NodeState): ClusterView {
  return {
    nodes: view.nodes.map((state) => (state.name === changed.name ? changed : state)),
    nominatedPods: (node) => view.nominatedPods(node),
    namespaceLabels: (name) => view.namespaceLabels(name),
  };
}

const moreImportantFirst = (a: PodInfo, b: PodInfo): number => b.priority - a.priority || a.createdAt - b.createdAt;

/**
 * Separates the pods of which the deletion violates a budget. Each deletion uses up a budget for the pods behind it in
 * the list.
 */
function splitByBudgets(
  pods: readonly PodInfo[],
  budgets: readonly Budget[],
): { readonly violating: readonly PodInfo[]; readonly others: readonly PodInfo[] } {
  const violating: PodInfo[] = [];
  const others: PodInfo[] = [];
  const allowed = budgets.map((budget) => ({
    namespace: budget.namespace,
    matches: podSelector(budget.body.spec?.selector),
    remaining: budget.body.status?.disruptionsAllowed ?? 0,
  }));
  for (const pod of pods) {
    const covering = allowed.filter(({ namespace, matches }) => namespace === pod.namespace && matches(pod.labels));
    for (const budget of covering) budget.remaining -= 1;
    (covering.some(({ remaining }) => remaining < 0) ? violating : others).push(pod);
  }
  return { violating, others };
}

function compareCandidates(a: Candidate, b: Candidate): number {
  const sum = ({ victims }: Candidate): number => victims.reduce((total, { priority }) => total + priority, 0);
  const highest = ({ victims }: Candidate): number => victims[0]?.priority ?? -Infinity;
  return a.violations - b.violations || highest(a) - highest(b) || sum(a) - sum(b) || a.victims.length - b.victims.length;
}
