/** What is wrong with a body's structure, in Go's words. */
import type { JsonValue } from '../../values/json';

/** An object that does not fit its type; the message is upstream's, without the part that names the kind. */
export class DecodeError extends Error {
  /** `mismatch`: it says that something of a wrong type was found. */
  constructor(
    message: string,
    readonly mismatch?: Mismatch,
  ) {
    super(message);
  }
}

export interface Mismatch {
  /** What the text has: `string`, `number 80.5`. */
  readonly found: string;
  readonly goType: string;
}

/** What Go's messages call the kind of a JSON value. */
export function kindOf(value: JsonValue): string {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'number':
    case 'bigint':
      return 'number';
    default:
      return Array.isArray(value) ? 'array' : value === null ? 'null' : 'object';
  }
}
