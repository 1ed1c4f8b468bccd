/** Base64 as upstream decodes it: standard alphabet, required padding, ignored line breaks. */

/** The text is not base64; the message is that of upstream. */
export class Base64Error extends Error {}

const PLAIN = /^[A-Za-z0-9+/]*$/;

/** The canonical encoding of the same bytes. Throws {@link Base64Error}. */
export function canonicalBase64(text: string): string {
  if (text.length % 4 === 0 && PLAIN.test(text)) return text;
  const offset = firstInvalidOffset(text);
  if (offset >= 0) throw new Base64Error(`illegal base64 data at input byte ${offset}`);
  return Buffer.from(text, 'base64').toString('base64');
}

/**
 * The byte offset at which Go's decoder fails: that of the invalid character, or of an incomplete group of four. -1
 * when the text is valid.
 */
function firstInvalidOffset(text: string): number {
  let charactersInGroup = 0;
  for (let i = 0; i < text.length; i += 1) {
    const character = text.charAt(i);
    if (character === '\n' || character === '\r') continue;
    if (character === '=') return firstInvalidPaddingOffset(text, i, charactersInGroup);
    if (!PLAIN.test(character)) return byteOffset(text, i);
    charactersInGroup = (charactersInGroup + 1) % 4;
  }
  return charactersInGroup === 0 ? -1 : text.length - charactersInGroup;
}

/**
 * As {@link firstInvalidOffset}, for a text with the first `=` at `paddingStart`, after `charactersInGroup` characters
 * of its group.
 */
function firstInvalidPaddingOffset(text: string, paddingStart: number, charactersInGroup: number): number {
  if (charactersInGroup < 2) return paddingStart;
  const skipLineBreaks = (from: number): number => {
    let i = from;
    while (i < text.length && (text.charAt(i) === '\n' || text.charAt(i) === '\r')) i += 1;
    return i;
  };
  let end = skipLineBreaks(paddingStart + 1);
  if (charactersInGroup === 2) {
    if (end >= text.length) return text.length;
    // Go reports the position before the character that stands in place of the second `=`.
    if (text.charAt(end) !== '=') return end - 1;
    end = skipLineBreaks(end + 1);
  }
  return end < text.length ? byteOffset(text, end) : -1;
}

function byteOffset(text: string, index: number): number {
  return Buffer.byteLength(text.slice(0, index));
}
