/**
 * Returns a getter that computes a value lazily, and again only when `currentSource` returns another value (by `===`)
 * than the last time.
 */
export function memoizeBySource<S, T>(currentSource: () => S, compute: (source: S) => T): () => T {
  let cached: { readonly source: S; readonly value: T } | undefined;
  return () => {
    const source = currentSource();
    if (cached?.source !== source) cached = { source, value: compute(source) };
    return cached.value;
  };
}
