/**
 * Integers in JSON texts that a double cannot hold exactly. They become bigints, so that 64-bit values survive a round
 * trip.
 */

/** Length of the shortest integer beyond 2^53: sixteen digits. */
const MIN_LENGTH = 16;
/** Length of the longest 64-bit integer: nineteen digits and a minus. */
const MAX_LENGTH = 20;
const DIGITS = /^-?[0-9]+$/;

/** A bigint for a 64-bit integer that a double cannot hold exactly; `undefined` for any other literal. */
export function parseLongInteger(literal: string): bigint | undefined {
  if (literal.length < MIN_LENGTH || literal.length > MAX_LENGTH || !DIGITS.test(literal)) return undefined;
  if (Number.isSafeInteger(Number(literal))) return undefined;
  const integer = BigInt(literal);
  return BigInt.asIntN(64, integer) === integer ? integer : undefined;
}
