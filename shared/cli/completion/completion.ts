/**
 * What shells complete for a program, made from its command table: the words, flags and operands of each command. The
 * scripts of the shells are made from it (bash.ts, zsh.ts, fish.ts); they run no program when the user presses Tab.
 */
import type { CommandProgram } from '../command-table';
import type { FlagTable } from '../flags';

/** A flag as shells complete it. */
export interface CompletedFlag {
  readonly name: string;
  readonly shorthand: string | undefined;
  /** The first sentence of its help. */
  readonly help: string;
  readonly takesValue: boolean;
  readonly choices: readonly string[];
  readonly completes: 'files' | 'folders' | undefined;
}

/** A command as shells complete it. */
export interface CompletedCommand {
  /** One or two: `['certificates', 'renew']`. */
  readonly words: readonly string[];
  readonly summary: string;
  readonly flags: readonly CompletedFlag[];
  /** The words that an operand can be. */
  readonly operands: readonly string[];
}

/** What completion scripts are rendered from. */
export interface Completion {
  readonly program: string;
  readonly commands: readonly CompletedCommand[];
}

/** Loads the flags that commands take besides those of their tables. */
export async function completionOf<Context>({ name, commands }: CommandProgram<Context>): Promise<Completion> {
  const completed = commands.map(async ({ name: words, summary, flags, loadMoreFlags, operands }) => ({
    words: words.split(' '),
    summary,
    flags: completedFlags({ ...(await loadMoreFlags?.()), ...flags }),
    operands: operands?.choices ?? [],
  }));
  return { program: name, commands: await Promise.all(completed) };
}

/** The words that can stand first. */
export const firstWords = ({ commands }: Completion): readonly string[] => [...new Set(commands.map(({ words: [first = ''] }) => first))];

/** The groups of commands with two words, and their second words. */
export function wordGroups({ commands }: Completion): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const {
    words: [first = '', second],
  } of commands) {
    if (second !== undefined) groups.set(first, [...(groups.get(first) ?? []), second]);
  }
  return groups;
}

function completedFlags(table: FlagTable): readonly CompletedFlag[] {
  return Object.entries(table)
    .filter(([, { isHidden }]) => isHidden !== true)
    .map(([name, { shorthand, help, bareValue, choices = [], completes }]) => ({
      name,
      shorthand,
      help: firstSentence(help),
      takesValue: bareValue === undefined,
      choices,
      completes,
    }));
}

/** Without its final mark. A semicolon ends the sentence too. */
const firstSentence = (text: string): string => text.split(/(?<=\w)[.;](?:\s|$)/, 1)[0] ?? text;
