/**
 * Validates the conditions of FlowSchemas and PriorityLevelConfigurations, which the server itself sets: types are
 * required and unique. Other members of a condition are not validated (upstream behaviour).
 */
import { duplicateValue, requiredValue, type FieldError } from '../../../shared/api/errors/field-error';
import type { Errors } from '../rules/checks';

interface ObjectWithConditions {
  readonly status?: { readonly conditions?: readonly { readonly type?: string }[] };
}

export function validateConditions({ status }: ObjectWithConditions): readonly FieldError[] {
  const errors: Errors = [];
  const seen = new Set<string>();
  status?.conditions?.forEach(({ type = '' }, index) => {
    const field = `status.conditions[${index}].type`;
    if (type === '') errors.push(requiredValue(field, 'must not be empty'));
    if (seen.has(type)) errors.push(duplicateValue(field, type));
    seen.add(type);
  });
  return errors;
}
