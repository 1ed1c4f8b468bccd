/** PriorityLevelConfiguration: the annotation that stands for a value in an older version has no place in a stored object. */
import { forbiddenField, type FieldError } from '../../../shared/api/errors/field-error';
import { own } from '../../../shared/values/json';
import { CARRIED_NAMES } from '../../../shared/names/dialect';
import type { Strategy } from '../../registry/strategy';
import type { FlowcontrolV1PriorityLevelConfiguration } from '../../../shared/api/types/generated/members';

export const priorityLevel: Strategy<FlowcontrolV1PriorityLevelConfiguration> = {
  validate: carriedName,
  update: { validate: carriedName },
};

function carriedName(object: FlowcontrolV1PriorityLevelConfiguration): readonly FieldError[] {
  const annotations = object.metadata?.annotations;
  if (annotations === undefined) return [];
  return Object.values(CARRIED_NAMES)
    .filter(({ zeroShares }) => own(annotations, zeroShares) !== undefined)
    .map(({ zeroShares }) => forbiddenField('metadata.annotations', `annotation '${zeroShares}' is forbidden`));
}
