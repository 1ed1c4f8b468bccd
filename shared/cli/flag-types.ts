/**
 * Rows of flag tables: a constructor for each type of flag, with the notation of pflag. A row states how the values of a
 * flag are parsed, and how its default is formatted for `--help`. flags.ts parses command lines with tables of rows.
 */
import { formatDuration, parseDuration } from './duration';

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
  /**
   * Formats a value: the default in `--help`, and the value in the list of a running program's flags (flag-lines.ts).
   * `--help` prints no default when the result is empty.
   */
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
export type AnyFlag = Flag<unknown>;

/** The members of a row that its table states; the constructors below add the others. */
interface FlagSettings<T> {
  readonly section: string;
  readonly help: string;
  readonly default: T;
  readonly shorthand?: string;
  readonly completes?: 'files' | 'folders';
  readonly variable?: string;
}

/** A flag does not accept its value; the message is printed after the name of the flag. */
export class FlagError extends Error {}

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
