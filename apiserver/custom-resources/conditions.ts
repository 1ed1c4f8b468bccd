/**
 * The conditions of a CustomResourceDefinition, with the texts of upstream except for `Described`. When a condition is set is
 * left to naming.ts and definition-controller.ts.
 */
import { arrayAt, isObject, stringAt, type JsonObject } from '../../shared/values/json';

/** A condition as it is set; its transition time is derived from the previous one. */
export type DefinitionCondition = {
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
};

/** The conditions in the status, in order. */
export function conditionsOf(status: JsonObject): readonly JsonObject[] {
  return (arrayAt(status, 'conditions') ?? []).filter(isObject);
}

/** Whether the status has the condition with the status `True`. */
export function isConditionTrue(status: JsonObject, type: DefinitionCondition['type']): boolean {
  return conditionsOf(status).some((condition) => stringAt(condition, 'type') === type && stringAt(condition, 'status') === 'True');
}

/** Returns a status without the condition; does not modify its argument. */
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

/** Set once all requested names are accepted; later conflicts do not remove it. */
export const ESTABLISHED: DefinitionCondition = {
  type: 'Established',
  status: 'True',
  reason: 'InitialNamesAccepted',
  message: 'the initial names have been accepted',
};

/** Set until all requested names have been accepted for the first time. */
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
