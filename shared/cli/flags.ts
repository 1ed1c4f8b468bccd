/**
 * Command-line flags as data. Each executable declares its flags in a table, with the names of upstream.
 * {@link parseFlags} parses argv and returns typed values under the names of the flags (`values['secure-port']`).
 * `--help` is generated from the same table. Environment variables are an argument; no global state is kept.
 */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { formatDuration, parseDuration } from './duration';
import { scanArguments } from './scan-arguments';
import { suggestion } from './suggestion';

/** A row of a flag table, created by one of the constructors below ({@link stringFlag} …). */
export interface Flag<T> {
  /** Heading under which `--help` lists the flag. */
  readonly section: string;
  readonly help: string;
  readonly default: T;
  /** The type in `--help`, such as `int` or `key=value,…`; empty for a boolean. */
  readonly placeholder: string;
  /** The value for a flag without an argument (`--x`), as pflag's NoOptDefVal; `undefined` when it needs an argument. */
  readonly bareValue: T | undefined;
  /**
   * Parses one occurrence; `previous` is the value of the earlier occurrences, `undefined` for the first. Throws
   * {@link FlagError}.
   */
  parse(text: string, previous: T | undefined): T;
  /** Omitted from `--help`. */
  readonly isHidden?: boolean;
  /** A letter, `o` for example: `-o json`, `-ojson` and `--output=json` are the same. */
  readonly shorthand?: string;
  /** The values that completion scripts offer. */
  readonly choices?: readonly string[];
  /** What completion scripts offer for a value that is a path. */
  readonly completes?: 'files' | 'folders';
  /** Name of an environment variable. Its value, if it is not empty, replaces the default. */
  readonly variable?: string;
  /** Formats the default for `--help`; empty when it is not printed. */
  formatDefault(value: T): string;
}

/** By flag name, without dashes. */
export type FlagTable = Readonly<Record<string, AnyFlag>>;
/** The parsed values of the flags of a table, by name. */
export type FlagValues<Table> = { readonly [Name in keyof Table]: Table[Name] extends Flag<infer T> ? T : never };

/**
 * A flag of any value type. Every `Flag<T>` is assignable, because `parse` and `formatDefault` are declared as methods.
 * {@link FlagValues} recovers the value type.
 */
type AnyFlag = Flag<unknown>;

/** The members of a row that its table states; the constructors below add the others. */
interface FlagSettings<T> {
  readonly section: string;
  readonly help: string;
  readonly default: T;
  readonly shorthand?: string;
  readonly completes?: 'files' | 'folders';
  readonly variable?: string;
}

/** Environment variables by name, as `process.env`. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** BSD's EX_USAGE. To a supervisor it means that the command line is invalid and a restart cannot succeed. */
export const USAGE_EXIT_CODE = 64;

/** A flag does not accept its value; the message is printed after the name of the flag. */
export class FlagError extends Error {}

/**
 * The arguments of a command are not valid, although each flag could be parsed. For example, two flags exclude each
 * other. Thrown by programs and commands after {@link parseFlags}.
 */
export class UsageError extends Error {}

/** A flag with a text, which may be empty. */
export function stringFlag(row: FlagSettings<string>): Flag<string> {
  return {
    ...row,
    placeholder: 'string',
    bareValue: undefined,
    parse: (text) => text,
    formatDefault: (value) => (value === '' ? '' : JSON.stringify(value)),
  };
}

/**
 * A flag with a boolean: `--x`, `--x=true` or `--x=false`. As in Go, `1`, `t`, `T`, `TRUE` and `True` are true as well, and
 * their opposites false.
 */
export function boolFlag(row: FlagSettings<boolean>): Flag<boolean> {
  return { ...row, placeholder: '', bareValue: true, parse: parseBool, formatDefault: String };
}

const INTEGER = /^[+-]?\d+$/;
/** For example `2`, `0.5`, `.5` or `-1.`. */
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;

/** A flag with an integer between `min` and `max`. */
export function intFlag(row: FlagSettings<number> & { readonly min?: number; readonly max?: number }): Flag<number> {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER, ...settings } = row;
  const parse = (text: string): number => {
    const value = INTEGER.test(text) ? Number(text) : Number.NaN;
    if (!Number.isSafeInteger(value)) throw new FlagError('must be an integer');
    return requireWithin(value, { min, max });
  };
  return { ...settings, placeholder: 'int', bareValue: undefined, parse, formatDefault: String };
}

/** A flag with a decimal number between `min` and `max`. */
export function decimalFlag(row: FlagSettings<number> & { readonly min: number; readonly max?: number }): Flag<number> {
  const { min, max = Number.MAX_VALUE, ...settings } = row;
  const parse = (text: string): number => {
    const value = DECIMAL.test(text) ? Number(text) : Number.NaN;
    if (Number.isNaN(value)) throw new FlagError('must be a number');
    return requireWithin(value, { min, max });
  };
  return { ...settings, placeholder: 'number', bareValue: undefined, parse, formatDefault: String };
}

