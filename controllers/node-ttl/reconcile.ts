/**
 * Computes how long the kubelet of a node may cache Secrets and ConfigMaps: the larger the cluster, the longer. The
 * functions are pure. The rules are those of upstream 1.31.1.
 */

/**
 * A range of cluster sizes, both ends inclusive, and its time. Adjacent ranges overlap, so that adding and removing one
 * node changes nothing.
 */
interface TtlBoundary {
  readonly minNodes: number;
  readonly maxNodes: number;
  readonly ttlSeconds: number;
}

const TTL_BOUNDARIES: readonly [TtlBoundary, ...TtlBoundary[]] = [
  { minNodes: 0, maxNodes: 100, ttlSeconds: 0 },
  { minNodes: 90, maxNodes: 500, ttlSeconds: 15 },
  { minNodes: 450, maxNodes: 1_000, ttlSeconds: 30 },
  { minNodes: 900, maxNodes: 2_000, ttlSeconds: 60 },
  { minNodes: 1_800, maxNodes: Number.POSITIVE_INFINITY, ttlSeconds: 300 },
];

/**
 * The index of the range for a number of nodes: of those that fit, the nearest to the current one. `currentStep`: 0 at
 * the start.
 */
export function boundaryStepFor(nodeCount: number, currentStep: number): number {
  let step = currentStep;
  while (nodeCount > (TTL_BOUNDARIES[step]?.maxNodes ?? Number.POSITIVE_INFINITY)) step += 1;
  while (nodeCount < (TTL_BOUNDARIES[step]?.minNodes ?? 0)) step -= 1;
  return step;
}

/** The value of the annotation for the index of a range. */
export const ttlSecondsOf = (step: number): string => String((TTL_BOUNDARIES[step] ?? TTL_BOUNDARIES[0]).ttlSeconds);
