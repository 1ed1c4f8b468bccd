/**
 * `npm start` (the compiled local runner): first and second start, requests, killed processes, shutdown, invalid flags,
 * replicas.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PERMANENT_EXIT_CODE } from '../../shared/runtime/process/permanent-error';
import { USAGE_EXIT_CODE } from '../../shared/cli/flags';
import { runClient } from '../support/external/kubectl';
import { describeWithKubectlBinary } from '../support/external/kubectl-session';
import { describeWithEtcd, startEtcd } from '../support/external/etcd';
import { sendOnce, type TextResponse } from '../support/http/send-once';
import { freePorts } from '../support/ports';
import {
  isProcessAlive,
  ProgramProcess,
  READY_OUTPUT,
  removeFolder,
  startPlatform,
  startProgram,
  temporaryFolder,
  waitUntil,
} from '../support/programs';
import { repository } from '../support/repository';
import { useResource } from '../support/use-resource';

interface DataLocation {
  readonly folder: string;
  readonly securePort: number;
  readonly insecurePort: number;
}

/** Folder and ports of a control plane. Each port is followed by free ports for the other replicas. */
async function createLocation(name: string, replicas = 1): Promise<DataLocation> {
  const ports = await freePorts(2 * replicas);
  return { folder: temporaryFolder(name), securePort: ports[0] ?? 0, insecurePort: ports[replicas] ?? 0 };
}

const useLocation = (name: string, replicas?: number): (() => DataLocation) =>
  useResource(
    () => createLocation(name, replicas),
    ({ folder }) => removeFolder(folder),
  );

/** A running control plane. Tests that end its process assign a new one to `local`. */
const useControlPlane = (location: () => DataLocation, flags: () => string[] = () => []): (() => { local: ProgramProcess }) =>
  useResource(
    async () => ({ local: await startUntilReady(location(), ...flags()) }),
    ({ local }) => local.stop(),
    60_000,
  );

const flagsOf = ({ folder, securePort, insecurePort }: DataLocation): readonly string[] => [
  `--data-dir=${folder}`,
  `--secure-port=${securePort}`,
  `--insecure-port=${insecurePort}`,
];

const start = (location: DataLocation, ...more: string[]): ProgramProcess =>
  startProgram('deploy/cli/main.js', ['start', ...flagsOf(location), ...more]);

const startUntilReady = (location: DataLocation, ...more: string[]): Promise<ProgramProcess> =>
  startPlatform([...flagsOf(location), ...more]);

const pidOf = ({ folder }: DataLocation, name: string): number => Number(readFileSync(path.join(folder, 'run', `${name}.pid`), 'utf8'));

interface PlainHttpRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

const requestPlainHttp = (
  { insecurePort }: Pick<DataLocation, 'insecurePort'>,
  { body, ...options }: PlainHttpRequest,
): Promise<TextResponse> => sendOnce({ protocol: 'http:', port: insecurePort, ...options }, body);

