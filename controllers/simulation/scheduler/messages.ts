/** Messages about pods that cannot be scheduled, worded as upstream's scheduler words them. */

/** The message of a pod in a cluster without nodes. */
export const NO_NODES = 'no nodes available to schedule pods';
/** The reason of a node on which no deletion of pods can help. */
export const NOT_HELPFUL = 'Preemption is not helpful for scheduling';

/**
 * Counts equal reasons: `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable.` `count`: the number
 * of all nodes, also of those without a reason.
 */
export function formatUnavailable(count: number, reasons: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const parts = [...counts].map(([reason, occurrences]) => `${occurrences} ${reason}`).sort();
  // Nodes that the pod's affinity does not name have no reason.
  return parts.length === 0 ? `0/${count} nodes are available:` : `0/${count} nodes are available: ${parts.join(', ')}.`;
}
