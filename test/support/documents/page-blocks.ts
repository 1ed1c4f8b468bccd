/**
 * Reads the fenced blocks of a page and how each is run. The first word of a fence is its language, the rest its marker:
 *   sh                  the commands run one after the other and succeed
 *   sh until-stopped    the last command keeps running, and the blocks below use it
 *   sh fails            the command is refused; the block below shows its output
 *   sh not run: REASON  the commands are not run
 *   console             commands after `$ `, each followed by its output
 *   output              the output of the block above
 * Blocks in other languages have no commands. page-runner.ts runs the blocks.
 */

interface Common {
  /** `docs/guide/nodes.md:10`, for messages. */
  readonly location: string;
  readonly text: string;
}

export interface ConsoleCommand {
  readonly command: string;
  /** Empty when the page shows none. */
  readonly output: string;
}

export type PageBlock =
  | (Common & { readonly type: 'succeeds' | 'fails'; readonly output: string | undefined })
  | (Common & { readonly type: 'untilStopped' })
  | (Common & { readonly type: 'console'; readonly commands: readonly ConsoleCommand[] })
  | (Common & { readonly type: 'notRun'; readonly reason: string });

interface Fence extends Common {
  readonly language: string;
  readonly marker: string;
}

/** A fenced block: the rest of the first line, and the lines up to the closing fence. */
const FENCE = /^```([^\n]*)\n(.*?)^```$/gms;
const NOT_RUN = /^not run: (\S.*)$/;
/** The beginning of a command in a console. */
const PROMPT = /^\$ /m;
/** Languages of blocks without commands. */
const OTHER_LANGUAGES = new Set(['js', 'ts', 'json', 'yaml', 'promql']);

/** The blocks with commands of a page, in their order. Throws where a fence has no language or an unknown marker. */
export function readBlocks(file: string, page: string): readonly PageBlock[] {
  const fences = readFences(file, page);
  return fences.flatMap((fence, index) => blockOf(fence, fences[index - 1], fences[index + 1]));
}

const readFences = (file: string, page: string): readonly Fence[] =>
  [...page.matchAll(FENCE)].map(({ index, 1: info = '', 2: text = '' }) => {
    const [language = '', ...words] = info.trim().split(' ');
    return { language, marker: words.join(' '), text, location: `${file}:${page.slice(0, index).split('\n').length}` };
  });

function blockOf({ language, marker, location, text }: Fence, above: Fence | undefined, below: Fence | undefined): readonly PageBlock[] {
  const common = { location, text };
  const output = below?.language === 'output' ? below.text : undefined;
  const [, reason] = NOT_RUN.exec(marker) ?? [];
  switch (`${language} ${reason === undefined ? marker : 'not run'}`.trim()) {
    case 'sh':
      return [{ ...common, type: 'succeeds', output }];
    case 'sh fails':
      if (output === undefined) throw new Error(`${location}: the block below shows no output`);
      return [{ ...common, type: 'fails', output }];
    case 'sh until-stopped':
      return [{ ...common, type: 'untilStopped' }];
    case 'sh not run':
      return [{ ...common, type: 'notRun', reason: reason ?? '' }];
    case 'console':
      return [{ ...common, type: 'console', commands: readCommands(text) }];
    case 'output':
      if (above?.language !== 'sh') throw new Error(`${location}: the block above has no commands`);
      return [];
    default:
      if (OTHER_LANGUAGES.has(language) && marker === '') return [];
      throw new Error(`${location}: a block cannot begin with ${JSON.stringify(`${language} ${marker}`.trim())}`);
  }
}

const readCommands = (text: string): readonly ConsoleCommand[] =>
  text
    .split(PROMPT)
    .slice(1)
    .map((part) => {
      const [command = '', ...output] = part.split('\n');
      return { command, output: output.join('\n') };
    });
