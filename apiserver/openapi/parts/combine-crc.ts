/**
 * Computes the CRC-32 of two concatenated texts from their checksums and the length of the second one, as zlib's
 * `crc32_combine` does. A checksum is a polynomial over GF(2); appending bytes to a text multiplies its polynomial by a power
 * of x, modulo the polynomial of CRC-32.
 */

/** The polynomial of CRC-32, with the highest bit as the lowest power. */
const POLYNOMIAL = 0xedb88320;
const HIGHEST_BIT = 0x80000000;

/** The CRC-32 of two concatenated texts; `length` is that of the second one. */
export function combineCrc(first: number, second: number, length: number): number {
  return (multiply(powerOfBytes(length), first) ^ second) >>> 0;
}

/** Multiplies polynomials over GF(2) modulo {@link POLYNOMIAL}; the highest bit is the lowest power. */
function multiply(a: number, b: number): number {
  let product = 0;
  let factor = b;
  for (let bit = HIGHEST_BIT; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) product ^= factor;
    factor = (factor & 1) === 0 ? factor >>> 1 : (factor >>> 1) ^ POLYNOMIAL;
  }
  return product >>> 0;
}

/** Element n is x to the power 2^(n + 3): that of 8 bits, of 16, and so on. */
const SQUARES: readonly number[] = squares();

/** Each element is the square of the one before. */
function squares(): number[] {
  const powers: number[] = [];
  // x to the power 8.
  for (let square = HIGHEST_BIT >>> 8; powers.length < 32; square = multiply(square, square)) powers.push(square);
  return powers;
}

/** x to the power 8·bytes: the effect of appending that many bytes on a checksum. */
function powerOfBytes(bytes: number): number {
  let product = HIGHEST_BIT;
  for (let index = 0, remaining = bytes; remaining > 0; index += 1, remaining = Math.floor(remaining / 2)) {
    if (remaining % 2 === 1) product = multiply(SQUARES[index] ?? 0, product);
  }
  return product;
}
