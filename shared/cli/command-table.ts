/**
 * A program with several commands as data: each command is a row with its flag table, its operands and the function that
 * runs it. {@link runCommand} selects a row and runs it. Help, completion scripts and the reference pages are made from
 * the same rows. Printing the outcome is left to the caller.
 */
import { helpText, parseFlags, type CommandLine, type EnvironmentVariables, type FlagTable, type FlagValues } from './flags';
import { suggestion } from './suggestion';

/** The parsed arguments of a command. */
export interface CommandInput<Table> {
  readonly values: FlagValues<Table>;
  /** The names of the flags on the command line. */
  readonly given: ReadonlySet<string>;
  readonly operands: readonly string[];
  /** All arguments after the command's name, verbatim. */
  readonly argv: readonly string[];
}

/** Positional arguments of a command. */
export interface Operands {
  /** In the usage line, such as `[NAME...]`. */
  readonly placeholder: string;
  /** What each operand must be, also completed by shells; absent when any text is valid. */
  readonly choices?: readonly string[];
  /** The least and greatest number of operands. */
  readonly min: number;
  readonly max: number;
}

/** What all rows have in common. */
interface CommandRow {
  /** The words after the program, such as `certificates renew`. */
  readonly name: string;
  /** Heading under which the program's help lists the command. */
  readonly section: string;
  /** A sentence without a period at its end. */
  readonly summary: string;
  /** Further sentences of the command's own help. */
  readonly details?: string;
  /** Command lines without the name of the program, for the help. */
  readonly examples?: readonly string[];
  readonly operands?: Operands;
  /** Whether flags that are not in the table are returned with the operands instead of rejected. */
  readonly collectsUnknown?: boolean;
  /** The output of `--version` when the table has that flag. */
  readonly version?: CommandLine['version'];
}

/** What the context of a program must have, so that variables can replace the defaults of flags. */
export interface CommandContext {
  readonly environment: EnvironmentVariables;
}

/** A row of the command table, made by {@link command}. `Context` is what the program passes to its commands. */
export interface Command<Context> extends CommandRow {
  /** The flags that the command parses. */
  readonly flags: FlagTable;
  /** The flags that shells complete besides those of the table; loaded for completion scripts only. */
  readonly loadMoreFlags?: () => Promise<FlagTable>;
  /** Runs the command with the arguments after its name. `program` is the name of the program. Rejects with its errors. */
  run(program: string, argv: readonly string[], context: Context): Promise<CommandOutcome>;
}

/** What remains for the caller to do after a command. */
export type CommandOutcome =
  /** To exit with the code. It is `undefined` when the process has to run on, until a signal ends it. */
  | { readonly kind: 'exit'; readonly code: number | undefined }
  /** To print the text, which is a help or a version, and to exit with 0. */
  | { readonly kind: 'text'; readonly text: string }
  /** To print a usage error, with a hint at the `--help` of `command`. */
  | { readonly kind: 'error'; readonly message: string; readonly command: string };

/** What {@link command} makes a row from. */
export interface CommandSettings<Table extends FlagTable, Context> extends CommandRow {
  /** The flags that the command parses. */
  readonly flags: Table;
  /** See {@link Command.loadMoreFlags}. */
  readonly loadMoreFlags?: () => Promise<FlagTable>;
  /**
   * Loads the function that runs the command, so that a program loads the modules of one command only. The function
   * resolves with the exit code (see {@link CommandOutcome}).
   */
  readonly load: () => Promise<(input: CommandInput<Table>, context: Context) => Promise<number | undefined>>;
}

/** A program with several commands. */
export interface CommandProgram<Context> {
  readonly name: string;
  readonly description: string;
  readonly commands: readonly Command<Context>[];
}

/** A row for a command that parses its arguments with its flag table. */
export function command<Table extends FlagTable, Context extends CommandContext>(
  settings: CommandSettings<Table, Context>,
): Command<Context> {
  const { load, ...row } = settings;
  return {
    ...row,
    async run(program, argv, context) {
      const name = `${program} ${row.name}`;
      const parsed = parseFlags(commandLineOf(program, row), row.flags, argv, context.environment);
      if (parsed.kind === 'text') return parsed;
      if (parsed.kind === 'error') return { ...parsed, command: name };
      const { values, given, rest: operands } = parsed;
      const message = operandError(row.operands, operands);
      if (message !== undefined) return { kind: 'error', message, command: name };
      const execute = await load();
      return { kind: 'exit', code: await execute({ values, given, operands, argv }, context) };
    },
  };
}

