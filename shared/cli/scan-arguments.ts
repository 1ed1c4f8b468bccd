/**
 * Scans of the arguments of a program before commander parses them: {@link scanArguments} finds unknown flags and makes
 * the values of flags without an argument explicit; {@link partitionArguments} separates the flags of one program from
 * those of another. The values are not parsed. The time is linear in the number of arguments.
 */

/** The part of a row of a flag table that decides which arguments belong to the flag. */
interface ArgumentFlag {
  readonly bareValue: unknown;
  readonly shorthand?: string;
}

/** By flag name, without dashes. */
type ArgumentFlags = Readonly<Record<string, ArgumentFlag>>;

/**
 * Returns the arguments for commander, and the first unknown flag (`undefined` when there is none). A flag that has a
 * `bareValue` and no argument gets that value (`--follow` becomes `--follow=true`): commander would take the next
 * argument, which may be an operand, as its value.
 */
export function scanArguments(
  table: ArgumentFlags,
  argv: readonly string[],
): { readonly args: string[]; readonly unknown: string | undefined } {
  const flags = flagsByArgument(table);
  const args: string[] = [];
  let unknown: string | undefined;
  for (let index = 0; index < argv.length; index += 1) {
    const text = argv[index] ?? '';
    if (text === '--') return { args: [...args, ...argv.slice(index)], unknown };
    // A flag without `=` or an attached value.
    const plainFlag = flags.get(text);
    if (plainFlag === undefined) {
      args.push(text);
      if (isFlag(text) && !flags.has(flagName(text))) unknown ??= flagName(text);
    } else if (plainFlag.flag.bareValue === undefined) {
      // The next argument is the value, whatever it looks like.
      args.push(text);
      index += 1;
      const value = argv[index];
      if (value !== undefined) args.push(value);
    } else {
      args.push(`--${plainFlag.name}=${bareText(plainFlag.flag)}`);
    }
  }
  return { args, unknown };
}

/**
 * Separates the flags for which `isSelected` is true, each with its value, from the other arguments, unknown flags
 * included. Both lists keep the order of `argv`.
 */
export function partitionArguments(
  table: ArgumentFlags,
  argv: readonly string[],
  isSelected: (name: string) => boolean,
): { readonly selected: string[]; readonly others: string[] } {
  const flags = flagsByArgument(table);
  const selected: string[] = [];
  const others: string[] = [];
  for (let index = 0; index < argv.length; index += 1) {
    const text = argv[index] ?? '';
    const known = flags.get(flagName(text));
    const target = known !== undefined && isSelected(known.name) ? selected : others;
    target.push(text);
    const takesNextArgument = known !== undefined && known.flag.bareValue === undefined && flags.has(text);
    if (!takesNextArgument) continue;
    index += 1;
    const value = argv[index];
    if (value !== undefined) target.push(value);
  }
  return { selected, others };
}

interface NamedFlag {
  readonly name: string;
  readonly flag: ArgumentFlag;
}

/** The flags by each of the arguments that name them: `--output` and `-o`. */
function flagsByArgument(table: ArgumentFlags): ReadonlyMap<string, NamedFlag> {
  const flags = new Map<string, NamedFlag>();
  for (const [name, flag] of Object.entries(table)) {
    flags.set(`--${name}`, { name, flag });
    const letter = name.length === 1 ? name : flag.shorthand;
    if (letter !== undefined) flags.set(`-${letter}`, { name, flag });
  }
  return flags;
}

const bareText = ({ bareValue }: ArgumentFlag): string => (typeof bareValue === 'string' ? bareValue : JSON.stringify(bareValue));

/** Whether the argument is a flag, other than `--help` and `-h`, which commander knows itself. */
const isFlag = (text: string): boolean => text.length > 1 && text.startsWith('-') && text !== '--help' && text !== '-h';

/** The flag of an argument without its value: `--x` of `--x=1`, `-x` of `-x1`. */
const flagName = (text: string): string => (text.startsWith('--') ? (text.split('=', 1)[0] ?? text) : text.slice(0, 2));
