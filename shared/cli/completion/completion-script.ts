/** The completion scripts of all supported shells. */
import { bashScript } from './bash';
import type { Completion } from './completion';
import { fishScript } from './fish';
import { zshScript } from './zsh';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } satisfies Readonly<
  Record<string, (completion: Completion) => string>
>;

/** `undefined` when the shell is not supported. */
export function completionScript(shell: string, completion: Completion): string | undefined {
  return Object.entries(SCRIPTS).find(([name]) => name === shell)?.[1](completion);
}

export const SHELLS: readonly string[] = Object.keys(SCRIPTS);
