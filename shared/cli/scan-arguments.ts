/**
 * Passes over the arguments of a program before commander parses them: finds unknown flags, makes the value of a flag
 * without an argument explicit, and separates the flags of one program from those of another. Does not parse values. One
 * step for each argument.
 */

/** The part of a row of a flag table that decides which arguments belong to the flag. */
interface ArgumentFlag {
  readonly bareValue: unknown;
  readonly shorthand?: string;
}

type ArgumentFlags = Readonly<Record<string, ArgumentFlag>>;

/**
 * Finds the first unknown flag, and gives a flag without an argument its `bareValue`: commander would take
 * the next argument, which may be an operand, as its value.
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
    const bare = flags.get(text);
    if (bare === undefined) {
      args.push(text);
      if (isFlag(text) && !flags.has(flagName(text))) unknown ??= flagName(text);
    } else if (bare.flag.bareValue === undefined) {
      // The next argument is the value, whatever it looks like.
      args.push(text);
      index += 1;
      const value = argv[index];
      if (value !== undefined) args.push(value);
    } else {
      args.push(`--${bare.name}=${bareText(bare.flag)}`);
    }
  }
  return { args, unknown };
}

/** Separates the flags that `isSelected` names, each with its value, from the other arguments. Both keep their order. */
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
    if (known === undefined || known.flag.bareValue !== undefined || !flags.has(text)) continue;
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

/** By `--name` and `-letter`. */
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

const isFlag = (text: string): boolean => text.length > 1 && text.startsWith('-') && text !== '--help' && text !== '-h';

/** The flag of an argument without its value: `--x` of `--x=1`, `-x` of `-x1`. */
const flagName = (text: string): string => (text.startsWith('--') ? (text.split('=', 1)[0] ?? text) : text.slice(0, 2));
