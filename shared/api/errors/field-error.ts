/**
 * One thing wrong with one field, in upstream's wording. Validation returns lists of these; status.ts turns them into a 422.
 */
import { stringifyJson, type JsonValue } from '../../values/json';
import { quote } from '../../values/quote';

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

export interface FieldError {
  readonly reason: FieldErrorReason;
  /** JSON path: `spec.ports[0].name`, map keys as `data[key]`. */
  readonly field: string;
  /** `<prefix>[: <value>][: <detail>]`. */
  readonly body: string;
  /** `<field>: <body>`. */
  readonly text: string;
}

/** A value as it stands in a message: strings quoted, numbers and booleans plain, null as `null`, everything else as JSON. */
export type FieldValue = JsonValue | readonly string[];

function printed(value: FieldValue): string {
  if (isTexts(value)) return `[]string{${value.map((item) => quote(item)).join(', ')}}`;
  return typeof value === 'string' ? quote(value) : stringifyJson(value);
}

function isTexts(value: FieldValue): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function make(reason: FieldErrorReason, field: string, value: FieldValue | undefined, detail: string): FieldError {
  return fieldErrorAs(reason, field, value === undefined ? '' : printed(value), detail);
}

/** Characters of a path, a value or a text that a refusal shows; what is longer is cut there. */
export const LONGEST = 16 * 1024;

/** More than these are counted only: nobody is shown so many, and a long list of faulty items would take the memory of many objects. */
const MOST_MADE = 20_000;
const ONE_MORE: FieldError = { reason: 'FieldValueInvalid', field: '', body: '', text: '' };

/** How many more the judgement at hand makes; Infinity = there is none at hand. */
let room = Infinity;

/** Errors that are made meanwhile are bounded. */
export function boundingErrors<T>(judge: () => T): T {
  const before = room;
  room = Math.min(room, MOST_MADE);
  try {
    return judge();
  } finally {
    room = before;
  }
}

/** For values that a message spells in a way of its own (times, Go syntax): `shown` stands in the text as it is; '' = no value. */
export function fieldErrorAs(reason: FieldErrorReason, field: string, shown: string, detail: string): FieldError {
  if (room === 0) return ONE_MORE;
  room -= 1;
  // What follows it is not shown either.
  const start = shown.length > LONGEST ? shown.slice(0, LONGEST + 1) : shown;
  const body = PREFIX[reason] + (start === '' ? '' : `: ${start}`) + (detail === '' ? '' : `: ${detail}`);
  return { reason, field, body, text: `${field}: ${body}` };
}

export const invalidAs = (field: string, shown: string, detail: string): FieldError =>
  fieldErrorAs('FieldValueInvalid', field, shown, detail);

export const required = (field: string, detail = ''): FieldError => make('FieldValueRequired', field, undefined, detail);
export const invalidValue = (field: string, value: FieldValue, detail: string): FieldError =>
  make('FieldValueInvalid', field, value, detail);
export const forbiddenField = (field: string, detail: string): FieldError => make('FieldValueForbidden', field, undefined, detail);
export const duplicate = (field: string, value: FieldValue, detail = ''): FieldError => make('FieldValueDuplicate', field, value, detail);
export const notFoundValue = (field: string, value: FieldValue): FieldError => make('FieldValueNotFound', field, value, '');
export const tooLong = (field: string, maxBytes: number): FieldError =>
  make('FieldValueTooLong', field, undefined, `must have at most ${maxBytes} bytes`);
/** The same in upstream's older words. */
export const longerThan = (field: string, most: number): FieldError =>
  make('FieldValueTooLong', field, undefined, `may not be longer than ${most}`);
export const tooMany = (field: string, actual: number, most: number): FieldError =>
  make('FieldValueTooMany', field, actual, `must have at most ${most} items`);
export const internalError = (field: string, detail: string): FieldError => make('InternalError', field, undefined, detail);
/** The supported values are listed in the order given. */
export const notSupported = (field: string, value: FieldValue, supported: readonly string[]): FieldError =>
  make('FieldValueNotSupported', field, value, `supported values: ${supported.map((item) => quote(item)).join(', ')}`);
