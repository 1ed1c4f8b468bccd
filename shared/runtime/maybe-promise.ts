/** A value that is there at once or will be: nearly always at once, since a promise costs every request. Holds no state. */
export type MaybePromise<T> = T | Promise<T>;

/** What `use` makes of the value, at once where it is there. */
export function whenResolved<T, R>(value: MaybePromise<T>, use: (resolved: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(use) : use(value);
}
