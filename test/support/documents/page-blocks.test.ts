/** How the code blocks of a page are parsed, on pages of a few lines. */
import { readBlocks } from './page-blocks';

const fenced = (info: string, text = 'true\n'): string => `\`\`\`${info}\n${text}\`\`\`\n`;

describe('readBlocks', () => {
  it.each([
    ['sh', { type: 'succeeds', output: undefined }],
    ['sh until-stopped', { type: 'untilStopped' }],
    ['sh not run: needs Docker', { type: 'notRun', reason: 'needs Docker' }],
  ])('reads the marker %j with the line of the block', (info, block) => {
    expect(readBlocks('page.md', `# Page\n\n${fenced(info)}`)).toEqual([{ location: 'page.md:3', text: 'true\n', ...block }]);
  });

  it('gives a block the output that the block below shows', () => {
    const page = `${fenced('sh fails', 'false\n')}\nIt is refused:\n\n${fenced('output', 'no\n')}`;
    expect(readBlocks('page.md', page)).toEqual([{ location: 'page.md:1', type: 'fails', text: 'false\n', output: 'no\n' }]);
  });

  it('separates the commands of a console from their output', () => {
    const [block] = readBlocks('page.md', fenced('console', '$ echo a\na\n\nb\n$ true\n'));
    expect(block).toMatchObject({
      type: 'console',
      commands: [
        { command: 'echo a', output: 'a\n\nb\n' },
        { command: 'true', output: '' },
      ],
    });
  });

  it('ignores blocks in languages without commands', () => {
    expect(readBlocks('page.md', fenced('ts') + fenced('yaml'))).toEqual([]);
  });

  it.each([
    ['no language', fenced(''), 'page.md:1: a block cannot begin with ""'],
    ['an unknown marker', fenced('sh maybe'), 'page.md:1: a block cannot begin with "sh maybe"'],
    ['no reason', fenced('sh not run:'), 'page.md:1: a block cannot begin with "sh not run:"'],
    ['a failure without output', fenced('sh fails'), 'page.md:1: the block below shows no output'],
    ['output without commands', fenced('output'), 'page.md:1: the block above has no commands'],
  ])('rejects a page with %s', (_, page, message) => {
    expect(() => readBlocks('page.md', page)).toThrow(message);
  });
});
