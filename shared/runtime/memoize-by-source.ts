/** What follows from something that may be exchanged: worked out when it is first asked for, and again when its source is another object. */
export function memoizeBySource<S, T>(currentSource: () => S, compute: (currentSource: S) => T): () => T {
  let cached: { readonly source: S; readonly value: T } | undefined;
  return () => {
    const of = currentSource();
    if (cached?.source !== of) cached = { source: of, value: compute(of) };
    return cached.value;
  };
}
