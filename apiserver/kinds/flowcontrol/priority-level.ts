/** PriorityLevelConfiguration: the annotation that stands for a value in an older version has no place in a stored object. */
import { forbiddenField, type FieldError } from '../../../shared/api/errors/field-error';
import { objectAt, own, type JsonObject } from '../../../shared/values/json';
import { readMetadata } from '../../../shared/api/metadata/object-meta';
import { CARRIED_NAMES } from '../../../shared/names/dialect';
import type { Strategy } from '../../registry/strategy';

export const priorityLevel: Strategy = {
  validate: carriedName,
  update: { validate: carriedName },
};

function carriedName(object: JsonObject): readonly FieldError[] {
  const annotations = objectAt(readMetadata(object), 'annotations');
  if (annotations === undefined) return [];
  return Object.values(CARRIED_NAMES)
    .filter(({ zeroShares }) => own(annotations, zeroShares) !== undefined)
    .map(({ zeroShares }) => forbiddenField('metadata.annotations', `annotation '${zeroShares}' is forbidden`));
}
