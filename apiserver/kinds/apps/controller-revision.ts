/** ControllerRevision: a number, and data that never change. */
import { invalidValue, required, type FieldError } from '../../../shared/api/errors/field-error';
import { isObject, own, stringifyJson, type JsonObject } from '../../../shared/values/json';
import { negativeErrors } from '../rules/field-rules';
import { UPDATE } from '../../registry/stages';
import type { Strategy } from '../../registry/strategy';

export const controllerRevision: Strategy = {
  validate: (object, old) => (old === undefined ? [...numberErrors(object), ...dataErrors(object)] : []),
  // The metadata is judged once more than the rest (upstream behaviour, visible in the causes).
  update: { stages: UPDATE.objectThenChange, validate: (object, old) => [...numberErrors(object), ...changeErrors(object, old)] },
};

const numberErrors = (object: JsonObject): readonly FieldError[] => negativeErrors(object, '', ['revision']);

function dataErrors(object: JsonObject): readonly FieldError[] {
  const data = own(object, 'data') ?? null;
  if (data === null) return [required('data', 'data is mandatory')];
  return isObject(data) ? [] : [required('data', 'data must be a valid JSON object')];
}

/** Data are bytes to upstream: the order of their members counts. */
function changeErrors(object: JsonObject, old: JsonObject): readonly FieldError[] {
  const [data, before] = [own(object, 'data') ?? null, own(old, 'data') ?? null];
  if (stringifyJson(data) === stringifyJson(before)) return [];
  return [invalidValue('data', isObject(data) ? data : { raw: data }, 'field is immutable')];
}
