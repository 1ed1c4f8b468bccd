import { numberTooLargeMessage } from '../values/number-literals';

/** A body that cannot be parsed; the message is the text that upstream gives (`unexpected end of JSON input`, `yaml: …`), without any prefix. */
export class SyntaxFault extends Error {}

/** A number that no double holds. */
export class NumberRangeFault extends SyntaxFault {
  constructor(
    /** As it stands in the text. */
    readonly literal: string,
  ) {
    super(numberTooLargeMessage(literal));
  }
}
