/**
 * Validates the root of a schema with a status subresource. Updates of the status are validated with the schema of the
 * whole object, so upstream allows only some keywords at the root.
 */
import { invalidValue, type FieldError } from '../../../../shared/api/errors/field-error';
import type { JsonObject } from '../../../../shared/values/json';

/** Allowed members with upstream's Go names, in the order of its message. */
const ALLOWED_FIELDS: readonly (readonly [member: string, goName: string])[] = [
  ['description', 'Description'],
  ['type', 'Type'],
  ['format', 'Format'],
  ['title', 'Title'],
  ['maximum', 'Maximum'],
  ['exclusiveMaximum', 'ExclusiveMaximum'],
  ['minimum', 'Minimum'],
  ['exclusiveMinimum', 'ExclusiveMinimum'],
  ['maxLength', 'MaxLength'],
  ['minLength', 'MinLength'],
  ['pattern', 'Pattern'],
  ['maxItems', 'MaxItems'],
  ['minItems', 'MinItems'],
  ['uniqueItems', 'UniqueItems'],
  ['multipleOf', 'MultipleOf'],
  ['required', 'Required'],
  ['items', 'Items'],
  ['properties', 'Properties'],
  ['externalDocs', 'ExternalDocs'],
  ['example', 'Example'],
  ['x-kubernetes-preserve-unknown-fields', 'XPreserveUnknownFields'],
  ['x-kubernetes-validations', 'XValidations'],
];
const ALLOWED_MEMBERS: ReadonlySet<string> = new Set(ALLOWED_FIELDS.map(([member]) => member));
const AT_ROOT = 'at the root of the schema if the status subresource is enabled';
const ONLY_ALLOWED_FIELDS = `only [${ALLOWED_FIELDS.map(([, goName]) => goName).join(' ')}] fields are allowed ${AT_ROOT}`;

/** Reports only the first error. Upstream prints the whole schema; here the member is named. */
export function validateRootForStatus(root: JsonObject, fieldPath: string): readonly FieldError[] {
  const type = root['type'];
  if (typeof type === 'string' && type !== '' && type !== 'object') {
    return [invalidValue(`${fieldPath}.type`, type, `only "object" is allowed as the type ${AT_ROOT}`)];
  }
  const forbidden = Object.keys(root).find((member) => !ALLOWED_MEMBERS.has(member) && isNonZero(root[member]));
  return forbidden === undefined ? [] : [invalidValue(fieldPath, forbidden, ONLY_ALLOWED_FIELDS)];
}

/** Whether the member counts as set: upstream ignores Go's zero values. */
const isNonZero = (value: JsonObject[string] | undefined): boolean =>
  value !== undefined && value !== null && value !== false && value !== '';
