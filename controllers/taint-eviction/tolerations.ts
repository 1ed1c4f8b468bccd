/**
 * Computes how long a pod tolerates the NoExecute taints of its node. Pure: scheduling the eviction is left to the
 * controller. The rules are those of upstream 1.31.1.
 */
import { taintsOf, tolerates, type Node, type Taint } from '../runtime/nodes';
import type { Pod } from '../../shared/client/rest/typed-objects';

/** How long a pod may stay on its node. */
export type TolerationTime =
  | { readonly type: 'unlimited' }
  /** Zero when some taint is not tolerated, or for no time. */
  | { readonly type: 'limited'; readonly ms: number };

/** The taints of the node that evict pods. */
export const noExecuteTaints = (node: Node): readonly Taint[] => taintsOf(node).filter(({ effect }) => effect === 'NoExecute');

/**
 * For each taint the first matching toleration counts; of these, the one with the shortest time. `taints`: with the
 * effect NoExecute.
 */
export function minTolerationTime({ body }: Pod, taints: readonly Taint[]): TolerationTime {
  const { tolerations = [] } = body.spec ?? {};
  let minMs: number | undefined;
  for (const taint of taints) {
    const toleration = tolerations.find((candidate) => tolerates(candidate, taint));
    if (toleration === undefined) return { type: 'limited', ms: 0 };
    const { tolerationSeconds } = toleration;
    if (tolerationSeconds === undefined) continue;
    minMs = Math.min(minMs ?? Number.POSITIVE_INFINITY, Math.max(0, Number(tolerationSeconds)) * 1000);
  }
  return minMs === undefined ? { type: 'unlimited' } : { type: 'limited', ms: minMs };
}
