import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { isObject, type JsonValue } from '../../../shared/values/json';
import { removeFolder, temporaryFolder } from '../../../test/support/programs';
import { repository } from '../../../test/support/repository';
import { useResource } from '../../../test/support/use-resource';
import { NODE_ARGUMENTS } from '../../cluster/node-arguments';

/** A program that prints how it runs, and exits with 3. */
const PROGRAM = `
const { argv, execArgv, pid, ppid } = process;
console.log(JSON.stringify({ operands: argv.slice(2), module: argv[1], execArgv, pid, ppid }));
process.exitCode = 3;`;
const folder = useResource(() => {
  const created = temporaryFolder('programs');
  writeFileSync(path.join(created, 'shown.js'), PROGRAM);
  return created;
}, removeFolder);

interface Run {
  readonly pid: number | undefined;
  readonly code: unknown;
  readonly shown: JsonValue;
}

/** Calls the compiled function in a Node with these arguments. */
function runIn(nodeArguments: readonly string[]): Promise<Run> {
  const script = `
require(${JSON.stringify(path.join(repository, 'dist/deploy/cli/commands/run-program.js'))})
  .runProgram('shown.js', ['--a=1', 'b'], { programs: ${JSON.stringify(folder())}, process })
  .then((code) => code === undefined || (process.exitCode = code));`;
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [...nodeArguments, '-e', script], (error, stdout) => {
      resolve({ pid: child.pid, code: error?.code, shown: JSON.parse(stdout) });
    });
  });
}

const ofProgram = ({ shown }: Run, member: string): JsonValue | undefined => (isObject(shown) ? shown[member] : undefined);

describe('runProgram', () => {
  it('runs the program in this process when Node has the arguments of programs', async () => {
    const run = await runIn(NODE_ARGUMENTS);
    expect(run).toMatchObject({ code: 3, shown: { pid: run.pid, operands: ['--a=1', 'b'], module: path.join(folder(), 'shown.js') } });
  });

  it.each([[[]], [NODE_ARGUMENTS.slice(1)]])('otherwise runs it in a child process with the arguments (%j)', async (nodeArguments) => {
    const run = await runIn(nodeArguments);
    expect(run).toMatchObject({ code: 3, shown: { ppid: run.pid, operands: ['--a=1', 'b'], execArgv: NODE_ARGUMENTS } });
    expect(ofProgram(run, 'pid')).not.toBe(run.pid);
  });
});
