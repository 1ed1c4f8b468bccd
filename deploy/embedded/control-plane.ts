/**
 * A whole control plane in this process: one API server with an embedded store on the loopback address, on a free port
 * unless the flags of the options set one; the controllers; and simulated nodes when the options ask for some. It is
 * composed from the same flags as the programs, and renews its certificates. It handles no signal and stops with the
 * lifecycle that it is given.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { FLAGS as SERVER_FLAGS } from '../../apiserver/options/flags/flags';
import { PROGRAM as SERVER, runServer } from '../../apiserver/program';
import { flags as CONTROLLER_FLAGS } from '../../controllers/flags';
import { PROGRAM as CONTROLLERS, startControllers } from '../../controllers/program';
import { flags as SIMULATION_FLAGS } from '../../controllers/simulation/flags';
import { PROGRAM as SIMULATION, startSimulation } from '../../controllers/simulation/program';
import type { Clock } from '../../shared/runtime/clock';
import { parseFlags, UsageError, type CommandLine, type FlagTable, type ParsedFlags } from '../../shared/cli/flags';
import type { Lifecycle } from '../../shared/runtime/process/lifecycle';
import type { Logger } from '../../shared/runtime/logger';
import { systemRandom as random } from '../../shared/runtime/random';
import { publishClusterInfo } from '../cluster/cluster-info';
import { ADMINISTRATOR_NAME, formatKubeconfig } from '../cluster/kubeconfig';
import { grantSimulationAccess } from '../cluster/simulation-access';
import { ensureCertificates, ensureSimulationKubeconfig, writeKubeconfigs, type Certificates } from '../local/certificates';
import { renewCredentialsPeriodically } from '../local/credential-renewal';
import { RUNNER_FLAGS, type RunnerOptions } from '../local/options';
import { apiServerPlans, certifiedAddresses, controllersPlan, layoutOf, namingOf, simulationPlan } from '../local/plan';
import type { ControlPlaneConnection, ControlPlaneOptions } from './api';

const HOST = '127.0.0.1';

/** What the program of a control plane passes to its parts. */
export interface ControlPlaneHost {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Stops everything that is started here. */
  readonly lifecycle: Lifecycle;
}

/**
 * Resolves when the server is ready, and the controllers and the simulation run. Rejects when a part cannot start, for
 * example with an error about the options or the folder.
 */
export async function openControlPlane(options: ControlPlaneOptions, host: ControlPlaneHost): Promise<ControlPlaneConnection> {
  const runner = toRunnerOptions(options, openFolder(options, host.lifecycle));
  const layout = layoutOf(runner.dataDir);
  const addresses = certifiedAddresses(runner);
  // The server needs the certificates to start. The kubeconfigs follow, because they name its port, which is known then.
  const certificates = await ensureCertificates(layout.pki, host.clock, addresses);
  const [plan] = apiServerPlans(runner);
  if (plan === undefined) throw new Error('no API server is planned');
  const { port } = await runServer(parseArguments(SERVER, SERVER_FLAGS, plan.args), { random, ...host });
  const server = `https://${HOST}:${port}`;
  const { authority, admin } = certificates;
  const request = { layout, server, externalServer: server, addresses, simulatesNodes: runner.simulatedNodes > 0 };
  writeKubeconfigs(request, certificates);
  const endRenewal = renewCredentialsPeriodically(request, host.clock, (line) => host.logger.info(line));
  host.lifecycle.onStop({ name: 'renewal of certificates', timeoutMs: 1_000, run: endRenewal });
  if (options.clusterInfo === true) {
    const publication = { server, authority, admin, naming: namingOf(runner) };
    await publishClusterInfo(publication, host.clock, random, host.lifecycle.stopping);
  }
  await runControllers(runner, host);
  await runSimulation(runner, server, certificates, host);
  return {
    server,
    authority,
    certificate: admin.certificate,
    key: admin.key,
    kubeconfig: formatKubeconfig({ server, authority, user: ADMINISTRATOR_NAME, credential: admin }),
    kubeconfigFile: layout.kubeconfig,
  };
}

/** The folder of the options, or a temporary one that is removed when everything else has stopped. */
function openFolder({ folder }: ControlPlaneOptions, lifecycle: Lifecycle): string {
  if (folder !== undefined) return path.resolve(folder);
  const temporary = mkdtempSync(path.join(tmpdir(), 'control-plane-'));
  lifecycle.onStop({ name: 'folder', timeoutMs: 10_000, run: () => rmSync(temporary, { recursive: true, force: true }) });
  return temporary;
}

/** The options of `platform start` that correspond to those of the package. */
function toRunnerOptions(
  {
    naming = 'platform',
    controllers = RUNNER_FLAGS.controllers.default,
    flags = [],
    simulatedNodes = 0,
    simulatedNodeCapacity = {},
  }: ControlPlaneOptions,
  folder: string,
): RunnerOptions {
  return {
    dataDir: folder,
    bindAddress: HOST,
    controlPlaneEndpoint: '',
    certificateNames: [],
    // 0: a free port. The flag of `platform start` does not allow it.
    securePort: 0,
    insecurePort: 0,
    etcdServers: [],
    replicas: 1,
    serviceRanges: '10.0.0.0/24',
    controllers: controllers.length === 0 ? ['-*'] : controllers,
    simulatedNodes,
    simulatedNodeCapacity: Object.entries(simulatedNodeCapacity).map(([name, quantity]) => `${name}=${quantity}`),
    serverFlags: [`--naming=${naming}`, ...flags],
    controllerFlags: [],
  };
}

/** Starts the controllers without leader election, since no other process runs any, and without a port of their own. */
async function runControllers(runner: RunnerOptions, host: ControlPlaneHost): Promise<void> {
  const plan = controllersPlan(runner);
  if (plan === undefined) return;
  const args = [...plan.args, '--leader-elect=false', '--secure-port=0'];
  await startControllers(parseArguments(CONTROLLERS, CONTROLLER_FLAGS, args), { random, ...host });
}

/**
 * Starts the simulation of nodes, if any, with the access that it needs. Without leader election, as the controllers.
 */
async function runSimulation(
  runner: RunnerOptions,
  server: string,
  { authority, admin }: Certificates,
  host: ControlPlaneHost,
): Promise<void> {
  const plan = simulationPlan(runner);
  if (plan === undefined) return;
  await ensureSimulationKubeconfig({ layout: layoutOf(runner.dataDir), server }, host.clock);
  const { clock, lifecycle } = host;
  await grantSimulationAccess({ server, authority, admin, naming: namingOf(runner), clock, random }, lifecycle.stopping);
  const { values } = parseArguments(SIMULATION, SIMULATION_FLAGS, [...plan.args, '--leader-elect=false']);
  await startSimulation(values, { random, ...host });
}

function parseArguments<Table extends FlagTable>(
  program: CommandLine,
  table: Table,
  args: readonly string[],
): Extract<ParsedFlags<Table>, { kind: 'values' }> {
  const parsed = parseFlags(program, table, args);
  if (parsed.kind === 'values') return parsed;
  throw new UsageError(parsed.kind === 'error' ? parsed.message : '--help and --version are not supported here');
}
