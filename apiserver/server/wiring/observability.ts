/** The second phase: what the server says about itself – metrics and health – and the states and counts that they look at. Serves nothing. */
import { hostname } from 'node:os';
import { Health } from '../../../shared/runtime/health';
import { serverChecks, sharedCheck } from '../../health/server-checks';
import { isStartCheck, type StartCheck } from '../../health/start-checks';
import { FlowControl, type FlowMeter } from '../../flow-control/flow-control';
import { FlowControlMetrics } from '../../metrics/flow-control-metrics';
import { Metrics } from '../../metrics/metrics';
import { droppedLines } from '../../../shared/runtime/logger';
import { EventLoopScheduler } from '../../../shared/scheduling/event-loop-scheduler';
import type { Connections } from '../connections/connection-limiter';
import { InFlight } from '../filters/in-flight-limiter';
import type { ServerState } from '../filters/server-state';
import { ENCRYPTION, type Listening, type ServerOptions, type Setting } from './server-options';
import type { State } from './cluster-state';

export interface Observation {
  readonly progress: ServerState;
  readonly inFlight: InFlight;
  readonly flowControl: FlowControl | undefined;
  readonly scheduler: EventLoopScheduler;
  readonly connections: Connections;
  readonly metrics: Metrics;
  readonly health: Health;
  /** What is wrong with the store; undefined = it answers. */
  readonly storeAnswers: () => Promise<string | undefined>;
}

export function observe(
  setting: Setting,
  state: State,
  { progress, connections }: Pick<Listening, 'progress' | 'connections'>,
): Observation {
  const { options, store, clock } = setting;
  const { maxReadOnly, maxMutating } = options;
  const flowMetrics = new FlowControlMetrics();
  const flowControl = flowControlOf(setting, flowMetrics);
  // Flow control has its own limits; this counts then.
  const inFlight = new InFlight(
    flowControl === undefined ? { readOnly: maxReadOnly, mutating: maxMutating } : { readOnly: 0, mutating: 0 },
  );
  const scheduler = new EventLoopScheduler(clock);
  const metrics = metricsOf(setting, state, { inFlight, scheduler, connections, flowControl, flowMetrics });
  const storeAnswers = sharedCheck((call) => store.revision(call), clock);
  const storeTakesWrites = sharedCheck((call) => store.health(call), clock);
  return {
    progress,
    inFlight,
    flowControl,
    scheduler,
    connections,
    metrics,
    health: healthOf(setting, state, { progress, metrics, flowControl, storeAnswers, storeTakesWrites }),
    storeAnswers,
  };
}

/** Requests wait a quarter of their time at most, as upstream's. */
const WAITING_SHARE = 4;

export const usesFlowControl = ({
  flowControl,
  maxReadOnly,
  maxMutating,
}: Pick<ServerOptions, 'flowControl' | 'maxReadOnly' | 'maxMutating'>): boolean => flowControl !== false && maxReadOnly + maxMutating > 0;

function flowControlOf({ options, clock }: Setting, metrics: FlowControlMetrics): FlowControl | undefined {
  if (!usesFlowControl(options)) return undefined;
  const seats = options.maxReadOnly + options.maxMutating;
  const meterFor = (schema: string, level: string): FlowMeter => metrics.meterOf(schema, level);
  return new FlowControl({ clock, seats, maxWaitMs: options.requestTimeoutMs / WAITING_SHARE, meterFor });
}

type Counted = Pick<Observation, 'inFlight' | 'scheduler' | 'connections' | 'flowControl'> & { readonly flowMetrics: FlowControlMetrics };

function metricsOf(
  { options, store, clock, configurations, encryption, meters, tracing, storeCalls }: Setting,
  { cache, ledger, registrations: { registrations } }: State,
  { inFlight, scheduler, connections, flowControl, flowMetrics }: Counted,
): Metrics {
  return new Metrics(
    clock,
    options.gates,
    {
      storageObjects: () => cache.storedTypes().map((type) => [type.name, cache.ready ? cache.snapshot(type).size : -1] as const),
      storage: () => store.status().catch(() => undefined),
      inFlight: () => inFlight,
      flowControl: flowControl === undefined ? undefined : { state: flowControl, counts: flowMetrics },
      scheduler,
      droppedLines,
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
      ledger,
      cache: () => cache.statistics,
      cacheRevision: () => cache.revision,
      registrations: () => registrations.states(),
    },
    options.naming,
    meters,
  );
}

const OF_FLOW_CONTROL: readonly StartCheck[] = [
  'poststarthook/priority-and-fairness-config-consumer',
  'poststarthook/priority-and-fairness-filter',
];
const WITHOUT_FLOW_CONTROL: readonly StartCheck[] = ['poststarthook/max-in-flight-filter'];

/** The checks that are no part of the start of a server with or without flow control. */
export const absentStartChecks = (hasFlowControl: boolean): ReadonlySet<StartCheck> =>
  new Set(hasFlowControl ? WITHOUT_FLOW_CONTROL : OF_FLOW_CONTROL);

type Observed = Pick<Observation, 'progress' | 'metrics' | 'flowControl' | 'storeAnswers'> & {
  readonly storeTakesWrites: () => Promise<string | undefined>;
};

function healthOf(
  { options, clock, logger, configurations, encryption }: Setting,
  { cache }: State,
  { progress, metrics, flowControl, storeAnswers, storeTakesWrites }: Observed,
): Health {
  return new Health(
    serverChecks({
      storeAnswers,
      storeTakesWrites,
      cache,
      state: progress,
      neverStarted: absentStartChecks(flowControl !== undefined),
      configurations,
      keyServices: encryption?.health,
    }),
    clock,
    options.livezGraceMs,
    // Before the first readiness a failing check is nothing to worry about, least of all one that says that there is more to do.
    (endpoint, name, reason) =>
      logger[progress.bootstrapped ? 'warn' : isStartCheck(name) ? 'debug' : 'info']('health check failed', { endpoint, name, reason }),
    (endpoint, name, healthy) => metrics.healthCheck(endpoint, name, healthy),
  );
}