function requireWithin(value: number, { min, max }: { readonly min: number; readonly max: number }): number {
  if (value < min) throw new FlagError(`must be at least ${min}`);
  if (value > max) throw new FlagError(`must be at most ${max}`);
  return value;
}

/** A flag with a duration such as `1m30s`. The value is in milliseconds; negative durations are rejected. */
export function durationFlag(row: FlagSettings<number>): Flag<number> {
  const parse = (text: string): number => {
    const value = parseDuration(text);
    if (value === undefined) throw new FlagError('must be a duration such as 30s or 5m0s');
    if (value < 0) throw new FlagError('must not be negative');
    return value;
  };
  return { ...row, placeholder: 'duration', bareValue: undefined, parse, formatDefault: formatDuration };
}

/**
 * A flag with comma-separated elements; repeated flags append. Blanks around elements and empty elements are ignored.
 */
export function listFlag(row: FlagSettings<readonly string[]>): Flag<readonly string[]> {
  const parse = (text: string, previous: readonly string[] = []): readonly string[] => [
    ...previous,
    ...text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  ];
  return {
    ...row,
    placeholder: 'strings',
    bareValue: undefined,
    parse,
    formatDefault: (value) => (value.length === 0 ? '' : `[${value.join(',')}]`),
  };
}

/** A flag that may be repeated: each occurrence adds its argument unchanged, commas included. */
export function repeatedFlag(row: FlagSettings<readonly string[]>): Flag<readonly string[]> {
  const parse = (text: string, previous: readonly string[] = []): readonly string[] => [...previous, text];
  return {
    ...row,
    placeholder: 'string',
    bareValue: undefined,
    parse,
    formatDefault: (value) => (value.length === 0 ? '' : `[${value.join(',')}]`),
  };
}

/**
 * A flag with comma-separated `key=value` pairs. Repeated flags are merged, and the last value of a key wins. A key
 * without `=` has the value `''`.
 */
export function mapFlag(row: FlagSettings<ReadonlyMap<string, string>>): Flag<ReadonlyMap<string, string>> {
  return { ...row, placeholder: 'key=value,...', bareValue: undefined, parse: parsePairs, formatDefault: formatPairs };
}

/** A flag with one of the given values. */
export function choiceFlag<const Word extends string>(row: FlagSettings<NoInfer<Word>> & { readonly values: readonly Word[] }): Flag<Word> {
  const { values, ...settings } = row;
  const parse = (text: string): Word => {
    const match = values.find((candidate) => candidate === text);
    if (match === undefined) throw new FlagError(`must be one of ${values.join(', ')}`);
    return match;
  };
  return { ...settings, choices: values, placeholder: values.join('|'), bareValue: undefined, parse, formatDefault: (value) => value };
}

/** The flag `--version`, which prints the version instead of running the program, as in upstream's programs. */
export function versionFlag(section: string): Flag<'true' | 'false' | 'raw'> {
  const help = 'Print the version and exit; raw prints all version information.';
  return {
    ...choiceFlag({ section, help, default: 'false', values: ['true', 'false', 'raw'] }),
    bareValue: 'true',
    formatDefault: () => '',
  };
}

/**
 * A flag of upstream without an effect here. It accepts the values in `allowed`, which describe what this program does
 * anyway, and rejects all others with `reason`. With no allowed values, any use of the flag is rejected.
 */
export function compatibilityFlag(allowed: readonly string[], reason: string): Flag<string> {
  return {
    section: '',
    help: reason,
    default: '',
    placeholder: '',
    // Without an argument a boolean flag is true.
    bareValue: allowed.includes('true') || allowed.includes('false') ? 'true' : undefined,
    isHidden: true,
    parse(text) {
      if (!allowed.includes(text))
        throw new FlagError(`${allowed.length === 0 ? 'is not supported' : `can only be ${allowed.join(' or ')}`}: ${reason}`);
      return text;
    },
    formatDefault: () => '',
  };
}

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
   * Returns the output of `--version`, for a program with {@link versionFlag} in its table. `naming` is the value of the
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
 * Parses `argv` (without the node executable and script). `given` has the names of the flags that were on the command
 * line; `rest` has the operands and, with `collectsUnknown`, the unknown arguments, verbatim and in order. Only the variables
 * that rows name are read from `environment`.
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

function parseBool(text: string): boolean {
  if (/^(1|t|T|true|TRUE|True)$/.test(text)) return true;
  if (/^(0|f|F|false|FALSE|False)$/.test(text)) return false;
  throw new FlagError('must be true or false');
}

function parsePairs(text: string, previous: ReadonlyMap<string, string> = new Map()): ReadonlyMap<string, string> {
  const pairs = new Map(previous);
  for (const item of text.split(',')) {
    if (item.trim() === '') continue;
    const equals = item.indexOf('=');
    const key = (equals < 0 ? item : item.slice(0, equals)).trim();
    if (key === '') throw new FlagError(`${JSON.stringify(item)} has no key`);
    pairs.set(key, equals < 0 ? '' : item.slice(equals + 1).trim());
  }
  return pairs;
}

function formatPairs(pairs: ReadonlyMap<string, string>): string {
  return [...pairs].map(([key, value]) => `${key}=${value}`).join(',');
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
