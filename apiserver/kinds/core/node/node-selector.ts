/** Which nodes a volume or a pod may be on: terms of requirements, of which one has to hold. */
import { forbiddenField, invalidValue, required, type FieldError } from '../../../../shared/api/errors/field-error';
import { type JsonObject, stringAt, stringsAt } from '../../../../shared/values/json';
import { dnsSubdomain, qualifiedName } from '../../../../shared/values/name-formats';
import { listed, misnamed } from '../../rules/field-rules';

/** Of a selector at `place`; it has to have terms. */
export function nodeSelectorErrors(selector: JsonObject, place: string): readonly FieldError[] {
  const terms = listed(selector, 'nodeSelectorTerms');
  const field = `${place}.nodeSelectorTerms`;
  if (terms.length === 0) return [required(field, 'must have at least one node selector term')];
  return terms.flatMap((term, index) => nodeSelectorTermErrors(term, `${field}[${index}]`));
}

export function nodeSelectorTermErrors(term: JsonObject, place: string): readonly FieldError[] {
  const ofLabels = listed(term, 'matchExpressions').flatMap((expression, index) => {
    const field = `${place}.matchExpressions[${index}]`;
    return [...valueErrors(expression, field), ...misnamed(stringAt(expression, 'key') ?? '', `${field}.key`, qualifiedName)];
  });
  const ofFields = listed(term, 'matchFields').flatMap((expression, index) => fieldErrors(expression, `${place}.matchFields[${index}]`));
  return [...ofLabels, ...ofFields];
}

function valueErrors(expression: JsonObject, place: string): readonly FieldError[] {
  const operator = stringAt(expression, 'operator') ?? '';
  const count = stringsAt(expression, 'values').length;
  switch (operator) {
    case 'In':
    case 'NotIn':
      return count > 0 ? [] : [required(`${place}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      return count === 0 ? [] : [forbiddenField(`${place}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    case 'Gt':
    case 'Lt':
      return count === 1 ? [] : [required(`${place}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [invalidValue(`${place}.operator`, operator, 'not a valid selector operator')];
  }
}

/** Of the fields of a node only its name can be asked for. */
function fieldErrors(expression: JsonObject, place: string): readonly FieldError[] {
  const [key, operator] = [stringAt(expression, 'key') ?? '', stringAt(expression, 'operator') ?? ''];
  const values = stringsAt(expression, 'values');
  const errors: FieldError[] = [];
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length !== 1) {
      errors.push(required(`${place}.values`, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"));
    }
  } else errors.push(invalidValue(`${place}.operator`, operator, 'not a valid selector operator'));
  if (key !== 'metadata.name') return [...errors, invalidValue(`${place}.key`, key, 'not a valid field selector key')];
  return [...errors, ...values.flatMap((value, index) => misnamed(value, `${place}.values[${index}]`, dnsSubdomain))];
}
