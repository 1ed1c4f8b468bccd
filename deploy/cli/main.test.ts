import { cpSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { freePorts } from '../../test/support/ports';
import { ProgramProcess, removeFolder, temporaryFolder, waitUntil } from '../../test/support/programs';
import { repository } from '../../test/support/repository';
import { isAlive } from '../local/process-file';

/** Runs the compiled runner as a separate process, in a copy of dist/ with a fake API server. */
let folder: string;
let data: string;
let ports: number[];
const started: ProgramProcess[] = [];

beforeAll(() => {
  folder = temporaryFolder('main');
  for (const part of ['deploy', 'shared']) {
    cpSync(path.join(repository, 'dist', part), path.join(folder, 'dist', part), { recursive: true });
  }
  mkdirSync(path.join(folder, 'dist/apiserver'));
  symlinkSync(path.join(repository, 'node_modules'), path.join(folder, 'node_modules'));
  cpSync(path.join(repository, 'dist/test/support/servers/fake-apiserver.js'), path.join(folder, 'dist/apiserver/main.js'));
});
afterAll(() => removeFolder(folder));

beforeEach(async () => {
  data = temporaryFolder('data');
  ports = await freePorts(2);
});
afterEach(async () => {
  for (const program of started.splice(0)) if (program.isRunning) await program.stop();
  removeFolder(data);
});

function start(...flags: string[]): ProgramProcess {
  const args = [
    path.join(folder, 'dist/deploy/cli/main.js'),
    'start',
    `--data-dir=${data}`,
    `--secure-port=${ports[0]}`,
    `--insecure-port=${ports[1]}`,
  ];
  const program = new ProgramProcess(spawn(process.execPath, [...args, ...flags], { stdio: ['ignore', 'pipe', 'pipe'], cwd: folder }));
  started.push(program);
  return program;
}

async function ready(program: ProgramProcess): Promise<void> {
  await waitUntil('the runner to be ready', () => {
    if (!program.isRunning) throw new Error(program.output);
    return program.output.includes('The control plane is ready');
  });
}

function pidOf(name: string): number {
  return Number(readFileSync(path.join(data, 'run', `${name}.pid`), 'utf8'));
}

describe('npm start', () => {
  it('exits with 0 on SIGTERM and stops its child processes', async () => {
    const program = start();
    await ready(program);
    const child = pidOf('apiserver');
    expect(pidOf('supervisor')).toBe(program.pid);
    expect(await program.stop()).toBe(0);
    expect(isAlive(child)).toBe(false);
    expect(statSync(path.join(data, 'run/supervisor.pid'), { throwIfNoEntry: false })).toBeUndefined();
  });

  it('fails on a data folder in use and names the process that holds it', async () => {
    const first = start();
    await ready(first);
    const second = start();
    expect((await second.exited).code).toBe(78);
    expect(second.output).toContain(`${data} is in use by the running process ${first.pid}`);
    expect(first.isRunning).toBe(true);
    expect(pidOf('supervisor')).toBe(first.pid);
  });

  it('leaves no child process when it is killed, and starts again on the same folder', async () => {
    const first = start();
    await ready(first);
    const child = pidOf('apiserver');
    await first.kill();
    await waitUntil('the child to end', () => !isAlive(child));
    const second = start();
    await ready(second);
    expect(pidOf('apiserver')).not.toBe(child);
    expect(await second.stop()).toBe(0);
  });

  it('kills a child process that a killed runner left and that does not exit by itself', async () => {
    const first = start('--external-hostname=deaf');
    await ready(first);
    const child = pidOf('apiserver');
    // The child holds the same output pipes, so only `exit`, not `close`, signals the end of the runner.
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    const second = start();
    await ready(second);
    expect(second.output).toContain(`waiting for apiserver (process ${child}) of an earlier run to exit`);
    expect(isAlive(child)).toBe(false);
    expect(await second.stop()).toBe(0);
  });

  it('prints the error of an API server that rejects its flags, and exits with 64', async () => {
    const program = start('--external-hostname=refuse');
    expect((await program.exited).code).toBe(64);
    expect(program.output).toContain('invalid --external-hostname');
  });

  it.each([
    [['--replicas=3'], 64, /needs --etcd-servers/],
    [['--help'], 0, /--data-dir/],
  ])('with the flags %j exits with %d', async (flags, code, text) => {
    const program = start(...flags);
    expect((await program.exited).code).toBe(code);
    expect(program.output).toMatch(text);
  });
});
