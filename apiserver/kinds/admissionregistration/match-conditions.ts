/**
 * Validates match conditions of webhooks, policies and authorizers: named expressions of type bool over the variables
 * that each of these has. Evaluating them is left to admission and authorization.
 */
import {
  duplicateValue,
  internalFieldError,
  invalidValue,
  requiredValue,
  tooManyItems,
  type FieldError,
} from '../../../shared/api/errors/field-error';
import { WEBHOOK_VARIABLES } from '../../../shared/expression/admission/variables';
import type { Type } from '../../../shared/expression/types/type';
import { compileExpression, type CompileError } from '../../../shared/expression/engine';
import { checkQualifiedName } from '../../../shared/values/name-formats';
import { checkFormat, type Errors } from '../rules/checks';
import type { AdmissionregistrationV1MatchCondition } from '../../../shared/api/types/generated/members';

const MAX_CONDITIONS = 64;

/** Adds an error when there are too many conditions, and the errors of those up to the maximum number. */
export function checkMatchConditions(
  conditions: readonly AdmissionregistrationV1MatchCondition[],
  fieldPath: string,
  errors: Errors,
  variables: ReadonlyMap<string, Type> = WEBHOOK_VARIABLES,
): void {
  if (conditions.length > MAX_CONDITIONS) errors.push(tooManyItems(fieldPath, conditions.length, MAX_CONDITIONS));
  const names = new Set<string>();
  conditions.slice(0, MAX_CONDITIONS).forEach(({ name = '', expression = '' }, index) => {
    checkCondition(expression, `${fieldPath}[${index}].expression`, variables, errors);
    const field = `${fieldPath}[${index}].name`;
    if (name === '') errors.push(requiredValue(field));
    else checkFormat(name, field, checkQualifiedName, errors);
    if (name !== '' && names.has(name)) errors.push(duplicateValue(field, name));
    names.add(name);
  });
}

function checkCondition(expression: string, field: string, variables: ReadonlyMap<string, Type>, errors: Errors): void {
  if (expression.trim() === '') {
    errors.push(requiredValue(field));
    return;
  }
  const compiled = compileExpression(expression, variables);
  if ('error' in compiled) errors.push(compileFieldError(field, expression, compiled));
  else if (compiled.type.kind !== 'bool') errors.push(invalidValue(field, expression, 'must evaluate to bool'));
}

/** Upstream reports an internal error for an expression that type-checks but cannot be compiled. */
export const compileFieldError = (field: string, expression: string, { error, isChecked }: CompileError): FieldError =>
  isChecked ? internalFieldError(field, error) : invalidValue(field, expression, error);
