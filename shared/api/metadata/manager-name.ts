/** What the name of a field manager may be, in a query, a header and in managedFields. */
import { invalidValue, tooLong, type FieldError } from '../errors/field-error';

export const MANAGER_BYTES = 128;

/** What a terminal would not show. */
export const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;

export function managerFaults(field: string, manager: string): FieldError[] {
  const errors: FieldError[] = [];
  if (manager.length * 3 > MANAGER_BYTES && Buffer.byteLength(manager) > MANAGER_BYTES) errors.push(tooLong(field, MANAGER_BYTES));
  const unprintable = manager.search(UNPRINTABLE);
  if (unprintable >= 0) {
    const code = (manager.codePointAt(unprintable) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    const position = Buffer.byteLength(manager.slice(0, unprintable));
    errors.push(invalidValue(field, manager, `invalid character U+${code} (at position ${position})`));
  }
  return errors;
}
