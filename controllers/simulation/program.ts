/**
 * Starts the simulation of nodes from its flags: Node objects with heartbeats, a scheduler, kubelets, and the metrics API.
 * It is a client of the API like any other. The given lifecycle ends it; this module ends no process.
 */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { EventRecorder } from '../../shared/client/events/event-recorder';
import { InformerPool } from '../../shared/client/informer/informer-pool';
import { ConfigError } from '../../shared/client/kubeconfig/client-config';
import { fileBackedKubeconfig } from '../../shared/client/kubeconfig/file-backed-kubeconfig';
import { LeaderElection } from '../../shared/client/leader-election/leader-election';
import { ItemRateLimiter } from '../../shared/client/rate-limiter';
import { metadataOf, resourceOf } from '../../shared/client/rest/resource';
import { RestClient } from '../../shared/client/rest/rest-client';
import { connectReloadable } from '../../shared/client/transport/reloadable-connection';
import { sleepUnlessAborted } from '../../shared/client/signals';
import { WorkQueue } from '../../shared/client/work-queue/work-queue';
import { FlagError, UsageError, type CommandLine } from '../../shared/cli/flags';
import { GENERATED_NAMES, versionText, type GeneratedNames } from '../../shared/names/dialect';
import { userAgent } from '../../shared/names/program';
import { createAuthority, issueCertificate, type Credential } from '../../shared/pki/certificates';
import type { Clock } from '../../shared/runtime/clock';
import type { Lifecycle } from '../../shared/runtime/process/lifecycle';
import type { Logger } from '../../shared/runtime/logger';
import type { Random } from '../../shared/runtime/random';
import { waitForSync, type ControllerContext } from '../runtime/controller';
import { capacityOf, validateFlags, type SimulationFlags } from './flags';
import { Kubelets, PODS } from './kubelet/kubelets';
import { isMetricsPath, respondWithMetrics } from './metrics/metrics-api';
import { METRICS_SERVICE, registerMetricsApi } from './metrics/register-metrics-api';
import type { HttpsServer } from '../serving/https-server';
import { startSimulationServer } from './metrics/server';
import { NodeHeartbeats, NODES } from './nodes/node-heartbeats';
import { Scheduler } from './scheduler/scheduler';

/** The program in its help and version. */
export const PROGRAM: CommandLine = {
  name: 'simulation',
  description: 'Simulates nodes: Node objects, a scheduler that binds pods to them, and kubelets that run no containers.',
  version: versionText,
};

/** What the process provides; tests pass a manual clock and a lifecycle of their own. */
export interface SimulationHost {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Ends everything that is started here. */
  readonly lifecycle: Lifecycle;
}

/** The context of the parts of the simulation. */
export type SimulationContext = Pick<
  ControllerContext,
  'client' | 'informers' | 'clock' | 'random' | 'logger' | 'names' | 'signal' | 'queue'
>;

/** The simulated cluster, from the flags. */
export interface SimulationSettings {
  /** The number of Node objects that the simulation creates. */
  readonly nodes: number;
  /** Quantities by resource name, of each node. */
  readonly capacity: Readonly<Record<string, string>>;
  /** Assigned to nodes in turn. */
  readonly zones: readonly string[];
  /** CIDR. The internal addresses of the nodes. */
  readonly nodeRange: string;
  /** CIDR. The addresses of pods on nodes without a range of their own. */
  readonly podRange: string;
}

/** The time limit for requests of the simulation to end and for its Lease to be released. */
const STOP_MS = 15_000;
/** The pause before the simulation starts again after an error or a lost Lease. */
const RESTART_MS = 2_000;
/** The times of the Lease: the defaults of the flags `--leader-elect-…` of controllers/flags.ts. */
const ELECTION = { durationMs: 12_000, renewDeadlineMs: 8_000, retryMs: 2_000 };
/** A year. Nothing renews the certificate while the process runs; each start issues a new one. */
const CERTIFICATE_LIFETIME_MS = 365 * 86_400_000;
/** The Lease that the leading process holds. */
const LEASE_NAME = 'simulation';

