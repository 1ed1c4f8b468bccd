/**
 * The decision about one pod: the node to bind it to, or why there is none and which pods to preempt. The functions are
 * pure. The messages are those of upstream's scheduler.
 */
import type { ClusterView } from './scheduler-cache';
import { nodeFilter } from './filters';
import type { FilterFailure } from './node-filter';
import { namedNodes } from '../../runtime/node-affinity';
import { formatUnavailable, NO_NODES, NOT_HELPFUL } from './messages';
import type { NodeState } from './node-state';
import type { PodInfo } from './pod-info';
import { findPreemption, type Budget, type Preemption } from './preemption';
import { selectNode } from './score';
import { planVolumes, type ClaimBinding, type VolumeView } from './volumes';

/** What the caller does with a pod. */
export type SchedulingDecision =
  | {
      readonly type: 'bind';
      readonly node: string;
      /** Claims that must be bound for this node before the pod is. */
      readonly claimBindings: readonly ClaimBinding[];
    }
  | {
      readonly type: 'unschedulable';
      readonly message: string;
      readonly preemption: Preemption | undefined;
      /** A node that was nominated earlier stays so, because victims on it are still stopping. */
      readonly keepsNomination: boolean;
    };

/** A pod, and the state of the cluster. */
export interface DecisionInput {
  /** The pod to decide about. */
  readonly info: PodInfo;
  /** Nodes and the pods on them, including decisions that are not stored yet. */
  readonly view: ClusterView;
  readonly volumes: VolumeView;
  readonly budgets: readonly Budget[];
  /** In [0, 1); selects one of several equal nodes. */
  readonly random: number;
}

const NO_PREEMPTION = { preemption: undefined, keepsNomination: false };

/** Writes nothing: the caller binds the pod, deletes victims and reports the message. */
export function decideNode({ info, view, volumes, budgets, random }: DecisionInput): SchedulingDecision {
  const { nodes } = view;
  if (nodes.length === 0) return { type: 'unschedulable', message: NO_NODES, ...NO_PREEMPTION };
  const plan = planVolumes(info, volumes);
  if (plan.type === 'unschedulable') {
    const preemption = formatUnavailable(
      nodes.length,
      nodes.map(() => NOT_HELPFUL),
    );
    return {
      type: 'unschedulable',
      message: `0/${nodes.length} nodes are available: ${plan.reason}. preemption: ${preemption}`,
      ...NO_PREEMPTION,
    };
  }
  const filterIn = (changed: ClusterView) => nodeFilter(info, changed, plan.filter);
  const filter = filterIn(view);
  const failures = new Map<string, FilterFailure>();
  const feasible: NodeState[] = [];
  const candidates = namedNodes(info.pod.body.spec ?? {});
  for (const state of nodes) {
    if (candidates?.has(state.name) === false) continue;
    const failure = filter(state);
    if (failure === undefined) feasible.push(state);
    else failures.set(state.name, failure);
  }
  const selected = selectNode(info, feasible, random);
  if (selected !== undefined) return { type: 'bind', node: selected.name, claimBindings: plan.bindingsFor(selected) };
  const result = findPreemption({ info, view, failures, budgets, filterIn });
  const reasons = [...failures.values()].flatMap((failure) => failure.reasons);
  const message = formatUnavailable(nodes.length, reasons);
  if (result.type === 'found') return { type: 'unschedulable', message, preemption: result.preemption, keepsNomination: false };
  const keepsNomination = result.type === 'waiting';
  return { type: 'unschedulable', message: `${message} preemption: ${result.message}`, preemption: undefined, keepsNomination };
}
