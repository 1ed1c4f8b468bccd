/**
 * Decodes the Huffman code of HPACK (RFC 7541 appendix B) for the characters of gRPC's own headers: printable ASCII.
 * The code is canonical: the codes of one length are consecutive numbers, and the first code of a greater length is the
 * next number, extended with zeros. So the characters of each length define it.
 */

/** Characters by code length in bits, in the order of their codes. Longer codes are not needed here. */
const CHARACTERS: readonly (readonly [bits: number, characters: string])[] = [
  [5, '012aceiost'],
  [6, ' %-./3456789=A_bdfghlmnpru'],
  [7, ':BCDEFGHIJKLMNOPQRSTUVWYjkqvwxyz'],
  [8, '&*,;XZ'],
  [10, '!"()?'],
  [11, "'+|"],
  [12, '#>'],
  [13, '\0$@[]~'],
  [14, '^}'],
  [15, '<`{'],
  [19, '\\\u00c3\u00d0'],
];

/** The last byte is padded with ones, less than a whole byte. */
const MAX_PADDING_BITS = 7;

/** The codes of one length: `first` is that of the first character, and each later character has the next one. */
interface CodeLength {
  readonly first: number;
  readonly characters: string;
}

/** Indexed by the length of the codes in bits; undefined for lengths that no code has. */
const CODES_BY_LENGTH: readonly (CodeLength | undefined)[] = codesByLength();

function codesByLength(): (CodeLength | undefined)[] {
  const lengths: (CodeLength | undefined)[] = [];
  // The next code to assign, of `previousBits` bits.
  let next = 0;
  let previousBits = 0;
  for (const [bits, characters] of CHARACTERS) {
    next <<= bits - previousBits;
    previousBits = bits;
    lengths[bits] = { first: next, characters };
    next += characters.length;
  }
  return lengths;
}

/** The decoded text; undefined when it contains other characters or its padding is wrong. */
export function decodeHuffman(bytes: Buffer): string | undefined {
  let text = '';
  let code = 0;
  let bits = 0;
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit--) {
      code = (code << 1) | ((byte >> bit) & 1);
      bits += 1;
      if (bits >= CODES_BY_LENGTH.length) return undefined;
      const length = CODES_BY_LENGTH[bits];
      const character = length?.characters[code - length.first];
      if (character === undefined) continue;
      text += character;
      code = 0;
      bits = 0;
    }
  }
  return bits <= MAX_PADDING_BITS && code === (1 << bits) - 1 ? text : undefined;
}
