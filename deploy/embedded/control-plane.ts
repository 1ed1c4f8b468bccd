/**
 * A whole control plane inside this process: one API server with an embedded store, and the controllers, on a port and in a folder of its own. It is made of the same
 * flags as the programs, listens to no signal, and leaves nothing behind when it has stopped.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { FLAGS as SERVER_FLAGS } from '../../apiserver/options/flags';
import { PROGRAM as SERVER, runServer } from '../../apiserver/program';
import { flags as CONTROLLER_FLAGS } from '../../controllers/flags';
import { PROGRAM as CONTROLLERS, startControllers } from '../../controllers/program';
import { systemClock as clock } from '../../shared/runtime/clock';
import { parseFlags, UsageError, type CommandLine, type FlagTable, type ParsedFlags } from '../../shared/runtime/flags';
import { Lifecycle } from '../../shared/runtime/lifecycle';
import { createLogger, type Logger } from '../../shared/runtime/logger';
import { systemRandom as random } from '../../shared/runtime/random';
import { publishClusterInfo } from '../cluster/cluster-info';
import { ADMINISTRATOR, kubeconfig } from '../cluster/kubeconfig';
import { ensureCertificates, type Certificates } from '../local/certificates';
import type { RunnerOptions } from '../local/options';
import { apiServerPlans, certifiedAddresses, controllersPlan, layoutOf, namingOf, type Layout } from '../local/plan';
import type { ControlPlane, ControlPlaneOptions } from './api';

const HOST = '127.0.0.1';
const DEFAULT_CONTROLLERS = ['*', 'tokencleaner', 'bootstrapsigner'];

/** Rejects with an error whose message says what is wrong with the options or the folder. */
export async function openControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const folder = options.folder === undefined ? mkdtempSync(path.join(tmpdir(), 'control-plane-')) : path.resolve(options.folder);
  const logger = createLogger({ level: options.logLevel ?? 'silent', clock });
  let failures = 0;
  const lifecycle = new Lifecycle({ clock, logger, process: { on: () => undefined, exit: (code) => (failures += code) } });
  if (options.folder === undefined)
    lifecycle.onStop({ name: 'folder', timeoutMs: 10_000, run: () => rmSync(folder, { recursive: true, force: true }) });
  try {
    return await start(options, runnerOptions(options, folder), { logger, lifecycle }, async () => {
      await lifecycle.stop('told to');
      if (failures > 0) throw new Error('the control plane did not stop in order; see its log (logLevel)');
    });
  } catch (error) {
    await lifecycle.stop('could not start', 1);
    throw error;
  }
}

/** What `npm start` would be told. */
function runnerOptions(
  { naming = 'platform', controllers = DEFAULT_CONTROLLERS, flags = [] }: ControlPlaneOptions,
  folder: string,
): RunnerOptions {
  return {
    dataDir: folder,
    securePort: 0,
    insecurePort: 0,
    etcdServers: [],
    replicas: 1,
    serviceRanges: '10.0.0.0/24',
    controllers: controllers.length === 0 ? ['-*'] : controllers,
    rest: [`--naming=${naming}`, ...flags],
  };
}

interface Parts {
  readonly logger: Logger;
  readonly lifecycle: Lifecycle;
}

async function start(options: ControlPlaneOptions, runner: RunnerOptions, parts: Parts, stop: () => Promise<void>): Promise<ControlPlane> {
  const layout = layoutOf(runner.dataDir);
  const certificates = await ensureCertificates(layout.pki, clock, certifiedAddresses(runner));
  const [plan] = apiServerPlans(runner);
  const parsed = valuesOf(SERVER, SERVER_FLAGS, plan?.args ?? []);
  const { port } = await runServer(parsed, { clock, random, ...parts });
  const server = `https://${HOST}:${port}`;
  const { authority, admin } = certificates;
  writeKubeconfigs(server, certificates, layout);
  if (options.clusterInfo === true)
    await publishClusterInfo({ server, authority, admin, naming: namingOf(runner) }, clock, random, parts.lifecycle.stopping);
  await runControllersOf(runner, parts);
  return {
    server,
    authority,
    certificate: admin.certificate,
    key: admin.key,
    kubeconfig: kubeconfig(server, authority, ADMINISTRATOR, admin),
    kubeconfigFile: layout.kubeconfig,
    stop,
  };
}

function writeKubeconfigs(server: string, { authority, admin, controllers }: Certificates, layout: Layout): void {
  const mode = { mode: 0o600 };
  writeFileSync(layout.kubeconfig, kubeconfig(server, authority, ADMINISTRATOR, admin), mode);
  writeFileSync(layout.controllersKubeconfig, kubeconfig(server, authority, 'controllers', controllers), mode);
}

/** They are alone, so nobody has to be elected, and their health is this process's. */
async function runControllersOf(runner: RunnerOptions, parts: Parts): Promise<void> {
  const plan = controllersPlan(runner);
  if (plan === undefined) return;
  const parsed = valuesOf(CONTROLLERS, CONTROLLER_FLAGS, [...plan.args, '--leader-elect=false', '--secure-port=0']);
  await startControllers(parsed, { clock, random, ...parts });
}

function valuesOf<Table extends FlagTable>(
  program: CommandLine,
  table: Table,
  args: readonly string[],
): Extract<ParsedFlags<Table>, { kind: 'values' }> {
  const parsed = parseFlags(program, table, args);
  if (parsed.kind === 'values') return parsed;
  throw new UsageError(parsed.kind === 'error' ? parsed.message : 'there is no help here');
}
