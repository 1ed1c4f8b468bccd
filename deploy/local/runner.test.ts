import { EventEmitter } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { get, type RequestOptions } from 'node:https';
import { createServer } from 'node:net';
import path from 'node:path';
import { systemClock } from '../../shared/runtime/clock';
import { Lifecycle } from '../../shared/runtime/process/lifecycle';
import { silentLogger } from '../../shared/runtime/logger';
import { freePorts } from '../../test/support/ports';
import { waitUntil } from '../../test/support/programs';
import { repository } from '../../test/support/repository';
import { parseRunnerOptions } from '../../test/support/runner-options';
import { useFolder } from '../../test/support/use-resource';
import type { Publication } from '../cluster/cluster-info';
import type { RunnerOptions } from './options';
import { isAlive } from './process-file';
import { runLocal, StartError, type Host } from './runner';
import { startProgram } from './start-program';
import type { Exit, RunningProcess } from '../../shared/runtime/process/running-process';

const FAKE_SERVER = path.join(repository, 'dist/test/support/servers/fake-apiserver.js');
const parent = useFolder('runner');
const running: Lifecycle[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((lifecycle) => lifecycle.stop('test is over')));
});

interface FakeHost {
  readonly publishClusterInfo?: Host['publishClusterInfo'];
  readonly grantSimulationAccess?: Host['grantSimulationAccess'];
  readonly programs?: string;
  readonly run?: (program: string, args: readonly string[]) => RunningProcess;
  readonly container?: string;
}

const never = new Promise<void>(() => undefined);

/** A process that runs until it is killed, and reports what the test resolves. */
function fakeProcess({ listening = never, ready = never }: Partial<Pick<RunningProcess, 'listening' | 'ready'>> = {}): RunningProcess {
  let end: (exit: Exit) => void = () => undefined;
  const exited = new Promise<Exit>((resolve) => (end = resolve));
  return { pid: undefined, exited, listening, ready, kill: (signal) => end({ code: null, signal }) };
}

/** A process that exits at once. */
const exitingProcess = (code: number): RunningProcess => ({
  ...fakeProcess(),
  exited: Promise.resolve({ code, signal: null }),
});

/** A data folder, free ports, and the runner in this process, with the fake API server as its children. */
async function setUp() {
  const folder = mkdtempSync(path.join(parent, 'data-'));
  // The port between is for a second replica.
  const [securePort = 0, , insecurePort = 0] = await freePorts(3);
  const startWith = (host: FakeHost, ...flags: string[]) => {
    const options = parseRunnerOptions([
      `--data-dir=${folder}`,
      `--secure-port=${securePort}`,
      `--insecure-port=${insecurePort}`,
      ...flags,
    ]);
    return runWith(host, options);
  };
  const start = (...flags: string[]) => startWith({}, ...flags);
  const pidOf = (name: string): number => Number(readFileSync(path.join(folder, 'run', `${name}.pid`), 'utf8'));
  const exists = (file: string): boolean => existsSync(path.join(folder, file));
  return { folder, securePort, insecurePort, startWith, start, pidOf, exists };
}

/** A folder of programs in which the one of the controllers exists. */
function createControllersProgram(folder: string): string {
  const programs = path.join(folder, 'programs');
  mkdirSync(path.join(programs, 'controllers'), { recursive: true });
  writeFileSync(path.join(programs, 'controllers/main.js'), '');
  return programs;
}

function runWith(
  {
    publishClusterInfo = () => Promise.resolve(),
    grantSimulationAccess = () => Promise.resolve(),
    programs = '/nowhere',
    run,
    container,
  }: FakeHost,
  options: RunnerOptions,
) {
  const events = new EventEmitter();
  const exit = jest.fn<void, [number]>();
  const lifecycle = new Lifecycle({
    clock: systemClock,
    logger: silentLogger,
    process: { on: (event, listener) => events.on(event, listener), exit },
  });
  lifecycle.listenForSignals();
  running.push(lifecycle);
  const output: string[] = [];
  const started: string[] = [];
  const startFake = (program: string, args: readonly string[]): RunningProcess => {
    started.push(program);
    return startProgram(FAKE_SERVER, args);
  };
  const done = runLocal(options, {
    clock: systemClock,
    lifecycle,
    programs,
    start: run ?? startFake,
    publishClusterInfo,
    grantSimulationAccess,
    container,
    print: (line) => output.push(line),
  });
  return { done, lifecycle, events, exit, output, started };
}

