/** Selects the controllers that the flag `--controllers` names. */

/** The result of parsing `--controllers`: the selected controllers, or the first item that names none. */
export type ControllerSelection<T> =
  | { readonly type: 'selected'; readonly controllers: readonly T[] }
  | { readonly type: 'unknown'; readonly name: string };

interface SelectableController {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly isOnByDefault: boolean;
}

/**
 * The items of the flag, in any order: `*` selects all controllers that are on by default, `foo` selects foo, `-foo`
 * deselects foo, and `-*` deselects all that are not named. Without `*` only named controllers are selected. Returns the
 * controllers in the order of `available`.
 */
export function selectControllers<T extends SelectableController>(
  available: readonly T[],
  items: readonly string[],
): ControllerSelection<T> {
  const on = new Set<string>();
  const off = new Set<string>();
  for (const item of items) {
    const isOff = item.startsWith('-');
    const nameOrAlias = isOff ? item.slice(1) : item;
    const controller = available.find((candidate) => candidate.name === nameOrAlias || candidate.aliases.includes(nameOrAlias));
    const name = nameOrAlias === '*' ? nameOrAlias : controller?.name;
    if (name === undefined) return { type: 'unknown', name: nameOrAlias };
    (isOff ? off : on).add(name);
  }
  const selectsDefaults = on.has('*') && !off.has('*');
  const controllers = available.filter(({ name, isOnByDefault }) => !off.has(name) && (on.has(name) || (selectsDefaults && isOnByDefault)));
  return { type: 'selected', controllers };
}
