/**
 * Matches a failed pod against `spec.podFailurePolicy`. The first matching rule decides, in the order of the spec. Pure:
 * the caller counts failures and ends the Job.
 */
import type { BatchV1PodFailurePolicyOnExitCodesRequirement, BatchV1PodFailurePolicyRule } from '../../shared/api/types/generated/members';
import { keyOf } from '../../shared/client/rest/api-object';
import { conditionsOf } from '../runtime/conditions';
import type { Pod, Job } from '../../shared/client/rest/typed-objects';

/** What the failure of a pod means for its Job. */
export type PodFailureAction =
  /** The failure counts towards the back-off limits. */
  | { readonly type: 'count' }
  /** The failure does not count, and the pod is replaced. */
  | { readonly type: 'ignore' }
  /** The index of the pod has failed, even if `backoffLimitPerIndex` allows further retries. */
  | { readonly type: 'fail-index' }
  /** The Job has failed. `message` is that of its condition. */
  | { readonly type: 'fail-job'; readonly message: string };

const COUNT: PodFailureAction = { type: 'count' };

/** The action of the first rule that matches; a pod that matches none is counted. */
export function matchPodFailurePolicy(job: Job, pod: Pod): PodFailureAction {
  for (const [index, rule] of (job.body.spec?.podFailurePolicy?.rules ?? []).entries()) {
    const cause = matchRule(rule, pod);
    if (cause !== undefined) return actionOf(rule, cause, index);
  }
  return COUNT;
}

/** `Count`, and an action of a later release, count the failure as without a policy. */
function actionOf({ action }: BatchV1PodFailurePolicyRule, cause: string, index: number): PodFailureAction {
  switch (action) {
    case 'FailJob':
      return { type: 'fail-job', message: `${cause} matching FailJob rule at index ${index}` };
    case 'FailIndex':
      return { type: 'fail-index' };
    case 'Ignore':
      return { type: 'ignore' };
    default:
      return COUNT;
  }
}

/** The beginning of a message; undefined when the rule does not match. */
function matchRule({ onExitCodes, onPodConditions }: BatchV1PodFailurePolicyRule, pod: Pod): string | undefined {
  if (onExitCodes !== undefined) return matchExitCodes(onExitCodes, pod);
  const match = (onPodConditions ?? []).find(({ type, status }) =>
    conditionsOf(pod.body).some((condition) => condition.type === type && condition.status === status),
  );
  return match === undefined ? undefined : `Pod ${keyOf(pod)} has condition ${match.type ?? ''}`;
}

function matchExitCodes(requirement: BatchV1PodFailurePolicyOnExitCodesRequirement, pod: Pod): string | undefined {
  const { containerName, operator, values } = requirement;
  const { containerStatuses = [], initContainerStatuses = [] } = pod.body.status ?? {};
  for (const { name = '', state } of [...containerStatuses, ...initContainerStatuses]) {
    const exitCode = state?.terminated?.exitCode;
    if (exitCode === undefined || exitCode === 0 || (containerName !== undefined && containerName !== name)) continue;
    if ((values ?? []).includes(exitCode) !== (operator === 'NotIn')) {
      return `Container ${name} for pod ${keyOf(pod)} failed with exit code ${exitCode}`;
    }
  }
  return undefined;
}
