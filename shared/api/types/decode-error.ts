/** The error of a body that does not fit its type, and the names of JSON types in Go's messages. */
import type { JsonValue } from '../../values/json';

/**
 * The body does not fit its type. The message is upstream's, without the part that names the kind. Only the conflict of
 * two spellings of a field (member-spellings.ts) is an error that upstream does not have.
 */
export class DecodeError extends Error {
  /** `mismatch` is set when the error is a value of a wrong JSON type. */
  constructor(
    message: string,
    readonly mismatch?: Mismatch,
  ) {
    super(message);
  }
}

/** A value of a wrong JSON type. */
export interface Mismatch {
  /** The JSON value, as in the message: `string`, `number 80.5`. */
  readonly actual: string;
  /** The Go type of the field: `v1.ServiceType`. */
  readonly goType: string;
}

/** The JSON type of a value as encoding/json names it in error messages. */
export function jsonKindOf(value: JsonValue): string {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'number':
    case 'bigint':
      return 'number';
    default:
      if (value === null) return 'null';
      return Array.isArray(value) ? 'array' : 'object';
  }
}
