/** The second phase: what the server says about itself – metrics and health – and the states and counts that they look at. Serves nothing. */
import { Health } from '../../../shared/runtime/health';
import { serverChecks, sharedCheck } from '../../health/server-checks';
import { Metrics } from '../../metrics/metrics';
import { droppedLines } from '../../../shared/runtime/logger';
import { Turns } from '../../../shared/runtime/turns';
import { Connections } from '../connections';
import { InFlight } from '../in-flight';
import { ServerState } from '../state';
import type { Setting } from './setting';
import type { State } from './state';

export interface Observation {
  readonly progress: ServerState;
  readonly inFlight: InFlight;
  readonly turns: Turns;
  readonly connections: Connections;
  readonly metrics: Metrics;
  readonly health: Health;
  /** What is wrong with the store; undefined = it answers. */
  readonly storeAnswers: () => Promise<string | undefined>;
}

export function observe(setting: Setting, state: State): Observation {
  const { options, store, clock } = setting;
  const progress = new ServerState(options.sendRetryAfter);
  const inFlight = new InFlight({ readOnly: options.maxReadOnly, mutating: options.maxMutating });
  const connections = new Connections(options.connectionCaps);
  const turns = new Turns(clock);
  const metrics = metricsOf(setting, state, { inFlight, turns, connections });
  const storeAnswers = sharedCheck((call) => store.revision(call), clock);
  const storeTakesWrites = sharedCheck((call) => store.health(call), clock);
  return {
    progress,
    inFlight,
    turns,
    connections,
    metrics,
    health: healthOf(setting, state, { progress, metrics, storeAnswers, storeTakesWrites }),
    storeAnswers,
  };
}

type Counted = Pick<Observation, 'inFlight' | 'turns' | 'connections'>;

function metricsOf(
  { options, store, clock, configurations }: Setting,
  { cache, ledger }: State,
  { inFlight, turns, connections }: Counted,
): Metrics {
  return new Metrics(clock, options.gates, {
    storageObjects: () => cache.storedTypes().map((type) => [type.name, cache.ready ? cache.snapshot(type).size : -1] as const),
    storage: () => store.status().catch(() => undefined),
    inFlight: () => inFlight,
    turns,
    droppedLines,
    connections,
    configurations: () => configurations,
    audit: options.audit?.counts,
    ledger,
    cache: () => cache.statistics,
    cacheRevision: () => cache.revision,
  });
}

type Observed = Pick<Observation, 'progress' | 'metrics' | 'storeAnswers'> & {
  readonly storeTakesWrites: () => Promise<string | undefined>;
};

function healthOf(
  { options, clock, logger, configurations }: Setting,
  { cache }: State,
  { progress, metrics, storeAnswers, storeTakesWrites }: Observed,
): Health {
  return new Health(
    serverChecks({ storeAnswers, storeTakesWrites, cache, state: progress, bootstrapped: () => progress.bootstrapped, configurations }),
    clock,
    options.livezGraceMs,
    // Before the first readiness a failing check is nothing to worry about.
    (endpoint, name, reason) => logger[progress.bootstrapped ? 'warn' : 'info']('health check failed', { endpoint, name, reason }),
    (endpoint, name, healthy) => metrics.healthCheck(endpoint, name, healthy),
  );
}
