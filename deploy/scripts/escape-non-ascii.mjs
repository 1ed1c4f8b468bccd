/**
 * Escapes the characters of a bundle that are not ASCII: V8 stores one byte per character only for Latin-1 text, and Node
 * decodes ASCII fastest. esbuild escapes those of strings; the remaining ones are in patterns and comments.
 */
export function escapeNonAscii(text) {
  return text.replace(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
