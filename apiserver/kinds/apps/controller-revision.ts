/**
 * ControllerRevision strategy. `data`, a JSON object of the controller that owns it, is immutable. `revision` may change,
 * but must not be negative.
 */
import { invalidValue, requiredValue, type FieldError } from '../../../shared/api/errors/field-error';
import { isObject, stringifyJson } from '../../../shared/values/json';
import type { Errors } from '../rules/checks';
import { checkNonNegative } from '../rules/numbers';
import { UPDATE } from '../../registry/stages';
import type { Strategy } from '../../registry/strategy';
import type { AppsV1ControllerRevision } from '../../../shared/api/types/generated/members';

export const controllerRevision: Strategy<AppsV1ControllerRevision> = {
  validate: (object, old) => (old === undefined ? validateNew(object) : []),
  // Upstream validates the metadata once more than the rest, which shows in the causes.
  update: { stages: UPDATE.metadataThenObjectThenChange, validate: validateUpdate },
};

function validateNew(object: AppsV1ControllerRevision): readonly FieldError[] {
  const errors: Errors = [];
  checkNonNegative(object, 'revision', '', errors);
  const data = object.data ?? null;
  if (data === null) errors.push(requiredValue('data', 'data is mandatory'));
  else if (!isObject(data)) errors.push(requiredValue('data', 'data must be a valid JSON object'));
  return errors;
}

/** Upstream compares the data as bytes, so the order of members counts. */
function validateUpdate(object: AppsV1ControllerRevision, old: AppsV1ControllerRevision): readonly FieldError[] {
  const errors: Errors = [];
  checkNonNegative(object, 'revision', '', errors);
  const data = object.data ?? null;
  if (stringifyJson(data) !== stringifyJson(old.data ?? null)) {
    errors.push(invalidValue('data', isObject(data) ? data : { raw: data }, 'field is immutable'));
  }
  return errors;
}