// The tests continue one another: the ConfigMap `hello` of the second one remains at each later restart.
describeWithKubectlBinary('npm start', (kubectl) => {
  const location = useLocation('npm-start');
  const controlPlane = useControlPlane(location);

  const kubectlOk = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runClient(kubectl, path.join(location().folder, 'admin.kubeconfig'), args);
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
    return stdout;
  };

  it('prints its addresses and three commands to try', () => {
    const { folder, securePort, insecurePort } = location();
    expect(controlPlane().local.output).toContain(`https://127.0.0.1:${securePort}`);
    expect(controlPlane().local.output).toContain(`http://127.0.0.1:${insecurePort}`);
    expect(controlPlane().local.output).toContain(path.join(folder, 'admin.kubeconfig'));
    expect(controlPlane().local.output.match(/^ {2}(kubectl|curl) .*$/gm)).toHaveLength(3);
  });

  it('prints a curl command with its own address, and serves requests like those of the printed commands', async () => {
    const [, , curlCommand] = controlPlane().local.output.match(/^ {2}(kubectl|curl) .*$/gm) ?? [];
    expect(await kubectlOk('get', 'namespaces')).toMatch(/^NAME +STATUS +AGE\ndefault +Active/);
    expect(await kubectlOk('create', 'configmap', 'hello', '--from-literal=greeting=world')).toBe('configmap/hello created\n');
    const list = '/api/v1/namespaces/default/configmaps';
    expect(curlCommand).toBe(`  curl http://127.0.0.1:${location().insecurePort}${list}`);
    const headers = { accept: '*/*', 'user-agent': 'curl/8' };
    const response = await requestPlainHttp(location(), { path: list, headers });
    expect(response.status).toBe(200);
    expect(response.text).toContain('"greeting": "world"');
  });

  it('issues tokens that authenticate their account', async () => {
    await waitUntil('the account to be created', async () => (await kubectlOk('get', 'serviceaccounts')).includes('default'));
    const token = (await kubectlOk('create', 'token', 'default')).trim();
    const server = [
      `--server=https://127.0.0.1:${location().securePort}`,
      `--certificate-authority=${path.join(location().folder, 'pki/ca.crt')}`,
    ];
    const empty = path.join(location().folder, 'empty.kubeconfig');
    writeFileSync(empty, '');
    const kubectlWithToken = (...args: string[]) => runClient(kubectl, empty, [...server, `--token=${token}`, ...args]);
    expect(await kubectlWithToken('auth', 'whoami')).toMatchObject({
      stdout: expect.stringMatching(/^Username +system:serviceaccount:default:default$/m) as unknown,
      stderr: '',
    });
    expect((await kubectlWithToken('auth', 'can-i', 'get', 'pods')).stdout).toBe('no\n');
    expect((await kubectlWithToken('auth', 'can-i', '--list')).stdout).toMatch(
      /^selfsubjectreviews\.authentication\.k8s\.io +\[\] +\[\] +\[create\]$/m,
    );
    expect(await kubectlOk('auth', 'can-i', 'get', 'pods')).toBe('yes\n');
  });

  it('writes the process ids of its programs', () => {
    expect(pidOf(location(), 'supervisor')).toBe(controlPlane().local.pid);
    expect(isProcessAlive(pidOf(location(), 'apiserver'))).toBe(true);
  });

  it('rejects a second start in the same folder with the process id of the first', async () => {
    const [securePort = 0, insecurePort = 0] = await freePorts(2);
    const second = start({ folder: location().folder, securePort, insecurePort });
    expect((await second.exited).code).toBe(PERMANENT_EXIT_CODE);
    expect(second.output).toContain(`${location().folder} is in use by the running process ${controlPlane().local.pid}`);
    expect(await kubectlOk('get', '--raw', '/readyz')).toBe('ok');
  });

  it('accepts requests of this machine over plain HTTP as those of the administrator, but not those of web pages', async () => {
    const list = '/api/v1/namespaces/default/configmaps';
    const json = { 'content-type': 'application/json' };
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'plain' } });
    const create = { method: 'POST', path: list, headers: json, body };
    const statusOf = async (sent: PlainHttpRequest): Promise<number> => (await requestPlainHttp(location(), sent)).status;
    for (const host of ['127.0.0.1', 'localhost'])
      expect(await statusOf({ path: list, headers: { host: `${host}:${location().insecurePort}` } })).toBe(200);
    expect(await statusOf({ ...create, headers: { ...json, origin: 'https://evil.example.com' } })).toBe(403);
    expect(await statusOf({ path: `${list}/plain` })).toBe(404);
    expect(await statusOf(create)).toBe(201);
    expect(await statusOf({ path: list, headers: { authorization: 'Bearer nonsense' } })).toBe(401);
  });

  it('restarts a killed API server, prints so, and keeps the data', async () => {
    const before = pidOf(location(), 'apiserver');
    const outputLength = controlPlane().local.output.length;
    process.kill(before, 'SIGKILL');
    await waitUntil('the console to report it', () =>
      /apiserver .*(SIGKILL|killed|ended)/.test(controlPlane().local.output.slice(outputLength)),
    );
    await waitUntil('the API server to be back', async () => {
      const response = await requestPlainHttp(location(), { path: '/readyz' }).catch(() => undefined);
      return response?.status === 200;
    });
    expect(pidOf(location(), 'apiserver')).not.toBe(before);
    expect(await kubectlOk('get', 'configmap', 'hello', '-o', 'jsonpath={.data.greeting}')).toBe('world');
  });

  it('stops its programs on Ctrl-C', async () => {
    const child = pidOf(location(), 'apiserver');
    controlPlane().local.child.kill('SIGINT');
    expect(await controlPlane().local.exited).toEqual({ code: 0, signal: null });
    expect(isProcessAlive(child)).toBe(false);
    expect(existsSync(path.join(location().folder, 'run', 'supervisor.pid'))).toBe(false);
    expect(existsSync(path.join(location().folder, 'run', 'apiserver.pid'))).toBe(false);
  }, 60_000);

  it('keeps data and certificates at a second start', async () => {
    const authority = readFileSync(path.join(location().folder, 'pki', 'ca.crt'), 'utf8');
    controlPlane().local = await startUntilReady(location());
    expect(readFileSync(path.join(location().folder, 'pki', 'ca.crt'), 'utf8')).toBe(authority);
    expect(await kubectlOk('get', 'configmap', 'hello', '-o', 'jsonpath={.data.greeting}')).toBe('world');
  }, 60_000);

  it('stops its programs when it is killed, and releases the folder', async () => {
    const child = pidOf(location(), 'apiserver');
    await controlPlane().local.kill();
    await waitUntil('the API server to exit', () => !isProcessAlive(child));
    controlPlane().local = await startUntilReady(location());
    expect(await kubectlOk('get', 'configmap', 'hello', '-o', 'name')).toBe('configmap/hello\n');
  }, 60_000);
});

