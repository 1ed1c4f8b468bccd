/**
 * The second phase of the construction of a server: metrics and health checks, and the limits and counters that they
 * read. Opens nothing. Flow control starts its periodic allocation of seats here, which the startup sequence stops.
 */
import { hostname } from 'node:os';
import { HealthChecks, type HealthCheckResult } from '../../../shared/runtime/health';
import { throttleByKey } from '../../../shared/runtime/throttle';
import { createServerChecks, createSharedCheck, createSpaceCheck } from '../../health/server-checks';
import { isStartCheck, type StartCheck } from '../../health/start-checks';
import { FlowControl, type FlowMeter } from '../../flow-control/flow-control';
import { FlowControlMetrics } from '../../metrics/requests/flow-control-metrics';
import { Metrics } from '../../metrics/metrics';
import { droppedLogLines } from '../../../shared/runtime/logger';
import { EventLoopScheduler } from '../../../shared/scheduling/event-loop-scheduler';
import type { ConnectionLimiter } from '../connections/connection-limiter';
import { InFlightLimiter } from '../filters/in-flight-limiter';
import type { ServerState } from '../filters/server-state';
import { ENCRYPTION, type Listening, type ServerOptions, type ServerContext } from './server-options';
import type { ClusterState } from './cluster-state';

/** Metrics, health, and the limits of concurrency of a server. */
export interface Observability {
  readonly serverState: ServerState;
  readonly inFlight: InFlightLimiter;
  /** `undefined` when only the in-flight limits apply. */
  readonly flowControl: FlowControl | undefined;
  readonly scheduler: EventLoopScheduler;
  readonly connections: ConnectionLimiter;
  readonly metrics: Metrics;
  readonly health: HealthChecks;
  /** Resolves with the problem with the store; with `undefined` when it responds. */
  readonly checkStoreRead: () => Promise<string | undefined>;
}

/** Called once per server, before it serves requests. */
export function createObservability(
  context: ServerContext,
  state: ClusterState,
  { serverState, connections }: Pick<Listening, 'serverState' | 'connections'>,
): Observability {
  const { options, store, clock } = context;
  const { maxReadOnly, maxMutating } = options;
  const flowMetrics = new FlowControlMetrics();
  const flowControl = createFlowControl(context, flowMetrics);
  // With flow control, which has limits of its own, the limiter only counts: 0 means unlimited.
  const inFlight = new InFlightLimiter(
    flowControl === undefined ? { readOnly: maxReadOnly, mutating: maxMutating } : { readOnly: 0, mutating: 0 },
  );
  const scheduler = new EventLoopScheduler(clock);
  const metrics = createMetrics(context, state, { inFlight, scheduler, connections, flowControl, flowMetrics });
  const checkStoreRead = createSharedCheck((call) => store.revision(call), clock);
  const checkStoreWrite = createSharedCheck((call) => store.health(call), clock);
  return {
    serverState,
    inFlight,
    flowControl,
    scheduler,
    connections,
    metrics,
    health: createHealth(context, state, { serverState, metrics, flowControl, checkStoreRead, checkStoreWrite }),
    checkStoreRead,
  };
}

/** A request may wait in a queue for its time-out divided by this, as in upstream. */
const QUEUE_TIME_DIVISOR = 4;

/** Whether requests take seats of priority levels. Otherwise only the in-flight limits apply. */
export const usesFlowControl = ({
  flowControl,
  maxReadOnly,
  maxMutating,
}: Pick<ServerOptions, 'flowControl' | 'maxReadOnly' | 'maxMutating'>): boolean => flowControl !== false && maxReadOnly + maxMutating > 0;

function createFlowControl({ options, clock }: ServerContext, metrics: FlowControlMetrics): FlowControl | undefined {
  if (!usesFlowControl(options)) return undefined;
  const seats = options.maxReadOnly + options.maxMutating;
  const meterFor = (schema: string, level: string): FlowMeter => metrics.meterOf(schema, level);
  return new FlowControl({ clock, seats, maxWaitMs: options.requestTimeoutMs / QUEUE_TIME_DIVISOR, meterFor });
}

