/**
 * Selects the completion script of a shell. The scripts are rendered by a file for each shell from one description of
 * the commands and flags.
 */
import { bashScript } from './bash';
import type { Completion } from './completion';
import { fishScript } from './fish';
import { zshScript } from './zsh';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } satisfies Readonly<
  Record<string, (completion: Completion) => string>
>;

/** The script of a shell; `undefined` when the shell is not one of {@link SHELLS}. */
export function completionScript(shell: string, completion: Completion): string | undefined {
  return Object.entries(SCRIPTS).find(([name]) => name === shell)?.[1](completion);
}

/** Names of the supported shells. */
export const SHELLS: readonly string[] = Object.keys(SCRIPTS);
