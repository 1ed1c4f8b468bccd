/** `npm start` with the embedded store: its output, requests, killed processes, further starts and the end of npm. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PERMANENT_EXIT_CODE } from '../../shared/runtime/process/permanent-error';
import { runClient } from '../support/external/kubectl';
import { describeWithKubectlBinary } from '../support/external/kubectl-session';
import { freePorts } from '../support/ports';
import { isProcessAlive, ProgramProcess, READY_OUTPUT, removeFolder, waitUntil } from '../support/programs';
import { repository } from '../support/repository';
import {
  createLocation,
  pidOf,
  requestPlainHttp,
  start,
  startUntilReady,
  useControlPlane,
  useLocation,
  type PlainHttpRequest,
} from './local-control-plane';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';

// The tests are one session: the ConfigMap `hello` of the second one remains at each later restart.
describeWithKubectlBinary('npm start', (kubectl) => {
  const location = useLocation('npm-start');
  const controlPlane = useControlPlane(location);

  /** Runs kubectl as the administrator and returns its standard output; throws when it fails. */
  const kubectlOk = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runClient(kubectl, path.join(location().folder, 'admin.kubeconfig'), args);
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
    return stdout;
  };

  it('prints its addresses and three commands to try', () => {
    const { folder, securePort, insecurePort } = location();
    const { output } = controlPlane().supervisor;
    expect(output).toContain(`https://127.0.0.1:${securePort}`);
    expect(output).toContain(`http://127.0.0.1:${insecurePort}`);
    expect(output).toContain(path.join(folder, 'admin.kubeconfig'));
    expect(output.match(/^ {2}(kubectl|curl) .*$/gm)).toHaveLength(3);
    expect(output).toContain(`\n  curl http://127.0.0.1:${insecurePort}${CONFIGMAPS}\n`);
  });

  it('serves kubectl and curl as in the printed commands', async () => {
    expect(await kubectlOk('get', 'namespaces')).toMatch(/^NAME +STATUS +AGE\ndefault +Active/);
    expect(await kubectlOk('create', 'configmap', 'hello', '--from-literal=greeting=world')).toBe('configmap/hello created\n');
    const response = await requestPlainHttp(location(), { path: CONFIGMAPS, headers: { accept: '*/*', 'user-agent': 'curl/8' } });
    expect(response).toMatchObject({ status: 200, text: expect.stringContaining('"greeting": "world"') as unknown });
  });

  it('issues tokens with the rights of their service account', async () => {
    await waitUntil('the account to be created', async () => (await kubectlOk('get', 'serviceaccounts')).includes('default'));
    const token = (await kubectlOk('create', 'token', 'default')).trim();
    const server = [
      `--server=https://127.0.0.1:${location().securePort}`,
      `--certificate-authority=${path.join(location().folder, 'pki/ca.crt')}`,
    ];
    const empty = path.join(location().folder, 'empty.kubeconfig');
    writeFileSync(empty, '');
    const kubectlWithToken = (...args: string[]) => runClient(kubectl, empty, [...server, `--token=${token}`, ...args]);
    const whoami = await kubectlWithToken('auth', 'whoami');
    expect(whoami.stderr).toBe('');
    expect(whoami.stdout).toMatch(/^Username +system:serviceaccount:default:default$/m);
    expect((await kubectlWithToken('auth', 'can-i', 'get', 'pods')).stdout).toBe('no\n');
    expect((await kubectlWithToken('auth', 'can-i', '--list')).stdout).toMatch(
      /^selfsubjectreviews\.authentication\.k8s\.io +\[\] +\[\] +\[create\]$/m,
    );
    expect(await kubectlOk('auth', 'can-i', 'get', 'pods')).toBe('yes\n');
  });

  it('writes the process ids of its programs', () => {
    expect(pidOf(location(), 'supervisor')).toBe(controlPlane().supervisor.pid);
    expect(isProcessAlive(pidOf(location(), 'apiserver'))).toBe(true);
  });

  it('rejects a second start in the same folder with the process id of the first', async () => {
    const [securePort = 0, insecurePort = 0] = await freePorts(2);
    const second = start({ folder: location().folder, securePort, insecurePort });
    expect((await second.exited).code).toBe(PERMANENT_EXIT_CODE);
    expect(second.output).toContain(`${location().folder} is in use by the running process ${controlPlane().supervisor.pid}`);
    expect(await kubectlOk('get', '--raw', '/readyz')).toBe('ok');
  });

  describe('over plain HTTP', () => {
    const json = { 'content-type': 'application/json' };
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'plain' } });
    const create = { method: 'POST', path: CONFIGMAPS, headers: json, body };
    const statusOf = async (sent: PlainHttpRequest): Promise<number> => (await requestPlainHttp(location(), sent)).status;

    it.each(['127.0.0.1', 'localhost'])('accepts requests to %s', async (host) => {
      expect(await statusOf({ path: CONFIGMAPS, headers: { host: `${host}:${location().insecurePort}` } })).toBe(200);
    });

    it('rejects a write that a web page sends, without an effect', async () => {
      expect(await statusOf({ ...create, headers: { ...json, origin: 'https://evil.example.com' } })).toBe(403);
      expect(await statusOf({ path: `${CONFIGMAPS}/plain` })).toBe(404);
    });

    it('accepts a write without credentials as that of the administrator', async () => {
      expect(await statusOf(create)).toBe(201);
    });

    it('rejects invalid credentials', async () => {
      expect(await statusOf({ path: CONFIGMAPS, headers: { authorization: 'Bearer nonsense' } })).toBe(401);
    });
  });

  it('restarts a killed API server with its data, and prints that it was killed', async () => {
    const before = pidOf(location(), 'apiserver');
    const outputLength = controlPlane().supervisor.output.length;
    process.kill(before, 'SIGKILL');
    await waitUntil('the console to report it', () =>
      /apiserver .*(SIGKILL|killed|ended)/.test(controlPlane().supervisor.output.slice(outputLength)),
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
    controlPlane().supervisor.child.kill('SIGINT');
    expect(await controlPlane().supervisor.exited).toEqual({ code: 0, signal: null });
    expect(isProcessAlive(child)).toBe(false);
    expect(existsSync(path.join(location().folder, 'run', 'supervisor.pid'))).toBe(false);
    expect(existsSync(path.join(location().folder, 'run', 'apiserver.pid'))).toBe(false);
  }, 60_000);

  it('keeps data and certificates at a second start', async () => {
    const authority = readFileSync(path.join(location().folder, 'pki', 'ca.crt'), 'utf8');
    controlPlane().supervisor = await startUntilReady(location());
    expect(readFileSync(path.join(location().folder, 'pki', 'ca.crt'), 'utf8')).toBe(authority);
    expect(await kubectlOk('get', 'configmap', 'hello', '-o', 'jsonpath={.data.greeting}')).toBe('world');
  }, 60_000);

  it('stops its programs when it is killed, and releases the folder', async () => {
    const child = pidOf(location(), 'apiserver');
    await controlPlane().supervisor.kill();
    await waitUntil('the API server to exit', () => !isProcessAlive(child));
    controlPlane().supervisor = await startUntilReady(location());
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
