/** `npm start` (the compiled local runner): the first start, requests, a second start, killed processes, the end. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { request, type IncomingHttpHeaders } from 'node:http';
import path from 'node:path';
import { packagedProgram, runClient } from '../support/kubectl';
import { describeWithEtcd, startEtcd } from '../support/etcd';
import { freePorts } from '../support/ports';
import { ProgramProcess, removeFolder, startProgram, temporaryFolder, waitUntil } from '../support/programs';
import { repository } from '../support/repository';
import { useResource } from '../support/use-resource';

const runner = 'deploy/local/main.js';
const kubectl = packagedProgram('kubectl') ?? '';

interface Place {
  readonly folder: string;
  readonly securePort: number;
  readonly insecurePort: number;
}

/** Each of the ports is followed by free ones for other replicas. */
async function place(name: string, replicas = 1): Promise<Place> {
  const ports = await freePorts(2 * replicas);
  return { folder: temporaryFolder(name), securePort: ports[0] ?? 0, insecurePort: ports[replicas] ?? 0 };
}

const usePlace = (name: string, replicas?: number): (() => Place) =>
  useResource(
    () => place(name, replicas),
    ({ folder }) => removeFolder(folder),
  );

/** The control plane in a place; tests that end its process put another one there. */
const useRun = (where: () => Place, flags: () => string[] = () => []): (() => { local: ProgramProcess }) =>
  useResource(
    async () => ({ local: await started(where(), ...flags()) }),
    ({ local }) => local.stop(),
    60_000,
  );

function start({ folder, securePort, insecurePort }: Place, ...more: string[]): ProgramProcess {
  return startProgram(runner, [`--data-dir=${folder}`, `--secure-port=${securePort}`, `--insecure-port=${insecurePort}`, ...more]);
}

async function started(where: Place, ...more: string[]): Promise<ProgramProcess> {
  const process = start(where, ...more);
  await waitUntil('the control plane to be ready', () => {
    if (!process.running) throw new Error(`it ended:\n${process.output}`);
    return process.output.includes('Ctrl-C ends it');
  });
  return process;
}

const pidOf = ({ folder }: Place, name: string): number => Number(readFileSync(path.join(folder, 'run', `${name}.pid`), 'utf8'));

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function kubectlOk({ folder }: Place, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runClient(kubectl, path.join(folder, 'admin.kubeconfig'), args);
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
  return stdout;
}

interface PlainAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