/** The response of the API server to a GET with the administrator's kubeconfig in the data folder. */
async function getAsAdministrator(folder: string, port: number, url: string): Promise<unknown> {
  const text = readFileSync(path.join(folder, 'admin.kubeconfig'), 'utf8');
  const data = (key: string): Buffer => Buffer.from(new RegExp(`${key}-data: (.*)`).exec(text)?.[1] ?? '', 'base64');
  const options: RequestOptions = {
    ca: data('certificate-authority'),
    cert: data('client-certificate'),
    key: data('client-key'),
    agent: false,
  };
  return new Promise((resolve, reject) => {
    get(`https://localhost:${port}${url}`, options, (response) => {
      response.on('data', (chunk: Buffer) => resolve(JSON.parse(chunk.toString())));
    }).once('error', reject);
  });
}

describe('runLocal', () => {
  it('starts an API server that the kubeconfig can reach, and prints its addresses', async () => {
    const { folder, securePort, insecurePort, start, pidOf } = await setUp();
    const { done, output } = start('--naming=kubernetes');
    await done;
    expect(await getAsAdministrator(folder, securePort, '/api')).toMatchObject({
      user: { CN: 'platform-admin', O: 'system:masters' },
      args: expect.arrayContaining(['--naming=kubernetes', `--storage-dir=${folder}/store`]),
    });
    const text = output.join('\n');
    for (const part of [`https://127.0.0.1:${securePort}`, `http://127.0.0.1:${insecurePort}`, `${folder}/admin.kubeconfig`]) {
      expect(text).toContain(part);
    }
    expect(isAlive(pidOf('apiserver'))).toBe(true);
    expect(pidOf('supervisor')).toBe(process.pid);
    expect(statSync(path.join(folder, 'admin.kubeconfig')).mode & 0o777).toBe(0o600);
  });

  it('prints in a container how the host gets the kubeconfig, and not to use the path in the container', async () => {
    const { folder, startWith } = await setUp();
    const { done, output } = startWith({ container: '1a2b3c4d5e6f' });
    await done;
    const text = output.join('\n');
    expect(text).toContain(`Try on the host:

  docker exec 1a2b3c4d5e6f platform kubeconfig > admin.kubeconfig
  export KUBECONFIG=$PWD/admin.kubeconfig

  kubectl get namespaces
`);
    expect(text).toContain(`'docker stop 1a2b3c4d5e6f' ends it; the data stays in ${folder} of the container.`);
    expect(text).not.toContain(`export KUBECONFIG=${folder}`);
    expect(text).not.toContain('curl');
  });

  it('publishes cluster-info, and completes the start when this fails', async () => {
    const { folder, securePort, startWith } = await setUp();
    const published: unknown[] = [];
    const publish = (publication: Publication): Promise<void> => {
      published.push(publication);
      return Promise.reject(new Error('no room'));
    };
    const { done, output } = startWith({ publishClusterInfo: publish }, '--naming=kubernetes');
    await done;
    const authority = readFileSync(path.join(folder, 'pki/ca.crt'), 'utf8');
    expect(published).toMatchObject([{ server: `https://127.0.0.1:${securePort}`, authority, naming: 'kubernetes' }]);
    expect(output).toContain('the address of the cluster could not be published for joining nodes: no room');
    expect(output.join('\n')).toContain('The control plane is ready.');
  });

  it('publishes the endpoint for other machines and writes it to the kubeconfig of the administrator only', async () => {
    const { folder, securePort, startWith } = await setUp();
    const published: unknown[] = [];
    const publish = async (publication: Publication): Promise<void> => void published.push(publication);
    const { done } = startWith({ publishClusterInfo: publish }, '--control-plane-endpoint=cluster.example.com:7443');
    await done;
    const local = `https://127.0.0.1:${securePort}`;
    expect(published).toMatchObject([{ server: 'https://cluster.example.com:7443', reachableAt: local }]);
    expect(readFileSync(path.join(folder, 'admin.kubeconfig'), 'utf8')).toContain('server: https://cluster.example.com:7443\n');
    expect(readFileSync(path.join(folder, 'controllers.kubeconfig'), 'utf8')).toContain(`server: ${local}\n`);
  });

  it('starts the simulation of nodes with a kubeconfig of its own, after its access is granted', async () => {
    const { folder, securePort, startWith } = await setUp();
    const granted: unknown[] = [];
    const grantSimulationAccess: Host['grantSimulationAccess'] = async ({ server, naming }) =>
      void granted.push({ server, naming, programs: [...started] });
    const { done, started } = startWith({ grantSimulationAccess }, '--simulated-nodes=2');
    await done;
    expect(granted).toEqual([{ server: `https://127.0.0.1:${securePort}`, naming: 'platform', programs: ['/nowhere/apiserver/main.js'] }]);
    expect(started[1]).toBe('/nowhere/controllers/simulation/main.js');
    expect(statSync(path.join(folder, 'simulation.kubeconfig')).mode & 0o777).toBe(0o600);
  });

  it('completes the start without the simulation when its access cannot be granted', async () => {
    const { startWith } = await setUp();
    const grantSimulationAccess = (): Promise<void> => Promise.reject(new Error('no room'));
    const { done, output, started } = startWith({ grantSimulationAccess }, '--simulated-nodes=2');
    await done;
    expect(output).toContain('nodes cannot be simulated: no room');
    expect(started).toEqual(['/nowhere/apiserver/main.js']);
  });

  it('restarts a process that died, and reports it', async () => {
    const { folder, securePort, start, pidOf, exists } = await setUp();
    const { done, output } = start();
    await done;
    const before = pidOf('apiserver');
    process.kill(before, 'SIGKILL');
    await waitUntil('a new process', () => exists('run/apiserver.pid') && pidOf('apiserver') !== before);
    await waitUntil('a response', () => getAsAdministrator(folder, securePort, '/readyz').catch(() => undefined));
    expect(output.join('\n')).toContain('apiserver exited (signal SIGKILL); restarting it in 200ms');
  });

  it('stops its processes on a signal, and removes the process id files but not the certificates', async () => {
    const { start, pidOf, exists } = await setUp();
    const { done, events, lifecycle, exit, output } = start();
    await done;
    const pid = pidOf('apiserver');
    events.emit('SIGINT');
    await lifecycle.stop('join');
    expect(isAlive(pid)).toBe(false);
    expect(exit.mock.calls).toEqual([[0]]);
    expect(exists('run/apiserver.pid')).toBe(false);
    expect(exists('run/supervisor.pid')).toBe(false);
    expect(exists('pki/ca.crt')).toBe(true);
    expect(output.at(-1)).toBe('stopping ...');
  });

  it('creates no new files on a second start', async () => {
    const { folder, start } = await setUp();
    const first = start();
    await first.done;
    await first.lifecycle.stop('test');
    const before = readFileSync(path.join(folder, 'admin.kubeconfig'), 'utf8');
    const second = start();
    await second.done;
    expect(second.output.join('\n')).not.toContain('created');
    expect(readFileSync(path.join(folder, 'admin.kubeconfig'), 'utf8')).toBe(before);
  });

  it('exits with 64 when an API server rejects its flags', async () => {
    const { start } = await setUp();
    const { done, lifecycle, exit } = start('--external-hostname=refuse');
    await done;
    await lifecycle.stop('join');
    expect(exit.mock.calls).toEqual([[64]]);
  });

  it('ends with the exit code of a program that cannot start, and starts it once', async () => {
    const { startWith } = await setUp();
    const run = jest.fn(() => exitingProcess(78));
    const { done, lifecycle, exit, output } = startWith({ run });
    await done;
    await lifecycle.stop('join');
    expect(exit.mock.calls).toEqual([[78]]);
    expect(run).toHaveBeenCalledTimes(1);
    expect(output.join('\n')).not.toMatch(/restarting it|is ready/);
  });

  it('is ready only when the controllers are ready too', async () => {
    const { folder, startWith } = await setUp();
    const programs = createControllersProgram(folder);
    let markReady: (() => void) | undefined;
    const run = (program: string, args: readonly string[]): RunningProcess =>
      program.includes('controllers')
        ? fakeProcess({ ready: new Promise((resolve) => (markReady = resolve)) })
        : startProgram(FAKE_SERVER, args);
    const { done, output } = startWith({ programs, run });
    const isReady = (): boolean => output.join('\n').includes('The control plane is ready.');
    const ready = await waitUntil('the controllers to start', () => markReady);
    await systemClock.sleep(0);
    expect(isReady()).toBe(false);
    ready();
    await done;
    expect(isReady()).toBe(true);
  });

  it('starts the controllers when all API servers listen, and is ready only when those are ready', async () => {
    const { folder, startWith } = await setUp();
    const programs = createControllersProgram(folder);
    const started: string[] = [];
    const markListening: (() => void)[] = [];
    const run = (program: string): RunningProcess => {
      started.push(path.relative(programs, program));
      if (program.includes('controllers')) return fakeProcess({ ready: Promise.resolve() });
      return fakeProcess({ listening: new Promise((resolve) => markListening.push(resolve)) });
    };
    const { output, lifecycle, done } = startWith({ programs, run }, '--replicas=2', '--etcd-servers=http://127.0.0.1:1');
    const [first, second] = await waitUntil('the API servers to start', () => (markListening.length === 2 ? markListening : undefined));
    first?.();
    await systemClock.sleep(0);
    expect(started).toEqual(['apiserver/main.js', 'apiserver/main.js']);
    second?.();
    await waitUntil('the controllers to start', () => started.length === 3);
    await systemClock.sleep(0);
    expect(started[2]).toBe('controllers/main.js');
    expect(output.join('\n')).not.toContain('is ready');
    await lifecycle.stop('test is over');
    await done;
  });

  it('starts no controllers when it is stopped before the API servers listen', async () => {
    const { folder, startWith } = await setUp();
    const run = jest.fn(() => fakeProcess());
    const { lifecycle, done } = startWith({ programs: createControllersProgram(folder), run });
    await waitUntil('the API server to start', () => run.mock.calls.length === 1);
    await lifecycle.stop('test is over');
    await done;
    expect(run).toHaveBeenCalledTimes(1);
  });

  it('starts replicas on consecutive ports', async () => {
    const { folder, securePort, start, pidOf } = await setUp();
    const { done, output } = start('--replicas=2', '--etcd-servers=http://127.0.0.1:1', '--insecure-port=0');
    await done;
    expect(await getAsAdministrator(folder, securePort + 1, '/')).toMatchObject({
      args: expect.arrayContaining(['--etcd-servers=http://127.0.0.1:1']),
    });
    expect(new Set([pidOf('apiserver-0'), pidOf('apiserver-1')]).size).toBe(2);
    expect(output.join('\n')).toContain(`https://127.0.0.1:${securePort + 1}`);
    expect(output.join('\n')).not.toContain('http://127');
    expect(output.join('\n')).toContain('--insecure-port=8080 opens a port');
  });

  it('rejects a port in use with an error that names it', async () => {
    const { insecurePort, start } = await setUp();
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(insecurePort, '127.0.0.1', resolve));
    try {
      await expect(start().done).rejects.toThrow(
        `port ${insecurePort} is in use by another program; choose another one with --insecure-port`,
      );
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });

  it('rejects a data folder below a regular file', async () => {
    const { folder, start } = await setUp();
    writeFileSync(path.join(folder, 'file'), '');
    await expect(start(`--data-dir=${folder}/file`).done).rejects.toThrow(StartError);
  });
});
