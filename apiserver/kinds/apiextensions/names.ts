/** What the resources of a definition are called, in `spec.names` and, once nobody else is called so, in `status.acceptedNames`. */
import { invalidValue, requiredValue } from '../../../shared/api/errors/field-error';
import type { Errors } from '../rules/checks';
import { checkDns1035Label } from '../../../shared/values/name-formats';
import type { ApiextensionsV1CustomResourceDefinitionNames } from '../../../shared/api/types/generated/members';

/** In upstream's order. */
const SINGLE = [
  { member: 'plural', mixed: false },
  { member: 'singular', mixed: false },
  { member: 'kind', mixed: true },
  { member: 'listKind', mixed: true },
] as const;

/** `which`: whether every name has to be there. */
export function checkNames(
  names: ApiextensionsV1CustomResourceDefinitionNames,
  place: string,
  which: 'all' | 'some',
  errors: Errors,
): void {
  for (const { member, mixed } of SINGLE) {
    const value = names[member] ?? '';
    const field = `${place}.${member}`;
    if (value !== '') checkName(value, field, mixed, errors);
    else if (which === 'all') errors.push(requiredValue(field));
  }
  checkLabels(names.shortNames, `${place}.shortNames`, errors);
  const { kind = '', listKind = '' } = names;
  if (kind !== '' && kind === listKind) errors.push(invalidValue(`${place}.listKind`, listKind, 'kind and listKind may not be the same'));
  checkLabels(names.categories, `${place}.categories`, errors);
}

function checkName(name: string, field: string, mixed: boolean, errors: Errors): void {
  const faults = checkDns1035Label(mixed ? name.toLowerCase() : name);
  if (faults.length === 0) return;
  const text = faults.join(',');
  errors.push(invalidValue(field, name, mixed ? `may have mixed case, but should otherwise match: ${text}` : text));
}

function checkLabels(names: readonly string[] | undefined, place: string, errors: Errors): void {
  names?.forEach((name, index) => checkName(name, `${place}[${index}]`, false, errors));
}
