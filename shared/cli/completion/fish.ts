/** The completion script of fish: `platform completion fish | source`. */
import { shellQuote } from '../shell-quote';
import { firstWords, wordGroups, type CompletedCommand, type CompletedFlag, type Completion } from './completion';

/** The script for one program. */
export function fishScript(completion: Completion): string {
  const { program, commands } = completion;
  const complete = `complete -c ${program}`;
  const firstWordLines = firstWords(completion).map((word) => {
    const single = commands.find(({ words }) => words.length === 1 && words[0] === word);
    return `${complete} -f -n __fish_use_subcommand -a ${word}${single === undefined ? '' : ` -d ${quoteText(single.summary)}`}`;
  });
  const secondWordLines = [...wordGroups(completion)].map(([first, words]) => {
    const secondWords = words.join(' ');
    return `${complete} -f -n '__fish_seen_subcommand_from ${first}; and not __fish_seen_subcommand_from ${secondWords}' -a '${secondWords}'`;
  });
  const lines = [
    `# fish completion of ${program}, generated from its commands`,
    ...firstWordLines,
    ...secondWordLines,
    ...commands.flatMap((row) => commandLines(complete, row)),
  ];
  return `${lines.join('\n')}\n`;
}

/** The lines that complete the operands and flags of a command. `complete` is the start of each line. */
function commandLines(complete: string, { words, flags, operands }: CompletedCommand): readonly string[] {
  const condition = words.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ');
  const start = `${complete} -n '${condition}'`;
  return [
    ...(operands.length === 0 ? [] : [`${start} -f -a '${operands.join(' ')}'`]),
    ...flags.map((flag) => `${start} ${flagOptions(flag)} -d ${quoteText(flag.help)}`),
  ];
}

/** The options of fish's `complete` for a flag: `-x` and `-r` require a value, `-f` and `-x` offer no files, `-F` does. */
function flagOptions({ name, shorthand, takesValue, choices, completes }: CompletedFlag): string {
  const long = name.length === 1 ? `-s ${name}` : `-l ${name}`;
  const short = shorthand === undefined ? '' : ` -s ${shorthand}`;
  if (!takesValue) return `${long}${short} -f`;
  if (choices.length > 0) return `${long}${short} -x -a '${choices.join(' ')}'`;
  if (completes === undefined) return `${long}${short} -x`;
  return completes === 'folders' ? `${long}${short} -x -a '(__fish_complete_directories)'` : `${long}${short} -r -F`;
}

/** In fish a backslash is an escape even in single quotes. So a quote is written `\'`, and backslashes become slashes. */
const quoteText = (text: string): string => shellQuote(text.replaceAll('\\', '/')).replaceAll(String.raw`'\''`, String.raw`\'`);
