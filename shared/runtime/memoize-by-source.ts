/** What follows from something that may be exchanged: worked out when it is first asked for, and again when its source is another object. */
export function derived<S, T>(source: () => S, derive: (source: S) => T): () => T {
  let known: { readonly of: S; readonly value: T } | undefined;
  return () => {
    const of = source();
    if (known?.of !== of) known = { of, value: derive(of) };
    return known.value;
  };
}
