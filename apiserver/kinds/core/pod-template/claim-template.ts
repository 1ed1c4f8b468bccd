/** The claim that an ephemeral volume makes for itself. */
import { forbiddenField, required } from '../../../../shared/api/errors/field-error';
import { isEmptyObject, objectAt, own, type JsonObject } from '../../../../shared/values/json';
import { validateAnnotations, validateLabels } from '../../../../shared/api/metadata/object-meta-rules';
import { checkClaimSpec } from '../claim/claim-spec';
import type { Errors } from '../../rules/checks';

export function checkClaimTemplate(source: JsonObject, sourcePlace: string, errors: Errors): void {
  const template = objectAt(source, 'volumeClaimTemplate');
  const place = `${sourcePlace}.volumeClaimTemplate`;
  if (template === undefined) {
    errors.push(required(place));
    return;
  }
  checkMetadata(objectAt(template, 'metadata') ?? {}, `${place}.metadata`, errors);
  checkClaimSpec(objectAt(template, 'spec') ?? {}, undefined, `${place}.spec`, errors);
}

/** What only the claim's maker says, in the order and the spelling of messages. */
const NOT_CHOSEN: readonly (readonly [member: string, shown?: string])[] = [
  ['name'],
  ['generateName'],
  ['namespace'],
  ['selfLink'],
  ['uid', 'uID'],
  ['resourceVersion'],
  ['generation'],
  ['creationTimestamp'],
  ['deletionTimestamp'],
  ['deletionGracePeriodSeconds'],
  ['ownerReferences'],
  ['finalizers'],
  ['managedFields'],
];

function checkMetadata(metadata: JsonObject, place: string, errors: Errors): void {
  if (isEmptyObject(metadata)) return;
  validateAnnotations(objectAt(metadata, 'annotations') ?? {}, `${place}.annotations`, errors);
  validateLabels(objectAt(metadata, 'labels') ?? {}, `${place}.labels`, errors);
  for (const [member, shown = member] of NOT_CHOSEN) {
    if (saysSomething(metadata, member)) errors.push(forbiddenField(`${place}.${shown}`, 'cannot be set'));
  }
}

function saysSomething(object: JsonObject, member: string): boolean {
  const value = own(object, member);
  if (value === undefined || value === null || value === '' || value === 0) return false;
  return !Array.isArray(value) || value.length > 0;
}
