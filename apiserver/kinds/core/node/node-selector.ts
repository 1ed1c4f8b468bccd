/**
 * Validates node selectors of Pods and volumes: a list of terms, of which one must match. Only `metadata.name` can be
 * matched as a field. Matching nodes is left to the scheduler and the volume controllers.
 */
import { forbiddenField, invalidValue, requiredValue } from '../../../../shared/api/errors/field-error';
import type {
  CoreV1NodeSelector,
  CoreV1NodeSelectorRequirement,
  CoreV1NodeSelectorTerm,
} from '../../../../shared/api/types/generated/members';
import { checkDnsSubdomain, checkQualifiedName } from '../../../../shared/values/name-formats';
import { checkFormat, type Errors } from '../../rules/checks';

/** At least one term is required. */
export function checkNodeSelector(selector: CoreV1NodeSelector, fieldPath: string, errors: Errors): void {
  const terms = selector.nodeSelectorTerms ?? [];
  const field = `${fieldPath}.nodeSelectorTerms`;
  if (terms.length === 0) errors.push(requiredValue(field, 'must have at least one node selector term'));
  terms.forEach((term, index) => checkNodeSelectorTerm(term, `${field}[${index}]`, errors));
}

export function checkNodeSelectorTerm(term: CoreV1NodeSelectorTerm, fieldPath: string, errors: Errors): void {
  term.matchExpressions?.forEach((expression, index) => {
    const field = `${fieldPath}.matchExpressions[${index}]`;
    checkValues(expression, field, errors);
    checkFormat(expression.key ?? '', `${field}.key`, checkQualifiedName, errors);
  });
  term.matchFields?.forEach((expression, index) => checkFieldRequirement(expression, `${fieldPath}.matchFields[${index}]`, errors));
}

function checkValues(expression: CoreV1NodeSelectorRequirement, fieldPath: string, errors: Errors): void {
  const operator = expression.operator ?? '';
  const count = expression.values?.length ?? 0;
  const field = `${fieldPath}.values`;
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (count === 0) errors.push(requiredValue(field, "must be specified when `operator` is 'In' or 'NotIn'"));
      return;
    case 'Exists':
    case 'DoesNotExist':
      if (count > 0) errors.push(forbiddenField(field, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
      return;
    case 'Gt':
    case 'Lt':
      if (count !== 1) errors.push(requiredValue(field, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
      return;
    default:
      errors.push(invalidValue(`${fieldPath}.operator`, operator, 'not a valid selector operator'));
  }
}

/** `metadata.name` is the only field that can be selected. */
function checkFieldRequirement(expression: CoreV1NodeSelectorRequirement, fieldPath: string, errors: Errors): void {
  const { key = '', operator = '' } = expression;
  const values = expression.values ?? [];
  if (operator !== 'In' && operator !== 'NotIn') {
    errors.push(invalidValue(`${fieldPath}.operator`, operator, 'not a valid selector operator'));
  } else if (values.length !== 1) {
    const text = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    errors.push(requiredValue(`${fieldPath}.values`, text));
  }
  if (key !== 'metadata.name') errors.push(invalidValue(`${fieldPath}.key`, key, 'not a valid field selector key'));
  else values.forEach((value, index) => checkFormat(value, `${fieldPath}.values[${index}]`, checkDnsSubdomain, errors));
}
