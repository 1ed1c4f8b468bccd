/** How long a pod stays on a node that has taints. Pure. Seen at release 1.31.1. */
import type { ApiObject } from '../../shared/client/rest/api-object';
import { arrayAt, isObject, objectAt, own } from '../../shared/values/json';
import { taintsOf, tolerates, type Taint } from '../runtime/nodes';

export type Stay =
  | { readonly type: 'for ever' }
  /** Zero = not at all. */
  | { readonly type: 'for a time'; readonly ms: number };

const FOR_EVER: Stay = { type: 'for ever' };
const NOT_AT_ALL: Stay = { type: 'for a time', ms: 0 };

/** Taints that make pods leave. */
export const evictingTaints = (node: ApiObject): readonly Taint[] => taintsOf(node).filter(({ effect }) => effect === 'NoExecute');

/** The first toleration that fits a taint counts for it, and the shortest time of all. */
export function stayOf(pod: ApiObject, taints: readonly Taint[]): Stay {
  const tolerations = (arrayAt(objectAt(pod.body, 'spec'), 'tolerations') ?? []).filter(isObject);
  let shortest: number | undefined;
  for (const taint of taints) {
    const toleration = tolerations.find((one) => tolerates(one, taint));
    if (toleration === undefined) return NOT_AT_ALL;
    const seconds = own(toleration, 'tolerationSeconds');
    if (typeof seconds !== 'number' && typeof seconds !== 'bigint') continue;
    shortest = Math.min(shortest ?? Number.POSITIVE_INFINITY, Math.max(0, Number(seconds)) * 1000);
  }
  return shortest === undefined ? FOR_EVER : { type: 'for a time', ms: shortest };
}
