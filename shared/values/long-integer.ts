/** Integers of 64 bits that no double holds: wherever there are values, a bigint stands for each. Knows no format but the digits. */

/** Of what a double does not hold exactly, and of what 64 bits hold, with its sign. */
const [SHORTEST, LONGEST] = [16, 20];
const DIGITS = /^-?[0-9]+$/;

/** Undefined = what is spelled is no integer of 64 bits, or a double holds it. */
export function parseLongInteger(literal: string): bigint | undefined {
  if (literal.length < SHORTEST || literal.length > LONGEST || !DIGITS.test(literal)) return undefined;
  if (Number.isSafeInteger(Number(literal))) return undefined;
  const integer = BigInt(literal);
  return BigInt.asIntN(64, integer) === integer ? integer : undefined;
}
