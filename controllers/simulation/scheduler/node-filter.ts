/** The interface of the scheduler's filters, and the failures that they return. filters.ts lists the filters. */
import { otherQualifiedName } from '../../../shared/names/dialect';
import type { NodeState } from './node-state';

/** Why a node cannot run a pod. */
export interface FilterFailure {
  /** As upstream's scheduler words them. */
  readonly reasons: readonly string[];
  /** Whether the deletion of pods on the node can help. */
  readonly isPreemptable: boolean;
}

/** Decides whether a node can run the pod that the filter was made for; undefined when it can. */
export type NodeFilter = (state: NodeState) => FilterFailure | undefined;

/** A failure that the deletion of pods cannot end. */
export const finalFailure = (...reasons: readonly string[]): FilterFailure => ({ reasons, isPreemptable: false });
/** A failure that the deletion of pods may end. */
export const preemptableFailure = (...reasons: readonly string[]): FilterFailure => ({ reasons, isPreemptable: true });

/** The value of a node's label for a topology key in either dialect; undefined without the label. */
export function topologyValue({ node }: NodeState, key: string): string | undefined {
  const { labels } = node.metadata;
  return labels?.[key] ?? labels?.[otherQualifiedName(key) ?? key];
}
