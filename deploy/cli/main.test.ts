import { cpSync, mkdirSync, mkdtempSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { freePorts } from '../../test/support/ports';
import { ProgramProcess, removeFolder, temporaryFolder, waitUntil } from '../../test/support/programs';
import { repository } from '../../test/support/repository';
import { useFolder, useResource } from '../../test/support/use-resource';
import { isAlive } from '../local/process-file';

/** A copy of dist/ with a fake API server. */
const copy = useResource(copyPrograms, removeFolder);
const parent = useFolder('data');
const started: ProgramProcess[] = [];

afterEach(async () => {
  for (const program of started.splice(0)) if (program.isRunning) await program.stop();
});

function copyPrograms(): string {
  const folder = temporaryFolder('main');
  for (const part of ['deploy', 'shared']) {
    cpSync(path.join(repository, 'dist', part), path.join(folder, 'dist', part), { recursive: true });
  }
  mkdirSync(path.join(folder, 'dist/apiserver'));
  symlinkSync(path.join(repository, 'node_modules'), path.join(folder, 'node_modules'));
  cpSync(path.join(repository, 'dist/test/support/servers/fake-apiserver.js'), path.join(folder, 'dist/apiserver/main.js'));
  return folder;
}

/** A data folder, and the compiled runner as a separate process. */
async function setUp() {
  const data = mkdtempSync(path.join(parent, 'data-'));
  const [securePort, insecurePort] = await freePorts(2);
  const start = (...flags: string[]): ProgramProcess => {
    const main = path.join(copy(), 'dist/deploy/cli/main.js');
    const args = [main, 'start', `--data-dir=${data}`, `--secure-port=${securePort}`, `--insecure-port=${insecurePort}`, ...flags];
    const program = new ProgramProcess(spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], cwd: copy() }));
    started.push(program);
    return program;
  };
  const pidOf = (name: string): number => Number(readFileSync(path.join(data, 'run', `${name}.pid`), 'utf8'));
  return { data, start, pidOf };
}

async function ready(program: ProgramProcess): Promise<void> {
  await waitUntil('the runner to be ready', () => {
    if (!program.isRunning) throw new Error(program.output);
    return program.output.includes('The control plane is ready');
  });
}

describe('npm start', () => {
  it('exits with 0 on SIGTERM and stops its child processes', async () => {
    const { data, start, pidOf } = await setUp();
    const program = start();
    await ready(program);
    const child = pidOf('apiserver');
    expect(pidOf('supervisor')).toBe(program.pid);
    expect(await program.stop()).toBe(0);
    expect(isAlive(child)).toBe(false);
    expect(statSync(path.join(data, 'run/supervisor.pid'), { throwIfNoEntry: false })).toBeUndefined();
  });

  it('fails on a data folder in use and names the process that holds it', async () => {
    const { data, start, pidOf } = await setUp();
    const first = start();
    await ready(first);
    const second = start();
    expect((await second.exited).code).toBe(78);
    expect(second.output).toContain(`${data} is in use by the running process ${first.pid}`);
    expect(first.isRunning).toBe(true);
    expect(pidOf('supervisor')).toBe(first.pid);
  });

  it('leaves no child process when it is killed, and starts again on the same folder', async () => {
    const { start, pidOf } = await setUp();
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
    const { start, pidOf } = await setUp();
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
    const { start } = await setUp();
    const program = start('--external-hostname=refuse');
    expect((await program.exited).code).toBe(64);
    expect(program.output).toContain('invalid --external-hostname');
  });

  it('exits with 64 when its flags contradict each other', async () => {
    const { start } = await setUp();
    const program = start('--replicas=3');
    expect((await program.exited).code).toBe(64);
    expect(program.output).toMatch(/needs --etcd-servers/);
  });

  it('prints its flags with --help', async () => {
    const { start } = await setUp();
    const program = start('--help');
    expect((await program.exited).code).toBe(0);
    expect(program.output).toMatch(/--data-dir/);
  });
});
