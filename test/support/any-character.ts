/**
 * The unit of arbitrary strings: any code point that is no surrogate, as fast-check's `unit: 'binary'`, but ASCII, the
 * rest of the basic plane and the other planes are equally frequent. fast-check builds a table of 1.1 million
 * characters for its own unit, which takes more than a second in each jest worker.
 */
import fc from 'fast-check';

const codePoints = (min: number, max: number): fc.Arbitrary<string> =>
  fc.integer({ min, max }).map(
    (code) => String.fromCodePoint(code),
    (character) => codePointOf(character),
  );

/** Throws for anything but a single character: fast-check then knows that it did not generate the value. */
function codePointOf(character: unknown): number {
  const [code, ...others] = typeof character === 'string' ? Array.from(character, (part) => part.codePointAt(0)) : [];
  if (code === undefined || others.length > 0) throw new Error('not one character');
  return code;
}

export const anyCharacter = fc.oneof(codePoints(0, 0x7f), codePoints(0x80, 0xd7ff), codePoints(0xe000, 0x10ffff));