function plain(
  { insecurePort }: Place,
  method: string,
  target: string,
  headers: Record<string, string>,
  body?: string,
): Promise<PlainAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port: insecurePort, method, path: target, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => void (text += chunk));
      response.once('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

describe('npm start', () => {
  const where = usePlace('npm-start');
  const run = useRun(where);

  it('prints its addresses and three commands to try', () => {
    const { folder, securePort, insecurePort } = where();
    expect(run().local.output).toContain(`https://127.0.0.1:${securePort}`);
    expect(run().local.output).toContain(`http://127.0.0.1:${insecurePort}`);
    expect(run().local.output).toContain(path.join(folder, 'admin.kubeconfig'));
    expect(run().local.output.match(/^ {2}(kubectl|curl) .*$/gm)).toHaveLength(3);
  });

  it('serves the commands that it printed', async () => {
    const [, , reach] = run().local.output.match(/^ {2}(kubectl|curl) .*$/gm) ?? [];
    expect(await kubectlOk(where(), 'get', 'namespaces')).toMatch(/^NAME +STATUS +AGE\ndefault +Active/);
    expect(await kubectlOk(where(), 'create', 'configmap', 'hello', '--from-literal=greeting=world')).toBe('configmap/hello created\n');
    expect(reach).toContain(`curl http://127.0.0.1:${where().insecurePort}/api/v1/namespaces/default/configmaps`);
    const answer = await plain(where(), 'GET', '/api/v1/namespaces/default/configmaps', { accept: '*/*', 'user-agent': 'curl/8' });
    expect(answer.status).toBe(200);
    expect(answer.body).toContain('"greeting": "world"');
  });

  it('issues tokens that authenticate their account', async () => {
    await waitUntil('the account to be there', async () => (await kubectlOk(where(), 'get', 'serviceaccounts')).includes('default'));
    const token = (await kubectlOk(where(), 'create', 'token', 'default')).trim();
    const server = [
      `--server=https://127.0.0.1:${where().securePort}`,
      `--certificate-authority=${path.join(where().folder, 'pki/ca.crt')}`,
    ];
    const empty = path.join(where().folder, 'empty.kubeconfig');
    writeFileSync(empty, '');
    const bearer = (...args: string[]) => runClient(kubectl, empty, [...server, `--token=${token}`, ...args]);
    expect(await bearer('auth', 'whoami')).toMatchObject({
      stdout: expect.stringMatching(/^Username +system:serviceaccount:default:default$/m) as unknown,
      stderr: '',
    });
    expect((await bearer('auth', 'can-i', 'get', 'pods')).stdout).toBe('no\n');
    expect((await bearer('auth', 'can-i', '--list')).stdout).toMatch(
      /^selfsubjectreviews\.authentication\.k8s\.io +\[\] +\[\] +\[create\]$/m,
    );
    expect(await kubectlOk(where(), 'auth', 'can-i', 'get', 'pods')).toBe('yes\n');
  });

  it('writes the process ids of its programs', () => {
    expect(pidOf(where(), 'supervisor')).toBe(run().local.pid);
    expect(lives(pidOf(where(), 'apiserver'))).toBe(true);
  });

  it('rejects a second start in the same folder with the process id of the first', async () => {
    const second = start({ ...(await place('unused')), folder: where().folder });
    expect((await second.exited).code).toBe(1);
    expect(second.output).toContain(`${where().folder} is in use by the running process ${run().local.pid}`);
    expect(await kubectlOk(where(), 'get', '--raw', '/readyz')).toBe('ok');
  });

  it('accepts requests of this machine over plain HTTP as those of the administrator, but not those of web pages', async () => {
    const list = '/api/v1/namespaces/default/configmaps';
    const object = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'plain' } });
    const json = { 'content-type': 'application/json' };
    for (const host of ['127.0.0.1', 'localhost'])
      expect((await plain(where(), 'GET', list, { host: `${host}:${where().insecurePort}` })).status).toBe(200);
    expect((await plain(where(), 'POST', list, { ...json, origin: 'https://evil.example.com' }, object)).status).toBe(403);
    expect((await plain(where(), 'GET', `${list}/plain`, {})).status).toBe(404);
    expect((await plain(where(), 'POST', list, json, object)).status).toBe(201);
    expect((await plain(where(), 'GET', list, { authorization: 'Bearer nonsense' })).status).toBe(401);
  });

  it('restarts a killed API server, prints so, and keeps the data', async () => {
    const before = pidOf(where(), 'apiserver');
    const said = run().local.output.length;
    process.kill(before, 'SIGKILL');
    await waitUntil('the console to say it', () => /apiserver .*(SIGKILL|killed|ended)/.test(run().local.output.slice(said)));
    await waitUntil('the API server to be back', async () => {
      const answer = await plain(where(), 'GET', '/readyz', {}).catch(() => undefined);
      return answer?.status === 200;
    });
    expect(pidOf(where(), 'apiserver')).not.toBe(before);
    expect(await kubectlOk(where(), 'get', 'configmap', 'hello', '-o', 'jsonpath={.data.greeting}')).toBe('world');
  });

  it('stops on Ctrl-C, and a second start keeps data and certificates', async () => {
    const child = pidOf(where(), 'apiserver');
    const authority = readFileSync(path.join(where().folder, 'pki', 'ca.crt'), 'utf8');
    run().local.child.kill('SIGINT');
    expect(await run().local.exited).toEqual({ code: 0, signal: null });
    expect(lives(child)).toBe(false);
    expect(existsSync(path.join(where().folder, 'run', 'supervisor.pid'))).toBe(false);
    expect(existsSync(path.join(where().folder, 'run', 'apiserver.pid'))).toBe(false);

    run().local = await started(where());
    expect(readFileSync(path.join(where().folder, 'pki', 'ca.crt'), 'utf8')).toBe(authority);
    expect(await kubectlOk(where(), 'get', 'configmap', 'hello', '-o', 'jsonpath={.data.greeting}')).toBe('world');
  }, 60_000);

  it('stops its programs when it is killed, and releases the folder', async () => {
    const child = pidOf(where(), 'apiserver');
    await run().local.kill();
    await waitUntil('the API server to go', () => !lives(child));
    run().local = await started(where());
    expect(await kubectlOk(where(), 'get', 'configmap', 'hello', '-o', 'name')).toBe('configmap/hello\n');
  }, 60_000);
});

