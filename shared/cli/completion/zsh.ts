/** The completion script of zsh: `source <(platform completion zsh)`, or a file `_platform` in a folder of `fpath`. */
import { singleQuote } from '../shell-quote';
import { firstWords, wordGroups, type CompletedCommand, type CompletedFlag, type Completion } from './completion';

/** The script for one program. */
export function zshScript(completion: Completion): string {
  const { program, commands } = completion;
  const groups = wordGroups(completion);
  const descriptions = firstWords(completion).map((word) => describe(word, summaryOf(completion, word)));
  const groupCases = [...groups.keys()].map((first) => {
    const members = commands.filter(({ words }) => words[0] === first);
    const rows = members.map(({ words: [, word = ''], summary }) => describe(word, summary));
    return `    ${first})
      if (( CURRENT == 3 )); then
        rows=(${rows.join(' ')})
        _describe command rows
        return
      fi
      command+=" $words[3]"
      skipped=2 ;;`;
  });
  return `#compdef ${program}
# zsh completion of ${program}, generated from its commands
_${program}() {
  local command="$words[2]" skipped=1
  local -a rows
  if (( CURRENT == 2 )); then
    rows=(${descriptions.join(' ')})
    _describe command rows
    return
  fi
  case "$command" in
${groupCases.join('\n')}
  esac
  # _arguments reads the words after the command.
  shift $skipped words
  (( CURRENT -= skipped ))
  case "$command" in
${commands.map(commandCase).join('\n')}
  esac
}
if [[ "$funcstack[1]" == _${program} ]]; then _${program} "$@"; else compdef _${program} ${program}; fi
`;
}

/** The summary of the command with this first word, or the second words of a group: `list, renew`. */
const summaryOf = ({ commands }: Completion, first: string): string => {
  const members = commands.filter(({ words }) => words[0] === first);
  return members.map(({ words, summary }) => (words.length === 1 ? summary : (words[1] ?? ''))).join(', ');
};

/** A row for zsh's `_describe`: the word and its description, separated by a colon. */
const describe = (word: string, text: string): string => singleQuote(`${word.replaceAll(':', String.raw`\:`)}:${text}`);

function commandCase({ words, flags, operands }: CompletedCommand): string {
  const specs = [
    ...flags.flatMap(flagSpecs),
    singleQuote('--help[print the help]'),
    ...(operands.length === 0 ? [] : [singleQuote(`*:argument:(${operands.join(' ')})`)]),
  ];
  return `    ${singleQuote(words.join(' '))})\n      _arguments ${specs.join(' \\\n        ')} ;;`;
}

/**
 * The specifications of a flag for zsh's `_arguments`, such as `*--output=[Format]:value:(table json)`: `*` allows
 * repetition, and `=` or `+` states how the value is attached.
 */
function flagSpecs(flag: CompletedFlag): readonly string[] {
  const help = `[${flag.help.replaceAll(/[[\]\\:]/g, String.raw`\$&`)}]`;
  const value = flag.takesValue ? `:value:${valueAction(flag)}` : '';
  const long = singleQuote(`*--${flag.name}${flag.takesValue ? '=' : ''}${help}${value}`);
  return flag.shorthand === undefined ? [long] : [long, singleQuote(`*-${flag.shorthand}${flag.takesValue ? '+' : ''}${help}${value}`)];
}

function valueAction({ choices, completes }: CompletedFlag): string {
  if (choices.length > 0) return `(${choices.join(' ')})`;
  if (completes === undefined) return ' ';
  return completes === 'folders' ? '_files -/' : '_files';
}
