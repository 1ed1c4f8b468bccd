/** Validation of field manager names in queries, headers and managedFields. */
import { invalidValue, tooLongValue, type FieldError } from '../errors/field-error';

/** Limit of the API for field managers. */
export const MAX_MANAGER_BYTES = 128;

/** A character that Go's unicode.IsPrint rejects: controls, unassigned ones, and all blanks except the space. */
export const UNPRINTABLE_CHARACTER = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;

/** Errors of the name of a field manager; an empty name is valid. `field` is its path or parameter. */
export function fieldManagerErrors(field: string, manager: string): FieldError[] {
  const errors: FieldError[] = [];
  // A UTF-16 unit has at most three UTF-8 bytes, so the bytes of a short name need not be counted.
  if (manager.length * 3 > MAX_MANAGER_BYTES && Buffer.byteLength(manager) > MAX_MANAGER_BYTES)
    errors.push(tooLongValue(field, MAX_MANAGER_BYTES));
  const unprintable = manager.search(UNPRINTABLE_CHARACTER);
  if (unprintable >= 0) {
    const code = (manager.codePointAt(unprintable) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    const position = Buffer.byteLength(manager.slice(0, unprintable));
    errors.push(invalidValue(field, manager, `invalid character U+${code} (at position ${position})`));
  }
  return errors;
}
