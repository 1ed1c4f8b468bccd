/**
 * Appends all items to a list. Replaces `push(...items)`: arguments are passed on the stack, which a long list
 * overflows.
 */
export function appendAll<T>(list: T[], more: Iterable<T>): void {
  for (const item of more) list.push(item);
}

/** Appends to the list under a key of a map, and creates the list if there is none. */
export function appendToKey<K, T>(lists: Map<K, T[]>, key: K, item: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}
