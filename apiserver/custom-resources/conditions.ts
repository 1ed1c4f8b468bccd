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

/** Replaces the condition, or appends it. `ms` is in milliseconds since 1970. */
export function withCondition(status: JsonObject, { type, status: value, reason, message }: DefinitionCondition, ms: number): JsonObject {
  const conditions = conditionsOf(status);
  const known = conditions.find((condition) => stringAt(condition, 'type') === type);
  const isTransition = known === undefined || stringAt(known, 'status') !== value;
  const since = isTransition ? formatTimestamp(ms) : (stringAt(known, 'lastTransitionTime') ?? formatTimestamp(ms));
  const updated: JsonObject = { type, status: value, lastTransitionTime: since, reason, message };
  return {
    ...status,
    conditions: known === undefined ? [...conditions, updated] : conditions.map((condition) => (condition === known ? updated : condition)),
  };
}

export function withoutCondition(status: JsonObject, type: DefinitionCondition['type']): JsonObject {
  return { ...status, conditions: conditionsOf(status).filter((condition) => stringAt(condition, 'type') !== type) };
}

/** The condition of a definition that the OpenAPI documents omit. Specific to this server. */
export function undescribedCondition(why: string): DefinitionCondition {
  return {
    type: 'Described',
    status: 'False',
    reason: 'DocumentNotMade',
    message: `the definition is left out of the OpenAPI documents: ${why}`,
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
