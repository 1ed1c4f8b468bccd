/**
 * Command-line flags as data. Each executable declares its flags in a table, with the names of upstream; flag-types.ts
 * has the rows of tables. {@link parseFlags} parses argv and returns typed values under the names of the flags
 * (`values['secure-port']`). `--help` is generated from the same table. Environment variables are an argument; no global
 * state is kept.
 */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { FlagError, type AnyFlag, type FlagTable, type FlagValues } from './flag-types';
import { scanArguments } from './scan-arguments';
import { suggestion } from './suggestion';

export {
  boolFlag,
  choiceFlag,
  compatibilityFlag,
  decimalFlag,
  durationFlag,
  FlagError,
  intFlag,
  listFlag,
  mapFlag,
  repeatedFlag,
  stringFlag,
  versionFlag,
} from './flag-types';
export type { Flag, FlagTable, FlagValues } from './flag-types';

/** Environment variables by name, as `process.env`. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** BSD's EX_USAGE. To a supervisor it means that the command line is invalid and a restart cannot succeed. */
export const USAGE_EXIT_CODE = 64;

/**
 * The arguments of a command are not valid, although each flag could be parsed. For example, two flags exclude each
 * other. Thrown by programs and commands after {@link parseFlags}.
 */
export class UsageError extends Error {}

/** A command line besides its flags: what the help shows, and which operands it accepts. */
export interface CommandLine {
  /** For the usage line and as prefix of errors. */
  readonly name: string;
  readonly description: string;
  /** The operands in the usage line, such as `[NAME...]`; they are returned in `rest`. Without it there are none. */
  readonly operands?: string;
  /** Whether unknown arguments are collected in `rest` instead of rejected. */
  readonly collectsUnknown?: boolean;
  /** Printed at the end of the help. */
  readonly epilogue?: string;
  /**
   * Returns the output of `--version`, for a program with `versionFlag` in its table. `naming` is the value of the
   * flag `--naming`; `undefined` when it was not given.
   */
  readonly version?: (format: 'true' | 'raw', naming: unknown) => string;
}

/** What the arguments request. `given` and `rest`: see {@link parseFlags}. */
export type ParsedFlags<Table> =
  | { readonly kind: 'values'; readonly values: FlagValues<Table>; readonly given: ReadonlySet<string>; readonly rest: readonly string[] }
  /** The help or the version, to be printed instead of running the program. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'error'; readonly message: string };

/**
 * Parses `argv` (without the node executable and script). In the result, `given` has the names of the flags that were on
 * the command line. `rest` has the operands and, with `collectsUnknown`, the unknown arguments, verbatim and in order. Of
 * `environment` only the variables that rows name are read.
 */
