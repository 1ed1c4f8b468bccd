/**
 * What shells complete for a program, made from its command table: the words, flags and operands of each command. The
 * scripts (bash.ts, zsh.ts, fish.ts) contain all of it, so that no program runs when the user presses Tab.
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
  /** The words that an operand can be; empty when they are not known. */
  readonly operands: readonly string[];
}

/** What completion scripts are rendered from. */
export interface Completion {
  readonly program: string;
  readonly commands: readonly CompletedCommand[];
}

/** The completion of a program. Loads the flags that commands take besides those of their tables. */
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

/** By the first word of the commands with two words (`certificates`), their second words (`list`, `renew`). */
export function wordGroups({ commands }: Completion): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const { words } of commands) {
    const [first = '', second] = words;
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

/** The first sentence of a text, without its period. A semicolon ends a sentence too. */
const firstSentence = (text: string): string => text.split(/(?<=\w)[.;](?:\s|$)/, 1)[0] ?? text;
