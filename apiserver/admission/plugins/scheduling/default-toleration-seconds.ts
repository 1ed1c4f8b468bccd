/**
 * DefaultTolerationSeconds: lets a pod stay for five minutes on a node that is not ready or unreachable, unless the pod
 * has its own toleration for that taint.
 */
import { canonicalQualifiedName } from '../../../../shared/names/dialect';
import type { CoreV1Toleration } from '../../../../shared/api/types/generated/members';
import type { MutatingPlugin } from '../../chain';
import { podMutatingPlugin, ON_CREATE_OR_UPDATE } from '../../pod-plugin';

/** The taints without their domain. */
const TAINTS = ['not-ready', 'unreachable'];
const TOLERATION_SECONDS = 300;

/** `prefix`: domain of the names that the server writes (`platform.io`). */
export function defaultTolerationSeconds(prefix: string): MutatingPlugin {
  return podMutatingPlugin('DefaultTolerationSeconds', ON_CREATE_OR_UPDATE, (_request, spec) => {
    const { tolerations = [] } = spec;
    const missing = TAINTS.filter((taint) => !tolerations.some((toleration) => toleratesTaint(toleration, `node.platform.io/${taint}`)));
    if (missing.length === 0) return;
    const addedToleration = (taint: string): CoreV1Toleration => ({
      key: `node.${prefix}/${taint}`,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: TOLERATION_SECONDS,
    });
    spec.tolerations = [...tolerations, ...missing.map(addedToleration)];
  });
}

/** Whether the pod tolerates the taint for some time. The value of the toleration is ignored (upstream behaviour). */
function toleratesTaint({ key = '', effect = '' }: CoreV1Toleration, taint: string): boolean {
  return (key === '' || canonicalQualifiedName(key) === taint) && (effect === '' || effect === 'NoExecute');
}
