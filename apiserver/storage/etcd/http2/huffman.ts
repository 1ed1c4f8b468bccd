/**
 * Reads the Huffman code of HTTP/2's headers (RFC 7541 appendix B), as far as gRPC's own headers use it: printable ASCII. The code is
 * canonical, so that which characters have codes of which length says everything.
 */

/** Characters by the length of their codes in bits, in the order of their codes. Longer codes stand for what no header here holds. */
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

/** What fills up the last byte: less than a whole one, all ones. */
const MOST_PADDING = 7;

interface CodeLength {
  readonly first: number;
  readonly characters: string;
}

const BY_LENGTH: readonly (CodeLength | undefined)[] = byLength();

function byLength(): (CodeLength | undefined)[] {
  const lengths: (CodeLength | undefined)[] = [];
  let next = 0;
  let before = 0;
  for (const [bits, characters] of CHARACTERS) {
    next <<= bits - before;
    before = bits;
    lengths[bits] = { first: next, characters };
    next += characters.length;
  }
  return lengths;
}

/** The text, or undefined when it holds something else than this file knows. */
export function huffmanText(bytes: Buffer): string | undefined {
  let text = '';
  let code = 0;
  let bits = 0;
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit--) {
      code = (code << 1) | ((byte >> bit) & 1);
      bits += 1;
      if (bits >= BY_LENGTH.length) return undefined;
      const length = BY_LENGTH[bits];
      const character = length?.characters[code - length.first];
      if (character === undefined) continue;
      text += character;
      code = 0;
      bits = 0;
    }
  }
  return bits <= MOST_PADDING && code === (1 << bits) - 1 ? text : undefined;
}
