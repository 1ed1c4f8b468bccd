/** The upper-case form of a word that begins a name or sentence. */

/** The word with its first letter in upper case; the other letters are unchanged. */
export function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
