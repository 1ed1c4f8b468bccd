/** A value that is there at once or will be: nearly always at once, since a promise costs every request. Holds no state. */
export type Eventually<T> = T | Promise<T>;

/** What `use` makes of the value, at once where it is there. */
export function whenKnown<T, R>(value: Eventually<T>, use: (known: T) => Eventually<R>): Eventually<R> {
  return value instanceof Promise ? value.then(use) : use(value);
}
