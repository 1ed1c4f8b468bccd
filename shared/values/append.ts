/** Adds to a list what another one holds. Arguments of a call lie on the stack, which long lists overflow: lists are never spread into `push`. */
export function appendAll<T>(list: T[], more: Iterable<T>): void {
  for (const item of more) list.push(item);
}

/** Adds to the list that stands under a key, which begins with it. */
export function appendToKey<K, T>(lists: Map<K, T[]>, key: K, item: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}
