/** What is derived from everything that is served, made anew when something else is served. */
import type { KindRow } from '../../shared/api/kinds';

/** `rows` gives the same list until something changes. */
export function perRows<T>(rows: () => readonly KindRow[], make: (rows: readonly KindRow[]) => T): () => T {
  let known = rows();
  let made = make(known);
  return () => {
    const now = rows();
    if (now !== known) {
      known = now;
      made = make(now);
    }
    return made;
  };
}
