/** Adds to a list what another one holds. Arguments of a call lie on the stack, which long lists overflow: lists are never spread into `push`. */
export function append<T>(list: T[], more: Iterable<T>): void {
  for (const item of more) list.push(item);
}
