/**
 * Validates values against schemas with ajv and translates its errors into {@link InvalidField}s. Imported only when a
 * file is read, because ajv takes time to load.
 */
import { Ajv, type ErrorObject } from 'ajv';
import addFormats from 'ajv-formats';
import { parseDuration } from '../cli/duration';
import { quote } from '../values/text/quote';
import { appendFieldPath, type InvalidField } from './configuration-error';
import { DURATION_FORMAT, type ConfigurationSchema } from './schema';

/** Limit of the reported errors of one file. */
const MAX_ERRORS = 100;

const ajv = new Ajv({ allErrors: true, strict: true, ownProperties: true });
addFormats(ajv);
ajv.addFormat(DURATION_FORMAT, (value: string) => parseDuration(value) !== undefined);

/** The value with its type, or why it does not satisfy the schema. */
export type ValidationResult<T> = { readonly value: T } | { readonly errors: readonly InvalidField[] };

/** Validates a value; returns at most {@link MAX_ERRORS} errors. ajv compiles each schema once, by its JSON object. */
export function validateSchema<T>({ json }: ConfigurationSchema<T>, value: unknown): ValidationResult<T> {
  const isValid = ajv.compile<T>(json);
  return isValid(value) ? { value } : { errors: (isValid.errors ?? []).slice(0, MAX_ERRORS).map(errorOf) };
}

/** JSON types as messages name them. */
const TYPE_NAMES: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'an integer',
  object: 'an object',
  string: 'a string',
};

/** Translates an error of ajv. Its errors of missing and unknown members are at the object; here they are at the member. */
function errorOf({ instancePath, keyword, params, message }: ErrorObject): InvalidField {
  const path = pathOf(instancePath);
  const details: Readonly<Record<string, unknown>> = params;
  switch (keyword) {
    case 'required':
      return { path: appendFieldPath(path, String(details['missingProperty'])), reason: 'is required' };
    case 'additionalProperties':
      return { path: appendFieldPath(path, String(details['additionalProperty'])), reason: 'is not a known field' };
    case 'enum':
      return { path, reason: `must be one of ${quotedList(details['allowedValues'])}` };
    case 'type':
      return { path, reason: `must be ${TYPE_NAMES[String(details['type'])] ?? String(details['type'])}` };
    case 'format':
      return { path, reason: `must be of the form ${quote(String(details['format']))}` };
    default:
      return { path, reason: message ?? keyword };
  }
}

function quotedList(allowed: unknown): string {
  return Array.isArray(allowed) ? allowed.map((word) => quote(String(word))).join(', ') : '';
}

/** Converts a JSON pointer to a field path: `/jwt/0/issuer/url` → `jwt[0].issuer.url`. */
function pathOf(pointer: string): string {
  let path = '';
  for (const part of pointer.split('/').slice(1)) path = appendFieldPath(path, part.replaceAll('~1', '/').replaceAll('~0', '~'));
  return path;
}
