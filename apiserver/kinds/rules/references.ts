/** Validates references to objects by kind and name. Whether the object exists is not checked. */
import { checkPathSegment, type NameCheck } from '../../../shared/values/name-formats';
import { checkIfPresent, checkRequired, type Errors } from './checks';

const KIND_AND_NAME = ['kind', 'name'] as const;

type Reference = { readonly kind?: string; readonly name?: string };

/** Requires kind and name of an object in the same namespace. */
export function checkReference(reference: Reference, fieldPath: string, errors: Errors): void {
  for (const member of KIND_AND_NAME) checkRequired(reference, member, fieldPath, errors, checkPathSegment);
}

/** Requires kind and name of an object of any kind. `checkGroup` checks its `apiGroup`, if it has one. */
export function checkTypedReference(
  reference: Reference & { readonly apiGroup?: string | null },
  fieldPath: string,
  checkGroup: NameCheck,
  errors: Errors,
): void {
  checkIfPresent(reference, 'apiGroup', fieldPath, errors, checkGroup);
  for (const member of KIND_AND_NAME) checkRequired(reference, member, fieldPath, errors, checkPathSegment, `${member} is required`);
}
