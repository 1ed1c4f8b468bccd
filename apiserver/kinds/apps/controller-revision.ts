/** ControllerRevision: a number, and data that never change. */
import { invalidValue, requiredValue, type FieldError } from '../../../shared/api/errors/field-error';
import { isObject, stringifyJson } from '../../../shared/values/json';
import type { Errors } from '../rules/checks';
import { checkNonNegative } from '../rules/numbers';
import { UPDATE } from '../../registry/stages';
import type { Strategy } from '../../registry/strategy';
import type { AppsV1ControllerRevision } from '../../../shared/api/types/generated/members';

export const controllerRevision: Strategy<AppsV1ControllerRevision> = {
  validate: (object, old) => (old === undefined ? validateNew(object) : []),
  // The metadata is judged once more than the rest (upstream behaviour, visible in the causes).
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

/** Data are bytes to upstream: the order of their members counts. */
function validateUpdate(object: AppsV1ControllerRevision, old: AppsV1ControllerRevision): readonly FieldError[] {
  const errors: Errors = [];
  checkNonNegative(object, 'revision', '', errors);
  const data = object.data ?? null;
  if (stringifyJson(data) !== stringifyJson(old.data ?? null)) {
    errors.push(invalidValue('data', isObject(data) ? data : { raw: data }, 'field is immutable'));
  }
  return errors;
}
