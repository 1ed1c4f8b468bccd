/**
 * Runs the chosen controllers side by side: each under a lease of its own, so that any number of processes may run any choice of them and
 * every controller is active in exactly one. A controller that fails as a whole is started again.
 */
import { BackOff } from '../../shared/client/back-off';
import { EventRecorder } from '../../shared/client/event-recorder';
import type { InformerPool } from '../../shared/client/informer-pool';
import { LeaderElection } from '../../shared/client/leader-election';
import { ItemRateLimit } from '../../shared/client/rate-limit';
import type { RestClient } from '../../shared/client/rest-client';
import { pause } from '../../shared/client/signals';
import { WorkQueue } from '../../shared/client/work-queue';
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

/** Resolves when the signal is aborted, all controllers have ended, and their leases are given back. */
export async function runControllers(controllers: readonly Controller[], options: ManagerOptions, signal: AbortSignal): Promise<void> {
  await Promise.all(controllers.map((controller) => keepRunning(controller, options, signal)));
}

async function keepRunning(controller: Controller, options: ManagerOptions, signal: AbortSignal): Promise<void> {
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

async function runOnce(controller: Controller, options: ManagerOptions, logger: Logger, signal: AbortSignal): Promise<void> {
  const { client, clientOf, clock, random, metrics, identity, election } = options;
  const own = clientOf(controller);
  if (election === undefined) {
    await controller.run(contextFor(controller, options, logger, own, signal));
    return;
  }
  const lease = { namespace: election.namespace, name: `${election.prefix}-${controller.name}` };
  const { durationMs, renewDeadlineMs, retryMs } = election;
  const onChange = (isLeading: boolean): void => metrics.leads(lease.name, isLeading);
  const times = { durationMs, renewDeadlineMs, retryMs };
  await new LeaderElection({ client, clock, random, logger, lease, identity, onChange, ...times }).run(signal, (term) =>
    controller.run(contextFor(controller, options, logger, own.fenced(term.fence), term.signal)),
  );
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