describe('npm start when npm itself ends', () => {
  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'stops the control plane and releases the data folder after npm received %s',
    async (signal) => {
      const location = await createLocation('npm-start-parent');
      const { folder, securePort } = location;
      // npm forwards SIGTERM to the control plane, its child. It cannot forward SIGKILL: the control plane then detects
      // that its parent has ended (deploy/scripts/run.mjs).
      const args = ['start', '--', `--data-dir=${folder}`, `--secure-port=${securePort}`, '--insecure-port=0'];
      const npm = new ProgramProcess(spawn('npm', args, { cwd: repository, stdio: ['ignore', 'pipe', 'pipe'] }));
      try {
        await waitUntil('the control plane to be ready', () => npm.output.includes(READY_OUTPUT), 120_000);
        const pids = ['supervisor', 'apiserver', 'controllers'].map((name) => pidOf(location, name));
        expect(pids.every(isProcessAlive)).toBe(true);
        npm.child.kill(signal);
        await waitUntil('all processes to exit', () => !pids.some(isProcessAlive), 40_000);
        expect(existsSync(path.join(folder, 'run', 'supervisor.pid'))).toBe(false);
      } finally {
        npm.child.kill('SIGKILL');
        removeFolder(folder);
      }
    },
    200_000,
  );
});

describe('npm start with wrong flags', () => {
  it.each<[string, string[], RegExp]>([
    ['an unknown flag', ['--no-such-flag=1'], /no-such-flag/],
    ['a bad port', ['--secure-port=99999'], /secure-port/],
    ['several replicas without etcd', ['--replicas=3'], /etcd-servers/],
    ['a stray word', ['banana'], /banana/],
  ])('exits at once with %s', async (_, flags, message) => {
    const location = await createLocation('npm-start-flags');
    const refused = start(location, ...flags);
    expect((await refused.exited).code).toBe(USAGE_EXIT_CODE);
    expect(refused.output).toMatch(message);
    removeFolder(location.folder);
  });
});

