/**
 * Field errors in upstream's wording (field.Error of apimachinery). Validation returns lists of these; status.ts turns
 * them into a 422 Status.
 */
import { stringifyJson, type JsonValue } from '../../values/json';
import { quote } from '../../values/text/quote';

/** The first words of a message, by the reason of its cause. */
const PREFIX = {
  FieldValueRequired: 'Required value',
  FieldValueInvalid: 'Invalid value',
  FieldValueTypeInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueForbidden: 'Forbidden',
  FieldValueNotFound: 'Not found',
  FieldValueTooLong: 'Too long',
  FieldValueTooMany: 'Too many',
  InternalError: 'Internal error',
} as const;

export type FieldErrorReason = keyof typeof PREFIX;

/** One invalid field, with the texts of upstream's messages. */
export interface FieldError {
  readonly reason: FieldErrorReason;
  /** JSON path: `spec.ports[0].name`, map keys as `data[key]`. */
  readonly field: string;
  /** `<prefix>[: <value>][: <detail>]`. */
  readonly body: string;
  /** `<field>: <body>`. */
  readonly text: string;
}

/**
 * A value in a message: strings are quoted, numbers and booleans plain, null is `null`, lists of strings and empty lists
 * are in Go syntax (`[]string{"a"}`), and any other value is JSON.
 */
export type FieldValue = JsonValue | readonly string[];

function formatFieldValue(value: FieldValue): string {
  if (isStringList(value)) return `[]string{${value.map((item) => quote(item)).join(', ')}}`;
  return typeof value === 'string' ? quote(value) : stringifyJson(value);
}

function isStringList(value: FieldValue): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function errorOfValue(reason: FieldErrorReason, field: string, value: FieldValue | undefined, detail: string): FieldError {
  return createFieldError(reason, field, value === undefined ? '' : formatFieldValue(value), detail);
}

/** Maximum number of characters of a path, value or text in a response; longer ones are truncated. */
export const MAX_SHOWN_CHARACTERS = 16 * 1024;

/**
 * Maximum number of errors that one validation builds. A response shows far fewer (see `invalid` in status.ts), but an
 * object may have a million invalid items.
 */
const MAX_FIELD_ERRORS = 20_000;
/** Stands for every error beyond the limit: the list of errors keeps its length without the memory of its texts. */
const UNSHOWN_ERROR: FieldError = { reason: 'FieldValueInvalid', field: '', body: '', text: '' };

/**
 * The number of errors that the current validation may still build; Infinity outside {@link withBoundedErrors}. A
 * validation is synchronous, so only one runs at a time.
 */
let remainingErrors = Infinity;

/** Runs a validation. Of its errors beyond {@link MAX_FIELD_ERRORS} only the number is kept. */
export function withBoundedErrors<T>(validate: () => T): T {
  const outer = remainingErrors;
  remainingErrors = Math.min(remainingErrors, MAX_FIELD_ERRORS);
  try {
    return validate();
  } finally {
    remainingErrors = outer;
  }
}

/**
 * Creates an error for a value with a special spelling in messages, such as a time. `shown` is that spelling and is
 * inserted as it is; empty when the message has no value.
 */
export function createFieldError(reason: FieldErrorReason, field: string, shown: string, detail: string): FieldError {
  if (remainingErrors === 0) return UNSHOWN_ERROR;
  remainingErrors -= 1;
  // Truncated before it is copied into two texts. One character more than a Status shows, which marks it as truncated.
  const start = shown.length > MAX_SHOWN_CHARACTERS ? shown.slice(0, MAX_SHOWN_CHARACTERS + 1) : shown;
  const body = PREFIX[reason] + (start === '' ? '' : `: ${start}`) + (detail === '' ? '' : `: ${detail}`);
  return { reason, field, body, text: `${field}: ${body}` };
}

/** {@link invalidValue} for a value with a special spelling; see {@link createFieldError}. */
export const invalidShownValue = (field: string, shown: string, detail: string): FieldError =>
  createFieldError('FieldValueInvalid', field, shown, detail);

/** A required field is missing or empty. */
export const requiredValue = (field: string, detail = ''): FieldError => errorOfValue('FieldValueRequired', field, undefined, detail);
export const invalidValue = (field: string, value: FieldValue, detail: string): FieldError =>
  errorOfValue('FieldValueInvalid', field, value, detail);
/** The field must not be set here; its value is not printed. */
export const forbiddenField = (field: string, detail: string): FieldError => errorOfValue('FieldValueForbidden', field, undefined, detail);
export const duplicateValue = (field: string, value: FieldValue, detail = ''): FieldError =>
  errorOfValue('FieldValueDuplicate', field, value, detail);
/** The value names something that does not exist. */
export const notFoundValue = (field: string, value: FieldValue): FieldError => errorOfValue('FieldValueNotFound', field, value, '');
/** A text or map of more than `maxBytes` bytes. Its value is not printed. */
export const tooLongValue = (field: string, maxBytes: number): FieldError =>
  errorOfValue('FieldValueTooLong', field, undefined, `must have at most ${maxBytes} bytes`);
/** As {@link tooLongValue}, in upstream's older wording, which leaves out the unit. */
export const longerThanLimit = (field: string, max: number): FieldError =>
  errorOfValue('FieldValueTooLong', field, undefined, `may not be longer than ${max}`);
/** A list has `actual` items, more than `max`. */
export const tooManyItems = (field: string, actual: number, max: number): FieldError =>
  errorOfValue('FieldValueTooMany', field, actual, `must have at most ${max} items`);
/** The field could not be checked, for a reason other than its value. */
export const internalFieldError = (field: string, detail: string): FieldError => errorOfValue('InternalError', field, undefined, detail);
/** The value is not one of `supported`, which the message lists in the given order. */
export const unsupportedValue = (field: string, value: FieldValue, supported: readonly string[]): FieldError =>
  errorOfValue('FieldValueNotSupported', field, value, `supported values: ${supported.map((item) => quote(item)).join(', ')}`);
