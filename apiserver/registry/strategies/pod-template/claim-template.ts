/** The claim that an ephemeral volume makes for itself. */
import { forbiddenField, invalidAs, invalidValue, notSupported, required } from '../../../../shared/api/field-error';
import { equalJson, isEmptyObject, objectAt, own, stringAt, type JsonObject } from '../../../../shared/api/json';
import { dnsSubdomain } from '../../../../shared/api/names';
import { stringsAt } from '../../../../shared/api/object-meta';
import { parseQuantity } from '../../../../shared/api/schema/quantity';
import { labelSelectorErrors } from '../../../../shared/api/validation/label-selector';
import { validateAnnotations, validateLabels } from '../../../../shared/api/validation/object-meta';
import { checkChoice, checkFormat, checkOptional, checkRequired, textAt, type Errors } from './checks';

export function checkClaimTemplate(source: JsonObject, sourcePlace: string, errors: Errors): void {
  const template = objectAt(source, 'volumeClaimTemplate');
  const place = `${sourcePlace}.volumeClaimTemplate`;
  if (template === undefined) {
    errors.push(required(place));
    return;
  }
  checkMetadata(objectAt(template, 'metadata') ?? {}, `${place}.metadata`, errors);
  checkClaimSpec(objectAt(template, 'spec') ?? {}, `${place}.spec`, errors);
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

const MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
const ALONE = 'ReadWriteOncePod';

function checkClaimSpec(spec: JsonObject, place: string, errors: Errors): void {
  checkAccess(stringsAt(spec, 'accessModes'), `${place}.accessModes`, errors);
  errors.push(...labelSelectorErrors(objectAt(spec, 'selector'), `${place}.selector`, { anyValue: false }));
  checkStorage(spec, `${place}.resources[storage]`, errors);
  checkOptional(spec, 'storageClassName', place, errors, dnsSubdomain);
  checkChoice(spec, 'volumeMode', place, ['Block', 'Filesystem'], errors);
  checkOrigins(spec, place, errors);
}

function checkAccess(modes: readonly string[], field: string, errors: Errors): void {
  if (modes.length === 0) errors.push(required(field, 'at least 1 access mode is required'));
  for (const mode of modes) if (!MODES.includes(mode)) errors.push(notSupported(field, mode, MODES));
  if (modes.includes(ALONE) && modes.length > 1) errors.push(forbiddenField(field, `may not use ${ALONE} with other access modes`));
}

function checkStorage(spec: JsonObject, field: string, errors: Errors): void {
  const wanted = stringAt(objectAt(objectAt(spec, 'resources'), 'requests'), 'storage');
  if (wanted === undefined) errors.push(required(field));
  else if (parseQuantity(wanted).nanos <= 0n) errors.push(invalidValue(field, wanted, 'must be greater than zero'));
}

function checkOrigins(spec: JsonObject, place: string, errors: Errors): void {
  const source = objectAt(spec, 'dataSource');
  const reference = objectAt(spec, 'dataSourceRef');
  if (source !== undefined) checkOrigin(source, `${place}.dataSource`, errors);
  if (reference !== undefined) checkOrigin(reference, `${place}.dataSourceRef`, errors);
  if (source === undefined || reference === undefined || equalJson(source, reference)) return;
  errors.push(invalidAs(place, 'field.Path{name:"dataSource"}', 'must match dataSourceRef'));
}

function checkOrigin(origin: JsonObject, place: string, errors: Errors): void {
  for (const member of ['name', 'kind']) checkRequired(origin, member, place, errors);
  const group = textAt(origin, 'apiGroup');
  const kind = textAt(origin, 'kind');
  if (group === '' && kind !== 'PersistentVolumeClaim') {
    errors.push(invalidValue(place, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"));
  }
  if (group !== '') checkFormat(group, `${place}.apiGroup`, dnsSubdomain, errors);
}
