/** What a claim may ask for, on its own or as the template of an ephemeral volume. */
import { append } from '../../../../shared/values/append';
import { invalidAs, invalidValue, required } from '../../../../shared/api/errors/field-error';
import { equalJson, objectAt, stringAt, type JsonObject } from '../../../../shared/values/json';
import { dnsSubdomain } from '../../../../shared/values/name-formats';
import { parseQuantity } from '../../../../shared/values/quantity';
import { selectorErrors } from '../../rules/field-rules';
import { checkFormat, checkOptional, checkRequired, textAt, type Errors } from '../../rules/checks';
import { accessModeErrors, noAccessModes, volumeModeErrors } from './access-modes';

/** `old` = the spec that it is to replace. */
export function checkClaimSpec(spec: JsonObject, old: JsonObject | undefined, place: string, errors: Errors): void {
  append(errors, noAccessModes(spec, place, 'at least 1 access mode is required'));
  append(errors, [...selectorErrors(spec, old, place), ...accessModeErrors(spec, place)]);
  checkStorage(spec, `${place}.resources[storage]`, errors);
  checkOptional(spec, 'storageClassName', place, errors, dnsSubdomain);
  append(errors, volumeModeErrors(spec, place));
  checkOrigins(spec, place, errors);
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