describe('npm start with a permanent error', () => {
  const location = useLocation('npm-start-errors');
  afterEach(() => removeFolder(path.join(location().folder, 'store')));
  const damageStore = (): void => {
    mkdirSync(path.join(location().folder, 'store'));
    writeFileSync(path.join(location().folder, 'store/data.mdb'), 'damaged '.repeat(1_000));
  };

  interface PermanentError {
    readonly error: string;
    readonly flags?: readonly string[];
    readonly code: number;
    readonly sentence: RegExp;
    prepare?(): void;
  }

  it.each<PermanentError>([
    {
      error: 'a missing file',
      flags: ['--audit-policy-file=/none.yaml'],
      code: PERMANENT_EXIT_CODE,
      sentence: /^apiserver: --audit-policy-file=\/none.yaml: the file does not exist$/m,
    },
    {
      error: 'a damaged store',
      code: PERMANENT_EXIT_CODE,
      sentence: /^apiserver: --storage-dir=\S+: \S+\/data\.mdb is not a file of an embedded store, .*restore a backup$/m,
      prepare: damageStore,
    },
    {
      error: 'an unknown controller',
      flags: ['--controllers=*,nope'],
      code: USAGE_EXIT_CODE,
      sentence: /^controllers: --controllers: there is no controller "nope"$/m,
    },
    {
      error: 'a flag that the API server refuses',
      flags: ['--audit-log-maxage=x'],
      code: USAGE_EXIT_CODE,
      sentence: /^apiserver: .*audit-log-maxage/m,
    },
  ])(
    'ends once with one sentence for $error',
    async ({ flags = [], code, sentence, prepare }) => {
      prepare?.();
      const refused = start(location(), ...flags);
      expect((await refused.exited).code).toBe(code);
      expect(refused.output).toMatch(sentence);
      expect(refused.output).not.toMatch(/starting it again|is ready|\n +at /);
    },
    60_000,
  );
});

describeWithEtcd('npm start with etcd and three replicas', () => {
  const etcd = useResource(startEtcd, (server) => server.dispose());
  const location = useLocation('npm-start-replicas', 3);
  const controlPlane = useControlPlane(location, () => [`--etcd-servers=${etcd().endpoint}`, '--replicas=3']);

  it('serves the same objects on three consecutive ports, as three processes', async () => {
    const ports = [0, 1, 2].map((index) => location().insecurePort + index);
    const list = '/api/v1/namespaces/default/configmaps';
    const created = await requestPlainHttp(location(), {
      method: 'POST',
      path: list,
      headers: { 'content-type': 'application/json' },
      body: '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"shared"}}',
    });
    expect(created.status).toBe(201);
    for (const insecurePort of ports) expect((await requestPlainHttp({ insecurePort }, { path: `${list}/shared` })).status).toBe(200);
    const pids = [0, 1, 2].map((index) => pidOf(location(), `apiserver-${index}`));
    expect(new Set(pids).size).toBe(3);
    expect(pids.every(isProcessAlive)).toBe(true);
    for (const index of [0, 1, 2]) expect(controlPlane().local.output).toContain(`https://127.0.0.1:${location().securePort + index}`);
  });

  it('restarts a killed replica while the others keep running', async () => {
    const before = pidOf(location(), 'apiserver-1');
    process.kill(before, 'SIGKILL');
    expect((await requestPlainHttp(location(), { path: '/readyz' })).status).toBe(200);
    await waitUntil('the second replica to be back', async () => {
      const second = { insecurePort: location().insecurePort + 1 };
      const response = await requestPlainHttp(second, { path: '/readyz' }).catch(() => undefined);
      return response?.status === 200 && pidOf(location(), 'apiserver-1') !== before;
    });
  });
});
