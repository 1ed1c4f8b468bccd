/** What a Job's policy says of a pod that has failed. Knows no server. */
import { keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import { arrayAt, isObject, objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import { numberAt } from '../workload/spec';
import { conditionsOf } from '../runtime/conditions';

export type FailureVerdict =
  | { readonly type: 'count' }
  | { readonly type: 'ignore' }
  | { readonly type: 'fail-index' }
  | { readonly type: 'fail-job'; readonly message: string };

const COUNTED: FailureVerdict = { type: 'count' };

/** The first rule that it meets decides. */
export function verdictOn(job: ApiObject, pod: ApiObject): FailureVerdict {
  const rules = (arrayAt(objectAt(objectAt(job.body, 'spec'), 'podFailurePolicy'), 'rules') ?? []).filter(isObject);
  for (const [index, rule] of rules.entries()) {
    const cause = causeOf(rule, pod);
    if (cause !== undefined) return verdictOf(stringAt(rule, 'action'), cause, index);
  }
  return COUNTED;
}

function verdictOf(action: string | undefined, cause: string, index: number): FailureVerdict {
  switch (action) {
    case 'FailJob':
      return { type: 'fail-job', message: `${cause} matching FailJob rule at index ${index}` };
    case 'FailIndex':
      return { type: 'fail-index' };
    case 'Ignore':
      return { type: 'ignore' };
    default:
      return COUNTED;
  }
}

function causeOf(rule: JsonObject, pod: ApiObject): string | undefined {
  const codes = objectAt(rule, 'onExitCodes');
  if (codes !== undefined) return exitCause(codes, pod);
  const wanted = (arrayAt(rule, 'onPodConditions') ?? []).filter(isObject);
  const found = wanted.find(({ type, status }) =>
    conditionsOf(pod.body).some((condition) => condition['type'] === type && condition['status'] === status),
  );
  return found === undefined ? undefined : `Pod ${keyOf(pod)} has condition ${stringAt(found, 'type') ?? ''}`;
}

function exitCause(rule: JsonObject, pod: ApiObject): string | undefined {
  const status = objectAt(pod.body, 'status');
  const only = stringAt(rule, 'containerName');
  const values = arrayAt(rule, 'values') ?? [];
  const isExcluding = stringAt(rule, 'operator') === 'NotIn';
  for (const container of ['containerStatuses', 'initContainerStatuses'].flatMap((member) => arrayAt(status, member) ?? [])) {
    if (!isObject(container)) continue;
    const name = stringAt(container, 'name') ?? '';
    const code = numberAt(objectAt(objectAt(container, 'state'), 'terminated'), 'exitCode');
    if (code === undefined || code === 0 || (only !== undefined && only !== name)) continue;
    if (values.includes(code) !== isExcluding) return `Container ${name} for pod ${keyOf(pod)} failed with exit code ${code}`;
  }
  return undefined;
}
