/** What the resources of a definition are called, in `spec.names` and, once nobody else is called so, in `status.acceptedNames`. */
import { invalidValue, required, type FieldError } from '../../../shared/api/errors/field-error';
import { type JsonObject, stringAt, stringsAt } from '../../../shared/values/json';
import { dns1035Label } from '../../../shared/values/name-formats';

/** In upstream's order. */
const SINGLE = [
  { member: 'plural', mixed: false },
  { member: 'singular', mixed: false },
  { member: 'kind', mixed: true },
  { member: 'listKind', mixed: true },
] as const;

/** `which`: whether every name has to be there. */
export function namesErrors(names: JsonObject, place: string, which: 'all' | 'some'): readonly FieldError[] {
  const single = SINGLE.flatMap(({ member, mixed }) => {
    const value = stringAt(names, member) ?? '';
    const field = `${place}.${member}`;
    if (value === '') return which === 'all' ? [required(field)] : [];
    const faults = dns1035Label(mixed ? value.toLowerCase() : value);
    const text = faults.join(',');
    return faults.length === 0
      ? []
      : [invalidValue(field, value, mixed ? `may have mixed case, but should otherwise match: ${text}` : text)];
  });
  const kind = stringAt(names, 'kind') ?? '';
  const listKind = stringAt(names, 'listKind') ?? '';
  const same =
    kind !== '' && kind === listKind ? [invalidValue(`${place}.listKind`, listKind, 'kind and listKind may not be the same')] : [];
  return [...single, ...labels(names, 'shortNames', place), ...same, ...labels(names, 'categories', place)];
}

function labels(names: JsonObject, member: string, place: string): readonly FieldError[] {
  return stringsAt(names, member).flatMap((name, index) => {
    const faults = dns1035Label(name);
    return faults.length === 0 ? [] : [invalidValue(`${place}.${member}[${index}]`, name, faults.join(','))];
  });
}