/**
 * Resolves when the simulation is started, even if no API server responds yet. Rejects with a {@link UsageError}, or when
 * the server's address cannot be bound.
 */
export async function startSimulation(values: SimulationFlags, host: SimulationHost): Promise<void> {
  const { clock, random, logger, lifecycle } = host;
  const problem = validateFlags(values);
  if (problem !== undefined) throw new UsageError(problem);
  const settings = settingsFrom(values);
  const kubeconfig = readKubeconfig(values.kubeconfig, values.master);
  lifecycle.onStop({ name: 'files of the simulation', timeoutMs: 1_000, run: kubeconfig.watch(clock, logger) });
  const { transport, credentials } = connectReloadable(kubeconfig.current, clock);
  lifecycle.onStop({ name: 'connections of the simulation', timeoutMs: 1_000, run: () => transport.close() });
  const client = new RestClient({
    transport,
    credentials,
    dialect: values.naming,
    userAgent: userAgent(values.naming, 'simulation', process, 'simulation'),
    clock,
    random,
  });
  const informersEnd = new AbortController();
  const informers = new InformerPool({ client, clock, random, logger }, informersEnd.signal);
  const names = GENERATED_NAMES[values.naming];
  const queue: SimulationContext['queue'] = () => new WorkQueue({ clock, limit: new ItemRateLimiter({ clock }) });
  const context: SimulationContext = { client, informers, clock, random, logger, names, queue, signal: lifecycle.stopping };
  const certificates = await servingCertificates(clock, names);
  const server = await serve(values, context, certificates.server);
  lifecycle.onStop({ name: 'the server of the simulation', timeoutMs: 1_000, run: () => server.close() });
  const endpoint: SimulationEndpoint = {
    host: values['advertise-host'],
    port: server.port,
    authority: certificates.authority,
    servesMetrics: values['requestheader-client-ca-file'] !== '',
  };
  const lead = (leading: SimulationContext): Promise<void> => simulate(leading, settings, endpoint);
  const running = runWithRestarts(context, { isElected: values['leader-elect'], lead });
  lifecycle.onStop({
    name: 'the simulation',
    timeoutMs: STOP_MS,
    run: async () => {
      await running;
      informersEnd.abort();
      await informers.ended();
    },
  });
  logger.info('nodes are simulated', { nodes: settings.nodes, port: server.port });
}

function settingsFrom(values: SimulationFlags): SimulationSettings {
  try {
    return {
      nodes: values.nodes,
      capacity: capacityOf(values['node-capacity']),
      zones: values.zones,
      nodeRange: values['node-address-range'],
      podRange: values['pod-address-range'],
    };
  } catch (error) {
    throw error instanceof FlagError ? new UsageError(error.message) : error;
  }
}

function readKubeconfig(file: string, servers: readonly string[]): ReturnType<typeof fileBackedKubeconfig> {
  try {
    return fileBackedKubeconfig(file, { servers });
  } catch (error) {
    throw error instanceof ConfigError ? new UsageError(error.message) : error;
  }
}

/** A new authority (its certificate as PEM), and a certificate of it for the server of the simulation. */
async function servingCertificates(
  clock: Clock,
  { systemNamespace }: GeneratedNames,
): Promise<{ readonly authority: string; readonly server: Credential }> {
  const lifetimeMs = CERTIFICATE_LIFETIME_MS;
  const authority = await createAuthority({ subject: { commonName: 'simulation-ca' }, lifetimeMs, clock });
  const names = [`${METRICS_SERVICE}.${systemNamespace}.svc`, 'localhost', '127.0.0.1'];
  const server = await issueCertificate({ authority, usage: 'server', subject: { commonName: 'simulation' }, names, lifetimeMs, clock });
  return { authority: authority.certificate, server };
}

