/**
 * Runs the chosen controllers side by side: each under a lease of its own, so that any number of processes may run any choice of them and
 * every controller is active in exactly one. A process with several has them within the term of one more lease, which processes with the same
 * choice share and which alone is renewed often. A controller that fails as a whole is started again.
 */
import { createHash } from 'node:crypto';
import type { Fence } from '../../shared/api/identity/fencing';
import { BackOff } from '../../shared/client/back-off';
import { EventRecorder } from '../../shared/client/events/event-recorder';
import type { InformerPool } from '../../shared/client/informer/informer-pool';
import { LeaderElection, type Term } from '../../shared/client/leader-election/leader-election';
import { ItemRateLimit } from '../../shared/client/rate-limit';
import type { RestClient } from '../../shared/client/rest/rest-client';
import { pause } from '../../shared/client/signals';
import { WorkQueue } from '../../shared/client/work-queue/work-queue';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import { WORKLOAD_NAMES } from '../../shared/names/workload';
import type { Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/logger';
import type { Random } from '../../shared/runtime/random';
import { errorMessage } from '../../shared/runtime/error-message';
import type { Controller, ControllerContext, ControllerSettings } from './controller';
import type { ControllerMetrics } from './metrics';

export interface ElectionSettings {
  readonly namespace: string;
  /** Leases are called this, a hyphen, and the controller's name. */
  readonly prefix: string;
  /** Milliseconds, as in LeaderElectionOptions. */
  readonly durationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryMs: number;
}

export interface ManagerOptions {
  /** Holds leases. */
  readonly client: RestClient;
  /** What a controller acts with. */
  readonly clientOf: (controller: Controller) => RestClient;
  readonly informers: InformerPool;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: ControllerMetrics;
  readonly settings: ControllerSettings;
  /** Names this process in leases. */
  readonly identity: string;
  /** Undefined = no election: this is the only copy. */
  readonly election: ElectionSettings | undefined;
  /** Told of a controller that failed as a whole (what the matter is) and of one that is started (undefined). */
  readonly onState: (controller: Controller, problem: string | undefined) => void;
}

/** A controller's lease within the process's own is renewed so much less often: whoever waits for it looks at the outer one. */
const SELDOM = 15;

/** Resolves when the signal is aborted, all controllers have ended, and their leases are given back. */
export async function runControllers(controllers: readonly Controller[], options: ManagerOptions, signal: AbortSignal): Promise<void> {
  const { election, logger } = options;
  const runAll = async (until: AbortSignal, within?: Fence): Promise<void> => {
    await Promise.all(controllers.map((controller) => keepRunning(controller, { ...options, within }, until)));
  };
  if (election === undefined || controllers.length < 2) return runAll(signal);
  await elect(setName(controllers), { ...options, election, logger }, signal, (term) => runAll(term.signal, term.fence));
}

/** The same for all processes with the same choice of controllers. */
function setName(controllers: readonly Controller[]): string {
  const names = controllers.map(({ name }) => name).sort();
  return `set-${createHash('sha256').update(names.join(' ')).digest('hex').slice(0, 10)}`;
}

interface RunOptions extends ManagerOptions {
  /** The process's own term, where it has one. */
  readonly within: Fence | undefined;
}

async function keepRunning(controller: Controller, options: RunOptions, signal: AbortSignal): Promise<void> {
  const { clock, random } = options;
  const logger = options.logger.child({ controller: controller.name });
  const backOff = new BackOff(random, { firstMs: 1_000, longestMs: 30_000 });
  while (!signal.aborted) {
    try {
      options.onState(controller, undefined);
      await runOnce(controller, options, logger, signal);
    } catch (error) {
      if (signal.aborted) return;
      options.onState(controller, errorMessage(error));
      logger.error('a controller failed and is started again', { error });
    }
    await pause(clock, backOff.next(), signal);
  }
}

async function runOnce(controller: Controller, options: RunOptions, logger: Logger, signal: AbortSignal): Promise<void> {
  const { clientOf, election, within } = options;
  const own = clientOf(controller);
  if (election === undefined) {
    await controller.run(contextFor(controller, options, logger, own, signal));
    return;
  }
  await elect(
    controller.name,
    { ...options, election: within === undefined ? election : seldom(election), logger, within },
    signal,
    (term) => controller.run(contextFor(controller, options, logger, own.fenced(term.fence), term.signal)),
  );
}

const seldom = (election: ElectionSettings): ElectionSettings => ({
  ...election,
  durationMs: election.durationMs * SELDOM,
  renewDeadlineMs: election.renewDeadlineMs * SELDOM,
});

/** Leads under the lease of that name whenever it can be had. */
function elect(
  name: string,
  options: ManagerOptions & { readonly election: ElectionSettings; readonly within?: Fence | undefined },
  signal: AbortSignal,
  lead: (term: Term) => Promise<void>,
): Promise<void> {
  const { client, clock, random, logger, metrics, identity, within } = options;
  const { namespace, prefix, ...times } = options.election;
  const lease = { namespace, name: `${prefix}-${name}` };
  const onChange = (isLeading: boolean): void => metrics.leads(lease.name, isLeading);
  return new LeaderElection({ client, clock, random, logger, lease, identity, within, onChange, ...times }).run(signal, lead);
}

function contextFor(
  { name, component = `${name}-controller` }: Controller,
  { informers, clock, random, metrics, settings }: ManagerOptions,
  logger: Logger,
  client: RestClient,
  signal: AbortSignal,
): ControllerContext {
  return {
    client,
    informers,
    clock,
    random,
    logger,
    settings,
    signal,
    events: new EventRecorder({ client, clock, random, logger, component, signal }),
    names: GENERATED_NAMES[client.dialect],
    workload: WORKLOAD_NAMES[client.dialect],
    queue: ({ name: queueName, ...backOff }) => {
      const queue = new WorkQueue({ clock, limit: new ItemRateLimit({ clock, ...backOff }), metrics: metrics.queue(queueName) });
      metrics.follow(queueName, queue);
      return queue;
    },
    metrics,
  };
}
