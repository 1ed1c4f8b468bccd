/**
 * The help of a command in a checkout that is not built: docs/reference/commands.md has the help of every command as the
 * built program prints it (deploy/reference/pages.test.ts compares them). Uses only Node.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './repository.mjs';

const PROGRAM = 'platform';
/** Commands of one or two words. */
const MAX_WORDS = 2;

/** `undefined` when the arguments do not ask for help, or for that of a program with a page of its own. */
export function unbuiltHelp(args) {
  const end = args.indexOf('--');
  const isHelp = (end < 0 ? args : args.slice(0, end)).some((argument) => argument === '--help' || argument === '-h');
  if (!isHelp && args[0] !== 'help') return undefined;
  const words = (args[0] === 'help' ? args.slice(1) : args).filter((argument) => !argument.startsWith('-'));
  const text = readFileSync(path.join(root, 'docs/reference/commands.md'), 'utf8');
  for (let count = Math.min(words.length, MAX_WORDS); count >= 0; count -= 1) {
    const heading = `## ${[PROGRAM, ...words.slice(0, count)].join(' ')}\n\n\`\`\`\n`;
    const start = text.indexOf(heading);
    if (start < 0 || (count === 0 && words.length > 0)) continue;
    const begin = start + heading.length;
    return text.slice(begin, text.indexOf('```\n', begin));
  }
  return undefined;
}
