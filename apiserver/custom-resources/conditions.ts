/** The conditions of a definition: read, and changed as upstream changes them (a transition has a time, anything else has not). Pure. */
import { arrayAt, isObject, stringAt, type JsonObject } from '../../shared/values/json';
import { formatTimestamp } from '../../shared/api/metadata/object-meta';

export interface Condition {
  readonly type:
    | 'Described'
    | 'Established'
    | 'KubernetesAPIApprovalPolicyConformant'
    | 'NamesAccepted'
    | 'NonStructuralSchema'
    | 'Terminating';
  readonly status: 'False' | 'True';
  readonly reason: string;
  readonly message: string;
}

export function conditionsOf(status: JsonObject): readonly JsonObject[] {
  return (arrayAt(status, 'conditions') ?? []).filter(isObject);
}

export function conditionIsTrue(status: JsonObject, type: Condition['type']): boolean {
  return conditionsOf(status).some((condition) => stringAt(condition, 'type') === type && stringAt(condition, 'status') === 'True');
}

/** The status with the condition in its place, or at the end. `ms` since 1970. */
export function withCondition(status: JsonObject, { type, status: value, reason, message }: Condition, ms: number): JsonObject {
  const conditions = conditionsOf(status);
  const known = conditions.find((condition) => stringAt(condition, 'type') === type);
  const isTransition = known === undefined || stringAt(known, 'status') !== value;
  const since = isTransition ? formatTimestamp(ms) : (stringAt(known, 'lastTransitionTime') ?? formatTimestamp(ms));
  const made: JsonObject = { type, status: value, lastTransitionTime: since, reason, message };
  return {
    ...status,
    conditions: known === undefined ? [...conditions, made] : conditions.map((condition) => (condition === known ? made : condition)),
  };
}

export function withoutCondition(status: JsonObject, type: Condition['type']): JsonObject {
  return { ...status, conditions: conditionsOf(status).filter((condition) => stringAt(condition, 'type') !== type) };
}

/** What is said of a definition that OpenAPI documents have to do without; ours alone. */
export function notDescribed(why: string): Condition {
  return { type: 'Described', status: 'False', reason: 'DocumentNotMade', message: `OpenAPI documents are without it: ${why}` };
}

export const ESTABLISHED: Condition = {
  type: 'Established',
  status: 'True',
  reason: 'InitialNamesAccepted',
  message: 'the initial names have been accepted',
};

export const NOT_ESTABLISHED: Condition = {
  type: 'Established',
  status: 'False',
  reason: 'NotAccepted',
  message: 'not all names are accepted',
};

/** What is said while the objects of a definition that is being deleted go. */
export const DELETING_INSTANCES: Condition = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionInProgress',
  message: 'CustomResource deletion is in progress',
};