/**
 * Runs the command that the first arguments name. Returns the help for `help`, `--help`, `-h` or no arguments, and for a
 * group of commands without its second word (`certificates`). Rejects with the errors of the command.
 */
export async function runCommand<Context>(
  program: CommandProgram<Context>,
  argv: readonly string[],
  context: Context,
): Promise<CommandOutcome> {
  const { name, commands } = program;
  const [first = ''] = argv;
  if (first === 'help' || isHelpOrNothing(first)) return helpOf(program, argv.slice(1));
  const selected = commands.find((row) => startsWithWords(argv, row.name));
  if (selected !== undefined) return selected.run(name, argv.slice(wordsOf(selected.name).length), context);
  const group = commands.filter((row) => row.name.startsWith(`${first} `));
  const [, second = ''] = argv;
  if (group.length > 0 && isHelpOrNothing(second)) return { kind: 'text', text: groupHelp(program, first) };
  const names = group.length > 0 ? group.map((row) => row.name) : commandNames(program);
  const typed = group.length > 0 ? `${first} ${second}` : first;
  const kind = typed.startsWith('-') ? 'option' : 'command';
  return { kind: 'error', message: `unknown ${kind} '${typed}'${suggestion(typed, names)}`, command: name };
}

const isHelpOrNothing = (word: string): boolean => ['', '--help', '-h'].includes(word);

/** The help of the program: its commands by section. */
export function programHelp<Context>({ name, description, commands }: CommandProgram<Context>): string {
  const width = nameWidth(commands);
  const sections = [...new Set(commands.map(({ section }) => section))].map(
    (section) =>
      `${section}:\n${commandLines(
        commands.filter((row) => row.section === section),
        width,
      )}\n`,
  );
  const usage = `Usage:\n  ${name} <command> [flags]\n`;
  return [`${description}\n`, usage, ...sections, `'${name} <command> --help' explains a command and lists its flags.\n`].join('\n');
}

/** The help of one command, as `--help` prints it. */
export const commandHelp = <Context>(program: string, row: Command<Context>): string => helpText(commandLineOf(program, row), row.flags);

/** The first words of all commands. */
export const commandNames = <Context>({ commands }: CommandProgram<Context>): readonly string[] => [
  ...new Set(commands.map(({ name }) => wordsOf(name)[0] ?? name)),
];

/** The help of the command that the words name, otherwise that of the program. */
function helpOf<Context>(program: CommandProgram<Context>, words: readonly string[]): CommandOutcome {
  const selected = program.commands.find((row) => words.length > 0 && row.name === words.join(' '));
  return { kind: 'text', text: selected === undefined ? programHelp(program) : commandHelp(program.name, selected) };
}

function groupHelp<Context>({ name, commands }: CommandProgram<Context>, group: string): string {
  const rows = commands.filter((row) => row.name.startsWith(`${group} `));
  const lines = commandLines(rows, nameWidth(rows));
  return `Usage:\n  ${name} ${group} <command> [flags]\n\nCommands:\n${lines}\n`;
}

const nameWidth = (rows: readonly CommandRow[]): number => Math.max(...rows.map(({ name }) => name.length));

function commandLines(rows: readonly CommandRow[], width: number): string {
  return rows.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`).join('\n');
}

function commandLineOf(
  program: string,
  { name, summary, details, examples = [], operands, collectsUnknown = false, version }: CommandRow,
): CommandLine {
  const epilogue = `Examples:\n${examples.map((example) => `  ${program} ${example}`).join('\n')}`;
  return {
    name: `${program} ${name}`,
    description: details === undefined ? `${summary}.` : `${summary}.\n\n${details}`,
    collectsUnknown,
    ...(operands !== undefined && { operands: operands.placeholder }),
    ...(examples.length > 0 && { epilogue }),
    ...(version !== undefined && { version }),
  };
}

/** The message for operands that the command does not accept; `undefined` when it accepts them. */
function operandError(expected: Operands | undefined, operands: readonly string[]): string | undefined {
  if (expected === undefined) return undefined;
  const { placeholder, choices, min, max } = expected;
  if (operands.length < min) return `missing argument ${placeholder}`;
  if (operands.length > max) return `unexpected argument ${JSON.stringify(operands[max])}`;
  const unknown = choices === undefined ? undefined : operands.find((operand) => !choices.includes(operand));
  if (unknown === undefined || choices === undefined) return undefined;
  return `${JSON.stringify(unknown)} is not one of ${choices.join(', ')}${suggestion(unknown, choices)}`;
}

const wordsOf = (name: string): readonly string[] => name.split(' ');

const startsWithWords = (argv: readonly string[], name: string): boolean => wordsOf(name).every((word, index) => argv[index] === word);
