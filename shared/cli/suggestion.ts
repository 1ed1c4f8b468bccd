/**
 * The known names that are most similar to a mistyped one, for the end of an error message. Works on
 * plain names. The cost is bounded: names that are much longer or shorter than the typed one are not compared.
 */

/** More edits than this are another word. */
const MAX_DISTANCE = 3;
/** More than this part of the longer word must be the same. */
const MIN_SIMILARITY = 0.4;

/** `(Did you mean --secure-port?)` on a line of its own, or `''` when no candidate is similar to `word`. */
export function suggestion(word: string, candidates: Iterable<string>): string {
  let best = MAX_DISTANCE;
  let similar: string[] = [];
  const typed = withoutDashes(word);
  for (const candidate of candidates) {
    const name = withoutDashes(candidate);
    const longer = Math.max(typed.length, name.length);
    if (name.length < 2 || Math.abs(typed.length - name.length) > best) continue;
    const distance = editDistance(typed, name);
    if (distance > best || (longer - distance) / longer <= MIN_SIMILARITY) continue;
    if (distance < best) similar = [];
    best = distance;
    similar.push(candidate);
  }
  similar.sort();
  if (similar.length === 0) return '';
  return `\n(Did you mean ${similar.length === 1 ? '' : 'one of '}${similar.join(', ')}?)`;
}

/** All flags begin with dashes, which does not make them similar. */
const withoutDashes = (name: string): string => name.replace(/^--?/, '');

/** Insertions, deletions, replacements and swaps of neighbouring characters (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const current = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const at = (row: readonly number[], column: number): number => row[column] ?? 0;
      const replaced = at(previous, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let least = Math.min(at(previous, j) + 1, at(current, j - 1) + 1, replaced);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) least = Math.min(least, at(beforePrevious, j - 2) + 1);
      current.push(least);
    }
    [beforePrevious, previous] = [previous, current];
  }
  return previous[b.length] ?? 0;
}