type MetricsSources = Pick<Observability, 'inFlight' | 'scheduler' | 'connections' | 'flowControl'> & {
  readonly flowMetrics: FlowControlMetrics;
};

function createMetrics(
  { options, store, clock, configurations, encryption, meters, certificates, tracing, storeCalls }: ServerContext,
  { cache, allocator, registrations: { registrations } }: ClusterState,
  { inFlight, scheduler, connections, flowControl, flowMetrics }: MetricsSources,
): Metrics {
  return new Metrics(
    { clock, gates: options.gates, naming: options.naming, meters },
    {
      storageObjects: () => cache.storedTypes().map((type) => [type.name, cache.isReady ? cache.snapshot(type).size : -1] as const),
      storage: () => store.status().catch(() => undefined),
      inFlight: () => inFlight,
      flowControl: flowControl === undefined ? undefined : { state: flowControl, counts: flowMetrics },
      scheduler,
      droppedLines: droppedLogLines,
      connections,
      configurations: () => configurations,
      server: `${hostname()}:${options.port}`,
      encryption: encryption && {
        metrics: encryption.metrics,
        server: encryption.server,
        reloads: () => configurations.find(({ name }) => name === ENCRYPTION),
      },
      audit: options.audit?.counts,
      spans: tracing?.counts,
      storeCalls,
      allocator,
      cache: () => cache.statistics,
      cacheRevision: () => cache.revision,
      certificates: () => certificates.entries(),
      registrations: () => registrations.list(),
    },
  );
}

/** Minimum time between two equal log lines about a failing check, which probes repeat every second or so. */
const HEALTH_LOG_INTERVAL_MS = 30_000;

const CHECKS_WITH_FLOW_CONTROL: readonly StartCheck[] = [
  'poststarthook/priority-and-fairness-config-consumer',
  'poststarthook/priority-and-fairness-filter',
];
const CHECKS_WITHOUT_FLOW_CONTROL: readonly StartCheck[] = ['poststarthook/max-in-flight-filter'];

/** The startup checks that do not exist with, or without, flow control. */
export const absentStartChecks = ({ hasFlowControl }: { readonly hasFlowControl: boolean }): ReadonlySet<StartCheck> =>
  new Set(hasFlowControl ? CHECKS_WITHOUT_FLOW_CONTROL : CHECKS_WITH_FLOW_CONTROL);

type HealthSources = Pick<Observability, 'serverState' | 'metrics' | 'flowControl' | 'checkStoreRead'> & {
  readonly checkStoreWrite: () => Promise<string | undefined>;
};

function createHealth(
  { options, store, isStoreFull = () => false, clock, logger, configurations, encryption }: ServerContext,
  { cache }: ClusterState,
  { serverState, metrics, flowControl, checkStoreRead, checkStoreWrite }: HealthSources,
): HealthChecks {
  // Until the server is ready for the first time, failing checks are no reason to warn: those of incomplete startup steps
  // fail at every start.
  const logLevel = (check: string): 'debug' | 'info' | 'warn' => {
    if (serverState.isBootstrapped) return 'warn';
    return isStartCheck(check) ? 'debug' : 'info';
  };
  const logFailure = throttleByKey(
    clock,
    HEALTH_LOG_INTERVAL_MS,
    ({ endpoint, check, reason }) => `${serverState.isBootstrapped} ${endpoint} ${check} ${reason}`,
    ({ endpoint, check, reason }: HealthCheckResult) => logger[logLevel(check)]('health check failed', { endpoint, name: check, reason }),
  );
  return new HealthChecks(
    createServerChecks({
      checkStoreRead,
      checkStoreWrite,
      checkStoreSpace: createSpaceCheck(store, isStoreFull, clock),
      cache,
      state: serverState,
      neverStarted: absentStartChecks({ hasFlowControl: flowControl !== undefined }),
      configurations,
      checkKmsProviders: encryption?.health,
    }),
    {
      clock,
      livezGraceMs: options.livezGraceMs,
      onResult: (result) => {
        metrics.recordHealthCheck({ endpoint: result.endpoint, name: result.check, isHealthy: result.reason === undefined });
        if (result.reason !== undefined) logFailure(result);
      },
    },
  );
}
