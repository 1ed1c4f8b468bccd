/** What is derived from everything that is served, made anew when something else is served. */
import type { KindRow } from '../../shared/api/kinds';

/** `rows` gives the same list until something changes. */
export const perRows = <T>(rows: () => readonly KindRow[], make: (rows: readonly KindRow[]) => T): (() => T) =>
  perLists(
    () => [rows()] as const,
    ([present]) => make(present),
  );

/** Each of the lists is the same until something changes. */
export function perLists<L extends readonly (readonly object[])[], T>(lists: () => L, make: (lists: L) => T): () => T {
  let known = lists();
  let made = make(known);
  return () => {
    const now = lists();
    if (now.some((list, index) => list !== known[index])) {
      known = now;
      made = make(now);
    }
    return made;
  };
}
