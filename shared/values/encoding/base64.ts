/** Base64 as upstream decodes it: standard alphabet, required padding, ignored line breaks. */

/** The text is not base64; the message is that of upstream. */
export class Base64Error extends Error {}

const PLAIN = /^[A-Za-z0-9+/]*$/;

/** The canonical encoding of the same bytes. Throws {@link Base64Error}. */
export function canonicalBase64(text: string): string {
  if (text.length % 4 === 0 && PLAIN.test(text)) return text;
  const at = firstInvalidOffset(text);
  if (at >= 0) throw new Base64Error(`illegal base64 data at input byte ${at}`);
  return Buffer.from(text, 'base64').toString('base64');
}

/**
 * The byte offset at which Go's decoder fails: that of the invalid character, or of an incomplete group of four. -1
 * when the text is valid.
 */
function firstInvalidOffset(text: string): number {
  let inGroup = 0;
  for (let i = 0; i < text.length; i += 1) {
    const character = text.charAt(i);
    if (character === '\n' || character === '\r') continue;
    if (character === '=') return firstInvalidPaddingOffset(text, i, inGroup);
    if (!PLAIN.test(character)) return byteOffset(text, i);
    inGroup = (inGroup + 1) % 4;
  }
  return inGroup === 0 ? -1 : text.length - inGroup;
}

function firstInvalidPaddingOffset(text: string, at: number, inGroup: number): number {
  if (inGroup < 2) return at;
  const next = (from: number): number => {
    let i = from;
    while (i < text.length && (text.charAt(i) === '\n' || text.charAt(i) === '\r')) i += 1;
    return i;
  };
  let end = next(at + 1);
  if (inGroup === 2) {
    if (end >= text.length) return text.length;
    if (text.charAt(end) !== '=') return end - 1;
    end = next(end + 1);
  }
  return end < text.length ? byteOffset(text, end) : -1;
}

function byteOffset(text: string, index: number): number {
  return Buffer.byteLength(text.slice(0, index));
}
