/**
 * What `npm start` runs (the compiled local runner) as a person meets it: first start, work, a second start, accidents, the end.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { request, type IncomingHttpHeaders } from 'node:http';
import path from 'node:path';
import { packagedProgram, runClient } from '../support/kubectl';
import { describeWithEtcd, startEtcd, type EtcdServer } from '../support/etcd';
import { freePorts } from '../support/ports';
import { ProgramProcess, removeFolder, startProgram, temporaryFolder, waitUntil } from '../support/programs';
import { repository } from '../support/repository';

const runner = 'deploy/local/main.js';
const kubectl = packagedProgram('kubectl') ?? '';

interface Place {
  readonly folder: string;
  readonly securePort: number;
  readonly insecurePort: number;
}

async function place(name: string): Promise<Place> {
  const [securePort, insecurePort] = await freePorts(2);
  return { folder: temporaryFolder(name), securePort: securePort!, insecurePort: insecurePort! };
}

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
  let where: Place;
  let local: ProgramProcess;

  beforeAll(async () => {
    where = await place('npm-start');
    local = await started(where);
  }, 60_000);

  afterAll(async () => {
    await local.stop();
    removeFolder(where.folder);
  }, 40_000);

  it('prints its addresses and three commands to try', () => {
    const { folder, securePort, insecurePort } = where;
    expect(local.output).toContain(`https://127.0.0.1:${securePort}`);
    expect(local.output).toContain(`http://127.0.0.1:${insecurePort}`);
    expect(local.output).toContain(path.join(folder, 'admin.kubeconfig'));
    expect(local.output.match(/^ {2}(kubectl|curl) .*$/gm)).toHaveLength(3);
  });

  it('serves the commands that it printed', async () => {
    const [, , reach] = local.output.match(/^ {2}(kubectl|curl) .*$/gm) ?? [];
    expect(await kubectlOk(where, 'get', 'namespaces')).toMatch(/^NAME +STATUS +AGE\ndefault +Active/);
    expect(await kubectlOk(where, 'create', 'configmap', 'hello', '--from-literal=greeting=world')).toBe('configmap/hello created\n');
    expect(reach).toContain(`curl http://127.0.0.1:${where.insecurePort}/api/v1/namespaces/default/configmaps`);
    const answer = await plain(where, 'GET', '/api/v1/namespaces/default/configmaps', { accept: '*/*', 'user-agent': 'curl/8' });
    expect(answer.status).toBe(200);
    expect(answer.body).toContain('"greeting": "world"');
  });

  it('issues tokens that authenticate their account', async () => {
    await waitUntil('the account to be there', async () => (await kubectlOk(where, 'get', 'serviceaccounts')).includes('default'));
    const token = (await kubectlOk(where, 'create', 'token', 'default')).trim();
    const server = [`--server=https://127.0.0.1:${where.securePort}`, `--certificate-authority=${path.join(where.folder, 'pki/ca.crt')}`];
    const empty = path.join(where.folder, 'empty.kubeconfig');
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
    expect(await kubectlOk(where, 'auth', 'can-i', 'get', 'pods')).toBe('yes\n');
  });

  it('writes the process ids of its programs', () => {
    expect(pidOf(where, 'supervisor')).toBe(local.pid);
    expect(lives(pidOf(where, 'apiserver'))).toBe(true);
  });

  it('rejects a second start in the same folder with the process id of the first', async () => {
    const second = start({ ...(await place('unused')), folder: where.folder });
    expect((await second.exited).code).toBe(1);
    expect(second.output).toContain(`${where.folder} is in use by the running process ${local.pid}`);
    expect(await kubectlOk(where, 'get', '--raw', '/readyz')).toBe('ok');
  });

  describe('over plain HTTP', () => {
    const list = '/api/v1/namespaces/default/configmaps';
    const object = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'plain' } });
    const json = { 'content-type': 'application/json' };

    it('accepts requests of this machine as those of the administrator', async () => {
      for (const host of [`127.0.0.1:${where.insecurePort}`, `localhost:${where.insecurePort}`]) {
        expect((await plain(where, 'GET', list, { host })).status).toBe(200);
      }
      expect((await plain(where, 'GET', list, { 'sec-fetch-site': 'none' })).status).toBe(200);
      expect((await plain(where, 'POST', list, json, object)).status).toBe(201);
    });

    it.each<[string, string, Record<string, string>]>([
      ['a foreign Host', 'GET', { host: 'evil.example.com' }],
      ['a foreign Host with our port', 'GET', { host: 'evil.example.com:8080' }],
      ['an Origin', 'GET', { origin: 'https://evil.example.com' }],
      ['an opaque Origin', 'GET', { origin: 'null' }],
      ['a cross-site fetch', 'GET', { 'sec-fetch-site': 'cross-site' }],
      ['a same-origin fetch', 'GET', { 'sec-fetch-site': 'same-origin' }],
      ['a body without Content-Type', 'POST', {}],
      ['a preflight', 'OPTIONS', { origin: 'https://evil.example.com', 'access-control-request-method': 'POST' }],
    ])('rejects %s', async (_, method, headers) => {
      const name = `refused-${Object.keys(headers).join('-')}-${method.toLowerCase()}`;
      const body = method === 'POST' ? object.replace('plain', name) : undefined;
      const answer = await plain(where, method, list, headers, body);
      expect([400, 403, 415, 421]).toContain(answer.status);
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
      expect(answer.body).not.toContain('ConfigMap');
      expect((await plain(where, 'GET', `${list}/${name}`, {})).status).toBe(404);
    });

    it('authenticates requests with credentials', async () => {
      expect((await plain(where, 'GET', list, { authorization: 'Bearer nonsense' })).status).toBe(401);
    });
  });

  it('restarts a killed API server, prints so, and keeps the data', async () => {
    const before = pidOf(where, 'apiserver');
    const said = local.output.length;
    process.kill(before, 'SIGKILL');
    await waitUntil('the console to say it', () => /apiserver .*(SIGKILL|killed|ended)/.test(local.output.slice(said)));
    await waitUntil('the API server to be back', async () => {
      const answer = await plain(where, 'GET', '/readyz', {}).catch(() => undefined);
      return answer?.status === 200;
    });
    expect(pidOf(where, 'apiserver')).not.toBe(before);
    expect(await kubectlOk(where, 'get', 'configmap', 'hello', '-o', 'jsonpath={.data.greeting}')).toBe('world');
  });

  it('stops on Ctrl-C, and a second start keeps data and certificates', async () => {
    const child = pidOf(where, 'apiserver');
    const authority = readFileSync(path.join(where.folder, 'pki', 'ca.crt'), 'utf8');
    local.child.kill('SIGINT');
    expect(await local.exited).toEqual({ code: 0, signal: null });
    expect(lives(child)).toBe(false);
    expect(existsSync(path.join(where.folder, 'run', 'supervisor.pid'))).toBe(false);
    expect(existsSync(path.join(where.folder, 'run', 'apiserver.pid'))).toBe(false);

    local = await started(where);
    expect(readFileSync(path.join(where.folder, 'pki', 'ca.crt'), 'utf8')).toBe(authority);
    expect(await kubectlOk(where, 'get', 'configmap', 'hello', '-o', 'jsonpath={.data.greeting}')).toBe('world');
  }, 60_000);

  it('stops its programs when it is killed, and releases the folder', async () => {
    const child = pidOf(where, 'apiserver');
    await local.kill();
    await waitUntil('the API server to go', () => !lives(child));
    local = await started(where);
    expect(await kubectlOk(where, 'get', 'configmap', 'hello', '-o', 'name')).toBe('configmap/hello\n');
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
  let etcd: EtcdServer;
  let where: Place;
  let local: ProgramProcess;

  beforeAll(async () => {
    etcd = await startEtcd();
    where = await consecutive('npm-start-replicas');
    local = await started(where, `--etcd-servers=${etcd.endpoint}`, '--replicas=3');
  }, 60_000);

  afterAll(async () => {
    await local.stop();
    await etcd.dispose();
    removeFolder(where.folder);
  }, 40_000);

  it('serves the same objects on three consecutive ports, as three processes', async () => {
    const ports = [0, 1, 2].map((index) => where.insecurePort + index);
    const list = '/api/v1/namespaces/default/configmaps';
    const made = await plain(
      where,
      'POST',
      list,
      { 'content-type': 'application/json' },
      '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"shared"}}',
    );
    expect(made.status).toBe(201);
    for (const insecurePort of ports) expect((await plain({ ...where, insecurePort }, 'GET', `${list}/shared`, {})).status).toBe(200);
    const pids = [0, 1, 2].map((index) => pidOf(where, `apiserver-${index}`));
    expect(new Set(pids).size).toBe(3);
    expect(pids.every(lives)).toBe(true);
    for (const index of [0, 1, 2]) expect(local.output).toContain(`https://127.0.0.1:${where.securePort + index}`);
  });

  it('restarts a killed replica while the others go on', async () => {
    const before = pidOf(where, 'apiserver-1');
    process.kill(before, 'SIGKILL');
    expect((await plain(where, 'GET', '/readyz', {})).status).toBe(200);
    await waitUntil('the second replica to be back', async () => {
      const answer = await plain({ ...where, insecurePort: where.insecurePort + 1 }, 'GET', '/readyz', {}).catch(() => undefined);
      return answer?.status === 200 && pidOf(where, 'apiserver-1') !== before;
    });
  });

  /** A place whose ports have two free neighbours each. */
  async function consecutive(name: string): Promise<Place> {
    const [securePort = 0, , , insecurePort = 0] = await freePorts(6);
    return { folder: temporaryFolder(name), securePort, insecurePort };
  }
});
