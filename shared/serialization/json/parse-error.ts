/**
 * Errors of the JSON and YAML parsers. The prefix of the message, and the status of the response, are left to the
 * callers.
 */
import { numberTooLargeMessage } from '../../values/number-literals';

/**
 * A body cannot be parsed. The message is that of upstream (`unexpected end of JSON input`, `yaml: …`), without a
 * prefix.
 */
export class ParseError extends Error {}

/** A number exceeds the range of a double. */
export class NumberRangeError extends ParseError {
  constructor(readonly literal: string) {
    super(numberTooLargeMessage(literal));
  }
}
