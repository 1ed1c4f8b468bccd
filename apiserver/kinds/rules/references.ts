/** Validates references to objects by kind and name. */
import { checkPathSegment, type NameCheck } from '../../../shared/values/name-formats';
import { checkIfPresent, checkRequired, type Errors } from './checks';

const KIND_AND_NAME = ['kind', 'name'] as const;

type Reference = { readonly kind?: string; readonly name?: string };

/** A reference to an object in the same namespace. */
export function checkReference(reference: Reference, fieldPath: string, errors: Errors): void {
  for (const member of KIND_AND_NAME) checkRequired(reference, member, fieldPath, errors, checkPathSegment);
}

/** A reference to an object of any kind; `group` checks its `apiGroup`. */
export function checkTypedReference(
  reference: Reference & { readonly apiGroup?: string | null },
  fieldPath: string,
  group: NameCheck,
  errors: Errors,
): void {
  checkIfPresent(reference, 'apiGroup', fieldPath, errors, group);
  for (const member of KIND_AND_NAME) checkRequired(reference, member, fieldPath, errors, checkPathSegment, `${member} is required`);
}
