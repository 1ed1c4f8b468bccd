/** The completion script of bash, which needs no package: `source <(platform completion bash)`. */
import { singleQuote } from '../shell-quote';
import { firstWords, wordGroups, type CompletedCommand, type CompletedFlag, type Completion } from './completion';

/** The script for one program. In it, `words`, `flags` and `operands` are lists of what can be completed. */
export function bashScript(completion: Completion): string {
  const { program, commands } = completion;
  const groups = [...wordGroups(completion)];
  const name = `_${program}`;
  const groupCases = groups.map(
    ([first, words]) => `    ${first}) [[ $COMP_CWORD -eq 2 ]] && words=${quoteWords(words)} || command+=" \${COMP_WORDS[2]}" ;;`,
  );
  return `# bash completion of ${program}, generated from its commands
${name}() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}" words=''
  COMPREPLY=()
  # bash splits --flag=value at the equals sign.
  if [[ $cur == '=' ]]; then cur=''; elif [[ $prev == '=' ]]; then prev="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  if [[ $COMP_CWORD -eq 1 ]]; then
    COMPREPLY=($(compgen -W ${quoteWords(firstWords(completion))} -- "$cur"))
    return
  fi
  case "$command" in
${groupCases.join('\n')}
  esac
  if [[ -n $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
    return
  fi
  local flags='' operands=''
  case "$command" in
${commands.map(commandCase).join('\n')}
  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$cur"))
  elif [[ -n $operands ]]; then
    COMPREPLY=($(compgen -W "$operands" -- "$cur"))
  fi
}
complete -F ${name} ${program}
`;
}

function commandCase({ words, flags, operands }: CompletedCommand): string {
  const valued = flags.filter(({ takesValue }) => takesValue);
  const named = flags.map(({ name }) => `--${name}`);
  const cases = [...groupByAction(valued)].map(([action, names]) => `        ${names.join('|')}) ${action}; return ;;`);
  return [
    `    ${singleQuote(words.join(' '))})`,
    ...(cases.length === 0 ? [] : [`      case "$prev" in`, ...cases, `      esac`]),
    `      flags=${quoteWords([...named, '--help'])}`,
    `      operands=${quoteWords(operands)} ;;`,
  ].join('\n');
}

/** The flags, as they are typed, by the bash commands that complete their values. */
function groupByAction(flags: readonly CompletedFlag[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const flag of flags) {
    const action = valueAction(flag);
    const names = flag.shorthand === undefined ? [`--${flag.name}`] : [`--${flag.name}`, `-${flag.shorthand}`];
    groups.set(action, [...(groups.get(action) ?? []), ...names]);
  }
  return groups;
}

/** The bash commands that complete the value of a flag; `:` when there is nothing to offer. */
function valueAction({ choices, completes }: CompletedFlag): string {
  if (choices.length > 0) return `COMPREPLY=($(compgen -W ${quoteWords(choices)} -- "$cur"))`;
  if (completes === undefined) return ':';
  const kind = completes === 'folders' ? '-d' : '-f';
  return `local IFS=$'\\n'; COMPREPLY=($(compgen ${kind} -- "$cur")); compopt -o filenames 2>/dev/null`;
}

const quoteWords = (words: readonly string[]): string => singleQuote(words.join(' '));
