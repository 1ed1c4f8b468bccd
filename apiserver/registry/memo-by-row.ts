/**
 * Caches values that are derived from the served kinds. A value is computed again when the list of served kinds is
 * another array.
 */
import type { KindRow } from '../../shared/api/kinds';

/** `rows` must return the same array until the served kinds change. */
export const memoByRows = <T>(rows: () => readonly KindRow[], compute: (rows: readonly KindRow[]) => T): (() => T) =>
  memoByLists(
    () => [rows()] as const,
    ([current]) => compute(current),
  );

/** Each list must be the same array until its content changes. */
export function memoByLists<L extends readonly (readonly object[])[], T>(lists: () => L, compute: (lists: L) => T): () => T {
  let previous = lists();
  let value = compute(previous);
  return () => {
    const current = lists();
    if (current.some((list, index) => list !== previous[index])) {
      previous = current;
      value = compute(current);
    }
    return value;
  };
}