function serve(values: SimulationFlags, context: SimulationContext, certificate: Credential): Promise<HttpsServer> {
  const { informers, clock, logger } = context;
  const authorityFile = values['requestheader-client-ca-file'];
  const frontProxy =
    authorityFile === '' ? undefined : { authority: readAuthority(authorityFile), names: values['requestheader-allowed-names'] };
  const sources = {
    pods: informers.of(PODS),
    nodes: informers.of(NODES),
    owners: [informers.of(metadataOf(resourceOf('apps.v1.ReplicaSet'))), informers.of(metadataOf(resourceOf('apps.v1.StatefulSet')))],
    clock,
  };
  return startSimulationServer({
    host: values['bind-address'],
    port: values.port,
    certificate,
    frontProxy,
    isMetricsPath,
    metrics: (path, query) => respondWithMetrics(sources, path, query),
    logger,
  });
}

function readAuthority(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`--requestheader-client-ca-file: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** What {@link runWithRestarts} runs, and when. */
interface LeadOptions {
  /** Whether `lead` runs only while this process holds the Lease of the simulation. */
  readonly isElected: boolean;
  readonly lead: (context: SimulationContext) => Promise<void>;
}

/**
 * Calls `lead`, and calls it again after each end or failure, until the signal is aborted. Never rejects. With an
 * election, the writes of `lead` name the term of its Lease, so that the API server refuses them after another process
 * has taken over (`RestClient.withFence`).
 */
async function runWithRestarts(context: SimulationContext, { isElected, lead }: LeadOptions): Promise<void> {
  const { client, clock, random, logger, names, signal } = context;
  const lease = { namespace: names.systemNamespace, name: LEASE_NAME };
  const identity = `${hostname()}_${random.uuid()}`;
  while (!signal.aborted) {
    try {
      if (isElected) {
        await new LeaderElection({ client, clock, random, logger, lease, identity, ...ELECTION }).run(signal, (term) =>
          lead({ ...context, client: client.withFence(term.fence), signal: term.signal }),
        );
      } else await lead(context);
    } catch (error) {
      if (!signal.aborted) logger.error('the simulation failed and is started again', { error });
    }
    await sleepUnlessAborted(clock, RESTART_MS, signal);
  }
}

/** Where API servers reach the server of the simulation. */
export interface SimulationEndpoint {
  readonly host: string;
  readonly port: number;
  /** PEM. The authority of the server's certificate. */
  readonly authority: string;
  /** Whether the metrics API is registered, not only the kubelet API of the nodes. */
  readonly servesMetrics: boolean;
}

/**
 * Simulates until the signal is aborted, or until a part fails (heartbeats, kubelets, scheduler or the registration of
 * the metrics API). Then it ends the other parts and rejects with the error. `endpoint` is undefined when the simulation
 * has no server.
 */
export async function simulate(
  { signal: outer, ...parts }: SimulationContext,
  settings: SimulationSettings,
  endpoint: SimulationEndpoint | undefined,
): Promise<void> {
  const ending = new AbortController();
  const end = (): void => ending.abort();
  if (outer.aborted) return;
  outer.addEventListener('abort', end, { once: true });
  const { signal } = ending;
  const context: SimulationContext = { ...parts, signal };
  const { client, clock, random, logger, informers } = context;
  const [nodes, pods] = [informers.of(NODES), informers.of(PODS)];
  const recorder = (component: string): EventRecorder => new EventRecorder({ client, clock, random, logger, component, signal });
  if (!(await waitForSync([nodes, pods], signal))) return;
  const heartbeats = new NodeHeartbeats(context, nodes, {
    count: settings.nodes,
    capacity: settings.capacity,
    zones: settings.zones,
    addressRange: settings.nodeRange,
    endpoint: endpoint === undefined ? undefined : { host: endpoint.host, port: endpoint.port },
  });
  const kubelets = new Kubelets(
    { ...context, events: recorder('simulated-kubelet') },
    { nodes, pods, podRange: settings.podRange, internalIpOf: (node) => heartbeats.internalIpOf(node) },
  );
  const scheduler = new Scheduler({ ...context, events: recorder('simulated-scheduler') });
  const registration = endpoint?.servesMetrics === true ? registerMetricsApi(context, endpoint) : Promise.resolve();
  const running = [heartbeats.run(), kubelets.run(), scheduler.run(), registration];
  try {
    await Promise.all(running);
  } finally {
    end();
    outer.removeEventListener('abort', end);
    await Promise.allSettled(running);
  }
}