describe('npm start when npm itself ends', () => {
  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'stops the control plane and releases the data folder after npm received %s',
    async (signal) => {
      const where = await place('npm-start-parent');
      const { folder, securePort } = where;
      // `npm start` runs a shell between npm and the control plane.
      const args = ['start', '--', `--data-dir=${folder}`, `--secure-port=${securePort}`, '--insecure-port=0'];
      const npm = new ProgramProcess(spawn('npm', args, { cwd: repository, stdio: ['ignore', 'pipe', 'pipe'] }));
      try {
        await waitUntil('the control plane to be ready', () => npm.output.includes('Ctrl-C ends it'), 120_000);
        const pids = ['supervisor', 'apiserver', 'controllers'].map((name) => pidOf(where, name));
        expect(pids.every(lives)).toBe(true);
        npm.child.kill(signal);
        await waitUntil('all processes to exit', () => !pids.some(lives), 40_000);
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
    const where = await place('npm-start-flags');
    const refused = start(where, ...flags);
    expect((await refused.exited).code).toBe(64);
    expect(refused.output).toMatch(message);
    removeFolder(where.folder);
  });
});

describeWithEtcd('npm start with etcd and three replicas', () => {
  const etcd = useResource(startEtcd, (server) => server.dispose());
  const where = usePlace('npm-start-replicas', 3);
  const run = useRun(where, () => [`--etcd-servers=${etcd().endpoint}`, '--replicas=3']);

  it('serves the same objects on three consecutive ports, as three processes', async () => {
    const ports = [0, 1, 2].map((index) => where().insecurePort + index);
    const list = '/api/v1/namespaces/default/configmaps';
    const made = await plain(
      where(),
      'POST',
      list,
      { 'content-type': 'application/json' },
      '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"shared"}}',
    );
    expect(made.status).toBe(201);
    for (const insecurePort of ports) expect((await plain({ ...where(), insecurePort }, 'GET', `${list}/shared`, {})).status).toBe(200);
    const pids = [0, 1, 2].map((index) => pidOf(where(), `apiserver-${index}`));
    expect(new Set(pids).size).toBe(3);
    expect(pids.every(lives)).toBe(true);
    for (const index of [0, 1, 2]) expect(run().local.output).toContain(`https://127.0.0.1:${where().securePort + index}`);
  });

  it('restarts a killed replica while the others go on', async () => {
    const before = pidOf(where(), 'apiserver-1');
    process.kill(before, 'SIGKILL');
    expect((await plain(where(), 'GET', '/readyz', {})).status).toBe(200);
    await waitUntil('the second replica to be back', async () => {
      const answer = await plain({ ...where(), insecurePort: where().insecurePort + 1 }, 'GET', '/readyz', {}).catch(() => undefined);
      return answer?.status === 200 && pidOf(where(), 'apiserver-1') !== before;
    });
  });
});
