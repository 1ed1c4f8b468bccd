/** Completion scripts of a small program: that of bash is run, the others are compared as texts. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { command, type CommandProgram } from '../command-table';
import { boolFlag, choiceFlag, compatibilityFlag, intFlag, stringFlag } from '../flags';
import { completionOf } from './completion';
import { completionScript, SHELLS } from './completion-script';

const section = 'Test';
const load = async () => async () => 0;
const dataDir = stringFlag({ section, help: "The user's folder; made when missing.", default: '', completes: 'folders' });
const output = choiceFlag({ section, help: 'Format: [a] or b.', default: 'table', values: ['table', 'json'], shorthand: 'o' });

const program: CommandProgram<unknown> = {
  name: 'platform',
  description: '',
  commands: [
    command({
      name: 'start',
      section,
      summary: 'Starts it',
      flags: {
        'data-dir': dataDir,
        detach: boolFlag({ section, help: 'In the background.', default: false }),
        old: compatibilityFlag([], 'No.'),
      },
      loadMoreFlags: async () => ({ 'secure-port': intFlag({ section, help: 'Port.', default: 1 }) }),
      load,
    }),
    command({
      name: 'logs',
      section,
      summary: 'Prints logs',
      flags: { file: stringFlag({ section, help: 'A file.', default: '', completes: 'files' }) },
      operands: { placeholder: '[PROGRAM]', choices: ['apiserver', 'controllers'], min: 0, max: 1 },
      load,
    }),
    command({ name: 'certificates list', section, summary: 'Lists them', flags: { output }, load }),
    command({ name: 'certificates renew', section, summary: 'Renews them', flags: { 'data-dir': dataDir }, load }),
  ],
};

/** The script of a shell; empty when there is none. */
async function script(shell: string): Promise<string> {
  return completionScript(shell, await completionOf(program)) ?? '';
}

/** The words that bash offers for the last of `words`. */
async function bashCompletes(folder: string, ...words: string[]): Promise<readonly string[]> {
  const quoted = words.map((word) => `'${word}'`).join(' ');
  const lines = `${await script('bash')}\nCOMP_WORDS=(platform ${quoted}); COMP_CWORD=${words.length}; _platform; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const printed = execFileSync('bash', ['--norc', '-c', lines], { encoding: 'utf8', cwd: folder });
  return printed
    .split('\n')
    .filter((line) => line !== '')
    .sort();
}

describe('the bash script', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'completion-'));
  beforeAll(() => {
    mkdirSync(path.join(folder, 'my data'));
    writeFileSync(path.join(folder, 'my file'), '');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    [[''], ['certificates', 'logs', 'start']],
    [['st'], ['start']],
    [
      ['certificates', ''],
      ['list', 'renew'],
    ],
    [
      ['start', '--'],
      ['--data-dir', '--detach', '--help', '--secure-port'],
    ],
    [['certificates', 'list', '--o'], ['--output']],
    [
      ['certificates', 'list', '--output', ''],
      ['json', 'table'],
    ],
    [['certificates', 'list', '-o', 'j'], ['json']],
    [
      ['certificates', 'list', '--output', '='],
      ['json', 'table'],
    ],
    [['certificates', 'list', '--output', '=', 'j'], ['json']],
    [['logs', 'a'], ['apiserver']],
    [['start', '--secure-port', ''], []],
    [['start', '--data-dir', 'my'], ['my data']],
    [
      ['logs', '--file', 'my'],
      ['my data', 'my file'],
    ],
    [['unknown', ''], []],
  ])('completes %j to %j', async (words, completed) => {
    expect(await bashCompletes(folder, ...words)).toEqual(completed);
  });
});

describe('completionScript', () => {
  it('exists for bash, zsh and fish only', async () => {
    expect(SHELLS).toEqual(['bash', 'zsh', 'fish']);
    expect(await script('tcsh')).toBe('');
  });

  it('describes commands and flags to zsh', async () => {
    const text = await script('zsh');
    expect(text).toMatch(/^#compdef platform\n/);
    expect(text).toContain("'start:Starts it'");
    expect(text).toContain(String.raw`'*--data-dir=[The user'\''s folder]:value:_files -/'`);
    expect(text).toContain(String.raw`'*--output=[Format\: \[a\] or b]:value:(table json)'`);
    expect(text).toContain("'*-o+[");
    expect(text).toContain("'*:argument:(apiserver controllers)'");
  });

  it('describes commands and flags to fish', async () => {
    const text = await script('fish');
    expect(text).toContain("complete -c platform -f -n __fish_use_subcommand -a start -d 'Starts it'\n");
    expect(text).toContain(
      "-n '__fish_seen_subcommand_from certificates; and __fish_seen_subcommand_from list' -l output -s o -x -a 'table json'",
    );
    expect(text).toContain(String.raw`-d 'The user\'s folder'`);
    expect(text).not.toContain('-l old');
  });
});
