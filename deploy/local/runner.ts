/**
 * Runs a control plane on this machine: prepares the data folder, starts and supervises the processes, prints their
 * addresses, and stops them in order.
 */
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Clock } from '../../shared/runtime/clock';
import type { Lifecycle } from '../../shared/runtime/process/lifecycle';
import { errorMessage } from '../../shared/runtime/error-message';
import { ensureCredentials, type Certificates } from './certificates';
import { renewCredentialsPeriodically } from './credential-renewal';
import type { AdministratorOptions } from '../cluster/administrator';
import type { Publication } from '../cluster/cluster-info';
import { START_POLICY } from '../cluster/credentials';
import { stopLeftoverProcesses } from './leftover-processes';
import type { RunnerOptions } from './options';
import {
  apiServerPlans,
  credentialsRequest,
  controllersPlan,
  layoutOf,
  namingOf,
  simulationPlan,
  type ApiServerPlan,
  type CredentialsRequest,
  type Layout,
  type ProcessPlan,
} from './plan';
import { findPortProblem } from './ports';
import { acquireProcessFile, HeldError, removePid, writePid } from './process-file';
import { waitForReady } from './readiness';
import { foregroundSummary } from './start-summary';
import type { RunningProcess } from '../../shared/runtime/process/running-process';
import { Supervisor } from '../../shared/runtime/process/supervisor';

/** What the runner needs of the process that calls it. */
export interface Host {
  readonly clock: Clock;
  readonly lifecycle: Lifecycle;
  /** Folder with the compiled programs. */
  readonly programs: string;
  /** `name` is the name of the process on the console and of its log file. */
  start(program: string, args: readonly string[], name: string): RunningProcess;
  /** Publishes cluster-info for joining machines. */
  publishClusterInfo(publication: Publication, signal: AbortSignal): Promise<void>;
  /** Grants the simulation of nodes what it needs. */
  grantSimulationAccess(administrator: Omit<AdministratorOptions, 'clock' | 'random'>, signal: AbortSignal): Promise<void>;
  /** The container that this process runs in, as the container engine names it; `undefined` for none. */
  readonly container?: string | undefined;
  /** Writes a line to the console. */
  readonly print: (line: string) => void;
}

/** An error that the user can correct; only its message is printed. */
export class StartError extends Error {}

const OWN_PID_FILE = 'supervisor.pid';
/** From SIGTERM to SIGKILL of a process. Exceeds the time that an API server needs to drain. */
const GRACE_MS = 30_000;
/** Processes that were sent SIGKILL have ended by then. */
const STOP_TIMEOUT_MS = GRACE_MS + 5_000;
/** Users see what is awaited when a start takes unusually long. */
const NOTICE_AFTER_MS = 10_000;

/**
 * Resolves when the API servers and the controllers are ready and the simulation, if any, has been started, or when stopping
 * starts before that. Throws {@link StartError} for what the user can correct.
 */
export async function runLocal(options: RunnerOptions, host: Host): Promise<void> {
  const layout = layoutOf(options.dataDir);
  lockDataFolder(options.dataDir, layout, host.lifecycle);
  await stopLeftoverProcesses({ folder: layout.run, supervisorFile: OWN_PID_FILE, clock: host.clock, print: host.print });
  const plans = apiServerPlans(options);
  await checkPorts(plans, options.bindAddress);
  const request = credentialsRequest(options);
  const certificates = await prepareCredentials(request, host);

  host.lifecycle.stopping.addEventListener('abort', () => host.print('stopping ...'));
  const servers = startSupervised('API servers', plans, layout, host);
  const serving = waitForServers(servers, plans, certificates, host).then(async (areReady) => {
    if (areReady) await publishClusterInfo(options, request, certificates, host);
    return areReady;
  });
  const ready = await Promise.all([serving, startControllers(options, servers, host)]);
  if (ready.includes(false)) return;
  await startSimulation(options, plans, certificates, host);
  host.print(foregroundSummary(plans, layout, host.container));
}

/** Resolves to true when all API servers are ready, or to false when stopping starts first. */
async function waitForServers(
  supervisors: readonly Supervisor[],
  plans: readonly ApiServerPlan[],
  certificates: Certificates,
  host: Host,
): Promise<boolean> {
  for (const [index, plan] of plans.entries()) {
    const reported = supervisors[index]?.ready ?? Promise.resolve();
    if (!(await waitUntilReady(plan, reported, certificates, host))) return false;
  }
  return true;
}

/**
 * Starts the controllers as soon as the API servers listen, so that they load while the API servers do: their requests
 * wait in the API servers until those are ready. Resolves to true when the controllers are ready, or there are none, and
 * to false when stopping starts first.
 */
async function startControllers(options: RunnerOptions, servers: readonly Supervisor[], host: Host): Promise<boolean> {
  const plan = controllersPlan(options);
  if (plan === undefined || !existsSync(path.join(host.programs, plan.program))) return true;
  const { stopping } = host.lifecycle;
  if (!(await unlessAborted(Promise.all(servers.map(({ listening }) => listening)), stopping))) return false;
  const [supervisor] = startSupervised('controllers', [plan], layoutOf(options.dataDir), host);
  if (supervisor === undefined) return true;
  return withNotice('the controllers to be ready', host, () => unlessAborted(supervisor.ready, stopping));
}

