/**
 * Reads and sets conditions of a CustomResourceDefinition as upstream does: lastTransitionTime changes only with the
 * status.
 */
import { arrayAt, isObject, stringAt, type JsonObject } from '../../shared/values/json';
import { formatTimestamp } from '../../shared/api/metadata/object-meta';

export interface DefinitionCondition {
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

export function isConditionTrue(status: JsonObject, type: DefinitionCondition['type']): boolean {
  return conditionsOf(status).some((condition) => stringAt(condition, 'type') === type && stringAt(condition, 'status') === 'True');
}

/** Returns a status with the condition replaced or appended. `ms` is in milliseconds since 1970. */
export function withCondition(status: JsonObject, { type, status: value, reason, message }: DefinitionCondition, ms: number): JsonObject {
  const conditions = conditionsOf(status);
  const existing = conditions.find((condition) => stringAt(condition, 'type') === type);
  const isTransition = existing === undefined || stringAt(existing, 'status') !== value;
  const since = isTransition ? formatTimestamp(ms) : (stringAt(existing, 'lastTransitionTime') ?? formatTimestamp(ms));
  const updated: JsonObject = { type, status: value, lastTransitionTime: since, reason, message };
  return {
    ...status,
    conditions:
      existing === undefined ? [...conditions, updated] : conditions.map((condition) => (condition === existing ? updated : condition)),
  };
}

export function withoutCondition(status: JsonObject, type: DefinitionCondition['type']): JsonObject {
  return { ...status, conditions: conditionsOf(status).filter((condition) => stringAt(condition, 'type') !== type) };
}

/** The condition of a definition that the OpenAPI documents omit for the given reason. Upstream has no such condition. */
export function undescribedCondition(reason: string): DefinitionCondition {
  return {
    type: 'Described',
    status: 'False',
    reason: 'DocumentNotMade',
    message: `the definition is left out of the OpenAPI documents: ${reason}`,
  };
}

export const ESTABLISHED: DefinitionCondition = {
  type: 'Established',
  status: 'True',
  reason: 'InitialNamesAccepted',
  message: 'the initial names have been accepted',
};

export const NOT_ESTABLISHED: DefinitionCondition = {
  type: 'Established',
  status: 'False',
  reason: 'NotAccepted',
  message: 'not all names are accepted',
};

/** The condition of a terminating definition while its objects are deleted. */
export const DELETING_INSTANCES: DefinitionCondition = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionInProgress',
  message: 'CustomResource deletion is in progress',
};
