/** A checkout without installed packages and without a build: the help of `npm start` and of the other commands. */
import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import path from 'node:path';
import { PROGRAM } from '../../../deploy/cli/program';
import { commandHelp, programHelp } from '../../../shared/cli/command-table';
import { repository } from '../../support/repository';
import { useFolder } from '../../support/use-resource';

const checkout = useFolder('unbuilt');
beforeAll(() => {
  for (const part of ['package.json', 'package-lock.json', 'deploy/scripts', 'docs/reference']) {
    cpSync(path.join(repository, part), path.join(checkout, part), { recursive: true });
  }
});

function run(...args: string[]): string {
  const script = path.join(checkout, 'deploy/scripts/run.mjs');
  return execFileSync(process.execPath, [script, 'deploy/cli/main.js', ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

const helpOf = (name: string): string => {
  const row = PROGRAM.commands.find((candidate) => candidate.name === name);
  if (row === undefined) throw new Error(`there is no command ${name}`);
  return commandHelp(PROGRAM.name, row);
};

test.each([
  [['start', '--help'], 'start'],
  [['start', '--replicas=3', '-h'], 'start'],
  [['certificates', 'renew', '--help'], 'certificates renew'],
  [['help', 'backup'], 'backup'],
])('%j prints the help of the built program', (args, name) => {
  expect(run(...args)).toBe(helpOf(name));
});

test.each([[['--help']], [['help']]])('%j prints the help of all commands', (args) => {
  expect(run(...args)).toBe(programHelp(PROGRAM));
});