/** Starts the simulation of nodes, if any. A failure is only printed, because the control plane works without it. */
async function startSimulation(
  options: RunnerOptions,
  [first]: readonly ApiServerPlan[],
  { authority, admin }: Certificates,
  host: Host,
): Promise<void> {
  const plan = simulationPlan(options);
  if (plan === undefined || first === undefined) return;
  const layout = layoutOf(options.dataDir);
  const { lifecycle, print } = host;
  try {
    await host.grantSimulationAccess({ server: first.secureAddress, authority, admin, naming: namingOf(options) }, lifecycle.stopping);
    startSupervised('simulation', [plan], layout, host);
  } catch (error) {
    if (!lifecycle.stopping.aborted) print(`nodes cannot be simulated: ${errorMessage(error)}`);
  }
}

/** Publishes cluster-info. A failure is only printed, because it prevents only the joining of machines. */
async function publishClusterInfo(
  options: RunnerOptions,
  { server, externalServer }: CredentialsRequest,
  { authority, admin }: Certificates,
  host: Host,
): Promise<void> {
  const { lifecycle, print } = host;
  const publication = { server: externalServer, reachableAt: server, authority, admin, naming: namingOf(options) };
  try {
    await host.publishClusterInfo(publication, lifecycle.stopping);
  } catch (error) {
    if (!lifecycle.stopping.aborted) print(`the address of the cluster could not be published for joining nodes: ${errorMessage(error)}`);
  }
}

/** Locks the data folder until this process stops. */
function lockDataFolder(dataDir: string, layout: Layout, lifecycle: Lifecycle): void {
  let release: () => void;
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    mkdirSync(layout.run, { recursive: true });
    release = acquireProcessFile(path.join(layout.run, OWN_PID_FILE));
  } catch (error) {
    if (!(error instanceof HeldError)) throw new StartError(`cannot use the data folder ${dataDir}: ${errorMessage(error)}`);
    throw new StartError(`${dataDir} is in use by ${error.holder}; stop it, or choose another folder with --data-dir`);
  }
  lifecycle.onStop({ name: 'data folder', timeoutMs: 1_000, run: release });
}

/** Throws {@link StartError} for a port that is not available. */
async function checkPorts(plans: readonly ApiServerPlan[], bindAddress: string): Promise<void> {
  for (const { securePort, insecurePort } of plans) {
    for (const [flag, port, address] of [
      ['secure-port', securePort, bindAddress],
      ['insecure-port', insecurePort, '127.0.0.1'],
    ] as const) {
      const problem = port === 0 ? undefined : await findPortProblem(port, address);
      if (problem === 'EADDRNOTAVAIL')
        throw new StartError(`no interface has the address ${address}; choose another one with --bind-address`);
      if (problem === undefined) continue;
      const reason = problem === 'EADDRINUSE' ? 'is in use by another program' : `cannot be used (${problem})`;
      throw new StartError(`port ${port} ${reason}; choose another one with --${flag}`);
    }
  }
}

/** Creates the credentials, and renews them until the control plane stops. */
async function prepareCredentials(request: CredentialsRequest, { clock, print, lifecycle }: Host): Promise<Certificates> {
  const certificates = await ensureCredentials(request, clock, START_POLICY).catch((error: unknown) => {
    throw new StartError(`the certificates in ${request.layout.pki} cannot be used: ${errorMessage(error)}`);
  });
  if (certificates.made.length > 0) print(`created ${certificates.made.join(', ')}`);
  const endRenewal = renewCredentialsPeriodically(request, clock, print);
  lifecycle.onStop({ name: 'renewal of certificates', timeoutMs: 1_000, run: endRenewal });
  return certificates;
}

/**
 * Waits until the API server reports that it is ready, and responds so at its address. Resolves to false when stopping
 * starts first.
 */
function waitUntilReady(plan: ApiServerPlan, reported: Promise<void>, { authority, admin }: Certificates, host: Host): Promise<boolean> {
  const { clock, lifecycle } = host;
  return withNotice(`${plan.name} to be ready at ${plan.secureAddress}`, host, async () => {
    if (!(await unlessAborted(reported, lifecycle.stopping))) return false;
    return waitForReady({ address: plan.secureAddress, authority, admin }, clock, lifecycle.stopping);
  });
}

/** Resolves to true with `awaited`, or to false when `signal` aborts first. */
function unlessAborted(awaited: Promise<unknown>, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  const aborted = new Promise<boolean>((resolve) => signal.addEventListener('abort', () => resolve(false), { once: true }));
  return Promise.race([awaited.then(() => true), aborted]);
}

/** Prints what is awaited when `wait` takes long. */
async function withNotice<T>(awaited: string, { clock, print }: Host, wait: () => Promise<T>): Promise<T> {
  const notice = clock.after(NOTICE_AFTER_MS, () => print(`still waiting for ${awaited}`));
  try {
    return await wait();
  } finally {
    notice.cancel();
  }
}

/** Starts supervised processes. They are stopped together, before what was started earlier. */
function startSupervised(label: string, plans: readonly ProcessPlan[], layout: Layout, host: Host): readonly Supervisor[] {
  const supervisors = plans.map((plan) => createSupervisor(plan, path.join(layout.run, `${plan.name}.pid`), host));
  host.lifecycle.onStop({
    name: label,
    timeoutMs: STOP_TIMEOUT_MS,
    run: async () => void (await Promise.all(supervisors.map((supervisor) => supervisor.stop(GRACE_MS)))),
  });
  for (const supervisor of supervisors) supervisor.start();
  return supervisors;
}

function createSupervisor(plan: ProcessPlan, pidFile: string, host: Host): Supervisor {
  return new Supervisor({
    name: plan.name,
    clock: host.clock,
    print: host.print,
    start: () => host.start(path.join(host.programs, plan.program), plan.args, plan.name),
    onPid: (pid) => (pid === undefined ? removePid(pidFile) : writePid(pidFile, pid)),
    onPermanentFailure: (code) => void host.lifecycle.stop(`${plan.name} cannot start`, code),
  });
}