export function parseFlags<Table extends FlagTable>(
  program: CommandLine,
  table: Table,
  argv: readonly string[],
  environment: EnvironmentVariables = {},
): ParsedFlags<Table> {
  const values = new Map<string, unknown>();
  const command = commandFor(program, table, values);
  const { args, unknown } = scanArguments(table, argv);
  if (unknown !== undefined && program.collectsUnknown !== true) return { kind: 'error', message: unknownFlagMessage(unknown, table) };
  try {
    command.parse(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.helpDisplayed') return { kind: 'text', text: helpText(program, table) };
    return { kind: 'error', message: error.message.replace(/^error: /, '') };
  }
  const version = values.get('version');
  if (program.version !== undefined && (version === 'true' || version === 'raw')) {
    return { kind: 'text', text: `${program.version(version, values.get('naming'))}\n` };
  }
  const given = new Set(values.keys());
  const problem = applyVariables(table, values, environment);
  if (problem !== undefined) return { kind: 'error', message: problem };
  return { kind: 'values', values: valuesOf(table, values), given, rest: command.args };
}

/**
 * {@link parseFlags} for an executable's main file, without environment variables. For a help or version flag it prints
 * to stdout and exits with 0. For an error it prints to stderr and exits with `errorExitCode`: {@link USAGE_EXIT_CODE} in
 * programs that a supervisor restarts.
 */
export function flagsOrExit<Table extends FlagTable>(
  program: CommandLine,
  table: Table,
  argv: readonly string[],
  errorExitCode = 1,
): Extract<ParsedFlags<Table>, { kind: 'values' }> {
  const parsed = parseFlags(program, table, argv);
  switch (parsed.kind) {
    case 'values':
      return parsed;
    case 'text':
      process.stdout.write(parsed.text);
      return process.exit(0);
    case 'error':
      process.stderr.write(`${program.name}: ${parsed.message}\nSee '${program.name} --help' for its flags.\n`);
      return process.exit(errorExitCode);
  }
}

/** The first flag of `argv` that is not in the table, without its value; `undefined` when every flag is known. */
export const findUnknownFlag = (table: FlagTable, argv: readonly string[]): string | undefined => scanArguments(table, argv).unknown;

/** The error of a flag that is not in the table, with the names of similar ones. */
export function unknownFlagMessage(flag: string, table: FlagTable): string {
  const names = Object.entries(table).filter(([, { isHidden }]) => isHidden !== true);
  const candidates = names.map(([name]) => `--${name}`);
  return `unknown option '${flag}'${suggestion(flag, [...candidates, '--help'])}`;
}

/** The output of `--help`: the usage, then the flags by section in the order of the table. */
export function helpText(program: CommandLine, table: FlagTable): string {
  const sections = new Map<string, string[]>();
  for (const [name, flag] of Object.entries(table)) {
    if (flag.isHidden === true) continue;
    const lines = sections.get(flag.section) ?? [];
    sections.set(flag.section, lines);
    const shown = flag.formatDefault(flag.default);
    const names = flag.shorthand === undefined ? `--${name}` : `-${flag.shorthand}, --${name}`;
    lines.push(flag.placeholder === '' ? `  ${names}` : `  ${names} ${flag.placeholder}`);
    const notes = [...(shown === '' ? [] : [`default ${shown}`]), ...(flag.variable === undefined ? [] : [`variable ${flag.variable}`])];
    const text = notes.length === 0 ? flag.help : `${flag.help} (${notes.join(', ')})`;
    for (const line of wrapText(text, 100)) lines.push(`        ${line}`);
  }
  const usage = [program.name, ...(program.operands === undefined ? [] : [program.operands]), '[flags]'].join(' ');
  const parts = [`${program.description}\n\nUsage:\n  ${usage}\n`];
  for (const [section, lines] of sections) parts.push(`\n${section} flags:\n${lines.join('\n')}\n`);
  if (program.epilogue !== undefined) parts.push(`\n${program.epilogue}\n`);
  return parts.join('');
}

/** A commander command that parses flags into `values`, prints nothing, and throws instead of ending the process. */
function commandFor(program: CommandLine, table: FlagTable, values: Map<string, unknown>): Command {
  const command = new Command(program.name)
    .exitOverride()
    .configureOutput({ writeOut: () => undefined, writeErr: () => undefined })
    .allowUnknownOption(program.collectsUnknown === true)
    .allowExcessArguments(program.collectsUnknown === true || program.operands !== undefined)
    .showSuggestionAfterError(false);
  for (const [name, flag] of Object.entries(table)) command.addOption(optionFor(name, flag, values));
  return command;
}

/** A commander option that parses into `values` under the name of the flag; commander itself would use camel case. */
function optionFor(name: string, flag: AnyFlag, values: Map<string, unknown>): Option {
  const value = flag.bareValue === undefined ? '<value>' : '[value]';
  const letter = name.length === 1 ? name : flag.shorthand;
  const names = letter === undefined ? `--${name}` : `-${letter}, --${name}`;
  // commander uses the preset only where the value of an option is optional.
  const option = new Option(`${names} ${value}`, flag.help).preset(String(flag.bareValue));
  return option.argParser((text: string) => {
    try {
      // In `-v=3` commander leaves the `=` in the argument.
      values.set(name, flag.parse(letter !== undefined && text.startsWith('=') ? text.slice(1) : text, values.get(name)));
    } catch (error) {
      if (error instanceof FlagError) throw new InvalidArgumentError(error.message);
      throw error;
    }
    return text;
  });
}

/**
 * Adds the values of variables for flags that are not on the command line. Returns the error of an invalid value;
 * `undefined` when all are valid.
 */
function applyVariables(table: FlagTable, values: Map<string, unknown>, environment: EnvironmentVariables): string | undefined {
  for (const [name, flag] of Object.entries(table)) {
    const { variable } = flag;
    const text = variable === undefined ? undefined : environment[variable];
    if (text === undefined || text === '' || values.has(name)) continue;
    try {
      values.set(name, flag.parse(text, undefined));
    } catch (error) {
      if (error instanceof FlagError)
        return `the variable ${variable} has the value ${JSON.stringify(text)} for --${name}: ${error.message}`;
      throw error;
    }
  }
  return undefined;
}

function valuesOf<Table extends FlagTable>(table: Table, values: ReadonlyMap<string, unknown>): FlagValues<Table> {
  const entries = Object.entries(table).map(([name, flag]) => [name, values.has(name) ? values.get(name) : flag.default]);
  // Each value was parsed by the flag of the same name, so the record has the types of the table.
  return Object.fromEntries(entries) as FlagValues<Table>;
}

function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
