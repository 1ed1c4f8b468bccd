/**
 * Runs controllers concurrently, each under its own lease: any number of processes may run any selection of
 * controllers, and each controller is active in at most one process. A process with several controllers first acquires
 * one outer lease, which processes with the same selection share. Only the outer lease is renewed often. A controller
 * that fails is restarted with back-off. Without leader election there are no leases, and only one process may run.
 */
import { createHash } from 'node:crypto';
import type { Fence } from '../../shared/api/identity/fencing';
import { BackOff } from '../../shared/client/back-off';
import { EventRecorder } from '../../shared/client/events/event-recorder';
import type { InformerPool } from '../../shared/client/informer/informer-pool';
import { LeaderElection, type Term } from '../../shared/client/leader-election/leader-election';
import { ItemRateLimiter } from '../../shared/client/rate-limiter';
import type { RestClient } from '../../shared/client/rest/rest-client';
import { sleepUnlessAborted } from '../../shared/client/signals';
import { WorkQueue } from '../../shared/client/work-queue/work-queue';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import { WORKLOAD_NAMES } from '../../shared/names/workload';
import type { Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/logger';
import type { Random } from '../../shared/runtime/random';
import { errorMessage } from '../../shared/runtime/error-message';
import type { Controller, ControllerContext, ControllerSettings } from './controller';
import type { ControllerMetrics } from './metrics';

/**
 * Where the Leases are, and their times. The lease of a controller that is nested in an outer one is longer, by
 * {@link INNER_LEASE_FACTOR}.
 */
export interface ElectionSettings {
  readonly namespace: string;
  /** The prefix of the Leases' names, which are `{prefix}-{controller}`. */
  readonly prefix: string;
  /** A lease that was not renewed for this time may be acquired by another process. */
  readonly durationMs: number;
  /** A leader that could not renew its lease for this time stops leading; less than `durationMs`. */
  readonly renewDeadlineMs: number;
  /** The time between two attempts to acquire a lease or to renew it after a failure. */
  readonly retryMs: number;
}

/** What {@link runControllers} needs besides the controllers; shared by all of them. */
export interface ManagerOptions {
  /** The client that reads and renews Leases. */
  readonly client: RestClient;
  /** The client of a controller, with its credentials and User-Agent. */
  readonly clientOf: (controller: Controller) => RestClient;
  readonly informers: InformerPool;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: ControllerMetrics;
  readonly settings: ControllerSettings;
  /** The holder identity in leases; unique among all processes. */
  readonly identity: string;
  /** `undefined` to run without leader election, for a single process. */
  readonly election: ElectionSettings | undefined;
  /** Called with the error message of a controller that failed, and with undefined when a controller is started. */
  readonly onProblem: (controller: Controller, problem: string | undefined) => void;
}

/**
 * How many times longer the lease of a controller lasts than the outer lease. It may be long and is renewed rarely,
 * because a standby process waits for the outer lease first: a failed leader is replaced once that one has expired.
 */
const INNER_LEASE_FACTOR = 15;

/** Resolves after the signal was aborted, all controllers have ended, and their leases are released. */
export async function runControllers(controllers: readonly Controller[], options: ManagerOptions, signal: AbortSignal): Promise<void> {
  const { election, logger } = options;
  const runAll = async (until: AbortSignal, outerFence?: Fence): Promise<void> => {
    await Promise.all(controllers.map((controller) => runWithRestarts(controller, { ...options, outerFence }, until)));
  };
  if (election === undefined || controllers.length < 2) return runAll(signal);
  await runElection(controllerSetName(controllers), { ...options, election, logger }, signal, (term) => runAll(term.signal, term.fence));
}

/** Equal for all processes with the same selection of controllers. */
function controllerSetName(controllers: readonly Controller[]): string {
  const names = controllers.map(({ name }) => name).sort();
  return `set-${createHash('sha256').update(names.join(' ')).digest('hex').slice(0, 10)}`;
}

interface RunOptions extends ManagerOptions {
  /** Names this process' term of the outer lease, so that writes fail after it (see {@link Fence}); `undefined` without one. */
  readonly outerFence: Fence | undefined;
}

/** Resolves after the signal was aborted. A controller that ends without a failure is started again, too. */
async function runWithRestarts(controller: Controller, options: RunOptions, signal: AbortSignal): Promise<void> {
  const { clock, random } = options;
  const logger = options.logger.child({ controller: controller.name });
  const backOff = new BackOff(random, { initialMs: 1_000, maxMs: 30_000 });
  while (!signal.aborted) {
    try {
      options.onProblem(controller, undefined);
      await runOnce(controller, { ...options, logger }, signal);
    } catch (error) {
      if (signal.aborted) return;
      options.onProblem(controller, errorMessage(error));
      logger.error('a controller failed and is restarted', { error });
    }
    await sleepUnlessAborted(clock, backOff.next(), signal);
  }
}

/**
 * Runs the controller without leader election, or in each term in which this process holds the controller's own lease.
 * Resolves when the controller ends or the signal is aborted; rejects with the error of the controller.
 */
async function runOnce(controller: Controller, options: RunOptions, signal: AbortSignal): Promise<void> {
  const { clientOf, election, outerFence } = options;
  const client = clientOf(controller);
  if (election === undefined) {
    await controller.run(contextFor(controller, { ...options, client, signal }));
    return;
  }
  await runElection(
    controller.name,
    { ...options, election: outerFence === undefined ? election : innerElection(election) },
    signal,
    ({ fence, signal: termSignal }) =>
      controller.run(contextFor(controller, { ...options, client: client.withFence(fence), signal: termSignal })),
  );
}

const innerElection = (election: ElectionSettings): ElectionSettings => ({
  ...election,
  durationMs: election.durationMs * INNER_LEASE_FACTOR,
  renewDeadlineMs: election.renewDeadlineMs * INNER_LEASE_FACTOR,
});

/** Calls `lead` in each term in which this process holds the lease of that name. */
function runElection(
  name: string,
  options: ManagerOptions & { readonly election: ElectionSettings; readonly outerFence?: Fence | undefined },
  signal: AbortSignal,
  lead: (term: Term) => Promise<void>,
): Promise<void> {
  const { client, clock, random, logger, metrics, identity, outerFence } = options;
  const { namespace, prefix, ...times } = options.election;
  const lease = { namespace, name: `${prefix}-${name}` };
  const onChange = (isLeading: boolean): void => metrics.setLeading(lease.name, isLeading);
  return new LeaderElection({ client, clock, random, logger, lease, identity, within: outerFence, onChange, ...times }).run(signal, lead);
}

/**
 * The context of one run of the controller. `client`: the controller's own; with leader election, its writes name the term
 * of its lease. `signal`: aborted when the lease is lost or the process ends.
 */
function contextFor(
  { name, component = `${name}-controller` }: Controller,
  { client, informers, clock, random, logger, metrics, settings, signal }: ManagerOptions & { readonly signal: AbortSignal },
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
      const queue = new WorkQueue({ clock, limit: new ItemRateLimiter({ clock, ...backOff }), metrics: metrics.queue(queueName) });
      metrics.registerQueue(queueName, queue);
      return queue;
    },
    metrics,
  };
}
