/**
 * Validates the form of the names of a CustomResourceDefinition, in `spec.names` and `status.acceptedNames`. Conflicts with
 * the names of other definitions are left to apiserver/custom-resources.
 */
import { invalidValue, requiredValue } from '../../../shared/api/errors/field-error';
import type { Errors } from '../rules/checks';
import { checkDns1035Label } from '../../../shared/values/name-formats';
import type { ApiextensionsV1CustomResourceDefinitionNames } from '../../../shared/api/types/generated/members';

/** The names besides lists, in upstream's order. */
const SINGLE_NAMES = [
  { member: 'plural', allowsMixedCase: false },
  { member: 'singular', allowsMixedCase: false },
  { member: 'kind', allowsMixedCase: true },
  { member: 'listKind', allowsMixedCase: true },
] as const;

/** `required`: `all` in the spec, where every single name is required; `some` in the status, where names may be absent. */
export function checkDefinitionNames(
  names: ApiextensionsV1CustomResourceDefinitionNames,
  fieldPath: string,
  required: 'all' | 'some',
  errors: Errors,
): void {
  for (const { member, allowsMixedCase } of SINGLE_NAMES) {
    const value = names[member] ?? '';
    const field = `${fieldPath}.${member}`;
    if (value !== '') checkName(value, field, { allowsMixedCase }, errors);
    else if (required === 'all') errors.push(requiredValue(field));
  }
  checkLabels(names.shortNames, `${fieldPath}.shortNames`, errors);
  const { kind = '', listKind = '' } = names;
  if (kind !== '' && kind === listKind) {
    errors.push(invalidValue(`${fieldPath}.listKind`, listKind, 'kind and listKind may not be the same'));
  }
  checkLabels(names.categories, `${fieldPath}.categories`, errors);
}

function checkName(name: string, field: string, { allowsMixedCase }: { readonly allowsMixedCase: boolean }, errors: Errors): void {
  const reasons = checkDns1035Label(allowsMixedCase ? name.toLowerCase() : name);
  if (reasons.length === 0) return;
  const text = reasons.join(',');
  errors.push(invalidValue(field, name, allowsMixedCase ? `may have mixed case, but should otherwise match: ${text}` : text));
}

function checkLabels(names: readonly string[] | undefined, fieldPath: string, errors: Errors): void {
  names?.forEach((name, index) => checkName(name, `${fieldPath}[${index}]`, { allowsMixedCase: false }, errors));
}
