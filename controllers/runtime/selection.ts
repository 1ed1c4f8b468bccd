/** Which controllers `--controllers` asks for. */

export type Selected<T> =
  | { readonly type: 'selected'; readonly controllers: readonly T[] }
  | { readonly type: 'unknown'; readonly name: string };

interface Choosable {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly isOnByDefault: boolean;
}

/**
 * `*` = all that are on by default, `foo` = foo as well, `-foo` = not foo, whatever the order; `-*` = none but those that are named.
 * Without `*` only those that are named run.
 */
export function selectControllers<T extends Choosable>(all: readonly T[], wishes: readonly string[]): Selected<T> {
  const [on, off] = [new Set<string>(), new Set<string>()];
  for (const wish of wishes) {
    const isOff = wish.startsWith('-');
    const asked = isOff ? wish.slice(1) : wish;
    const name = asked === '*' ? asked : all.find((row) => row.name === asked || row.aliases.includes(asked))?.name;
    if (name === undefined) return { type: 'unknown', name: asked };
    (isOff ? off : on).add(name);
  }
  const byDefault = on.has('*') && !off.has('*');
  const controllers = all.filter(({ name, isOnByDefault }) => !off.has(name) && (on.has(name) || (byDefault && isOnByDefault)));
  return { type: 'selected', controllers };
}
