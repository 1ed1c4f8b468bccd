/**
 * A cluster in the test's own process: the API server and the controllers, configured with the same flags as the
 * programs and connected over TLS, on an in-memory store and a simulated clock. Its waits take no real time. Tests
 * about processes (start, signals, crashes, memory) start the programs instead.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { FLAGS as SERVER_FLAGS } from '../../../apiserver/options/flags/flags';
import { PROGRAM as SERVER, runServer } from '../../../apiserver/program';
import { flags as CONTROLLER_FLAGS } from '../../../controllers/flags';
import { PROGRAM as CONTROLLERS, startControllers } from '../../../controllers/program';
import { flags as SIMULATION_FLAGS } from '../../../controllers/simulation/flags';
import { PROGRAM as SIMULATION, startSimulation, type SimulationHost } from '../../../controllers/simulation/program';
import { frontProxyFlags } from '../../../deploy/cluster/identities';
import { formatKubeconfig } from '../../../deploy/cluster/kubeconfig';
import { grantSimulationAccess } from '../../../deploy/cluster/simulation-access';
import { ensureCertificates, ensureSimulationKubeconfig, type Certificates } from '../../../deploy/local/certificates';
import { layoutOf } from '../../../deploy/local/plan';
import type { RestClient } from '../../../shared/client/rest/rest-client';
import { systemClock } from '../../../shared/runtime/clock';
import { parseFlags, type CommandLine, type FlagTable, type ParsedFlags } from '../../../shared/cli/flags';
import { Lifecycle } from '../../../shared/runtime/process/lifecycle';
import { createLogger } from '../../../shared/runtime/logger';
import { systemRandom as random } from '../../../shared/runtime/random';
import { adminClient, controllerArguments } from '../control-plane';
import { MemoryStore } from '../store/memory-store';
import { removeFolder, serverArguments, temporaryFolder } from '../programs';
import { SimulatedClock } from '../clock/simulated-clock';

export interface SimulatedCluster {
  readonly clock: SimulatedClock;
  readonly store: MemoryStore;
  /** Address of the API server. */
  readonly address: string;
  readonly certificates: Certificates;
  /** Log lines of the API server and the controllers from level `warn`. */
  readonly log: readonly string[];
  stop(): Promise<void>;
}

export interface SimulatedClusterOptions {
  /** Added to the usual flags. */
  readonly serverArgs?: readonly string[];
  readonly controllerArgs?: readonly string[];
  /** Flags of the simulation of nodes; without them there is no simulation. */
  readonly simulationArgs?: readonly string[];
  /** First time of the simulated clock, in milliseconds since 1970; by default the present. */
  readonly startTime?: number;
}

/** Resolves when the API server is ready and the controllers have been started. */
export async function startSimulatedCluster({
  serverArgs = [],
  controllerArgs = [],
  simulationArgs,
  startTime = systemClock.now(),
}: SimulatedClusterOptions = {}): Promise<SimulatedCluster> {
  const folder = temporaryFolder('simulated-cluster');
  const pki = path.join(folder, 'pki');
  const certificates = await ensureCertificates(pki, systemClock);
  const clock = new SimulatedClock(startTime);
  const store = new MemoryStore(clock);
  const log: string[] = [];
  const logger = createLogger({ level: 'warn', clock, destination: { write: (line) => void log.push(line) } });
  const lifecycle = new Lifecycle({ clock, logger, process: { on: () => undefined, exit: () => undefined } });
  const environment = { clock, random, logger, lifecycle };
  const stopClock = clock.run();
  const stop = async (): Promise<void> => {
    await lifecycle.stop('the test has ended');
    await stopClock();
    removeFolder(folder);
  };
  try {
    const proxyArgs = simulationArgs === undefined ? [] : frontProxyFlags(pki);
    const args = serverArguments({ folder, securePort: 0, args: [...proxyArgs, ...serverArgs] }, pki);
    const { port } = await runServer(parseArguments(SERVER, SERVER_FLAGS, args), { ...environment, store });
    const address = `https://127.0.0.1:${port}`;
    const controllersKubeconfig = path.join(folder, 'controllers.kubeconfig');
    writeFileSync(
      controllersKubeconfig,
      formatKubeconfig({ server: address, authority: certificates.authority, user: 'controllers', credential: certificates.controllers }),
    );
    const controllerFlags = controllerArguments({ controllersKubeconfig, pki }, controllerArgs);
    await startControllers(parseArguments(CONTROLLERS, CONTROLLER_FLAGS, controllerFlags), environment);
    if (simulationArgs !== undefined) await simulateNodes({ address, certificates, folder, pki }, simulationArgs, environment);
    return { clock, store, address, certificates, log, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * A client with the administrator's credentials. Its retries take simulated time: while it waited in real time, the
 * cluster would simulate as much time as the processor can.
 */
export const simulatedAdminClient = ({ address, certificates, clock }: SimulatedCluster): RestClient =>
  adminClient([address], certificates, { clock });

interface SimulationTarget extends Pick<SimulatedCluster, 'address' | 'certificates'> {
  readonly folder: string;
  /** The folder of certificates and keys. */
  readonly pki: string;
}

/** Starts the simulation of nodes with access to the API server. `args` are its flags. */
async function simulateNodes(
  { address, certificates, folder, pki }: SimulationTarget,
  args: readonly string[],
  environment: SimulationHost,
): Promise<void> {
  const { authority, admin } = certificates;
  const layout = layoutOf(folder);
  await ensureSimulationKubeconfig({ layout, server: address }, systemClock);
  const administrator = { server: address, authority, admin, naming: 'platform', clock: systemClock, random } as const;
  await grantSimulationAccess(administrator, environment.lifecycle.stopping);
  const frontProxyAuthority = path.join(pki, 'front-proxy-ca.crt');
  const flags = [
    `--kubeconfig=${layout.simulationKubeconfig}`,
    `--requestheader-client-ca-file=${frontProxyAuthority}`,
    '--leader-elect=false',
    ...args,
  ];
  await startSimulation(parseArguments(SIMULATION, SIMULATION_FLAGS, flags).values, environment);
}

/** Throws with the message of invalid arguments. */
function parseArguments<Table extends FlagTable>(
  program: CommandLine,
  table: Table,
  args: readonly string[],
): Extract<ParsedFlags<Table>, { kind: 'values' }> {
  const result = parseFlags(program, table, args);
  if (result.kind === 'values') return result;
  throw new Error(result.kind === 'error' ? result.message : result.text);
}
