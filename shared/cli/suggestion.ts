/**
 * The known names that are most similar to a mistyped one, for the end of an error message. The cost is bounded, however
 * long the typed word is: names that are much longer or shorter are not compared with it.
 */

/** With more edits than this, a word counts as another one. */
const MAX_DISTANCE = 3;
/** The part of the longer word that must remain without edits; the similarity has to be above it. */
const MIN_SIMILARITY = 0.4;

/** `(Did you mean --secure-port?)` on a line of its own, or `''` when no candidate is similar to `word`. */
export function suggestion(word: string, candidates: Iterable<string>): string {
  let leastDistance = MAX_DISTANCE;
  let similar: string[] = [];
  const typed = withoutDashes(word);
  for (const candidate of candidates) {
    const name = withoutDashes(candidate);
    const longer = Math.max(typed.length, name.length);
    // One-letter flags are not suggested. The distance is at least the difference of the lengths.
    if (name.length < 2 || Math.abs(typed.length - name.length) > leastDistance) continue;
    const distance = editDistance(typed, name);
    if (distance > leastDistance || (longer - distance) / longer <= MIN_SIMILARITY) continue;
    if (distance < leastDistance) similar = [];
    leastDistance = distance;
    similar.push(candidate);
  }
  similar.sort();
  if (similar.length === 0) return '';
  return `\n(Did you mean ${similar.length === 1 ? '' : 'one of '}${similar.join(', ')}?)`;
}

/** Names are compared without their dashes: that all flags begin with dashes does not make them similar. */
const withoutDashes = (name: string): string => name.replace(/^--?/, '');

/**
 * The least number of insertions, deletions, replacements and swaps of neighbouring characters that turn `a` into `b`
 * (optimal string alignment). A row of the table has the distances of one prefix of `a` to all prefixes of `b`.
 */
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
