/**
 * The context of controllers over the in-memory API server: queues and informers use the clock of the client; metrics
 * and logs are discarded.
 */
import type { MetricMaker, QueueSettings } from '../../../controllers/runtime/controller';
import { InformerPool } from '../../../shared/client/informer/informer-pool';
import { ItemRateLimiter } from '../../../shared/client/rate-limiter';
import { WorkQueue } from '../../../shared/client/work-queue/work-queue';
import { silentLogger } from '../../../shared/runtime/logger';
import type { fakeClient } from './fake-client';

type ClientParts = Pick<ReturnType<typeof fakeClient>, 'client' | 'clock' | 'random'>;

/**
 * Returns the members of a ControllerContext without those that differ between tests: callers add settings, names and
 * an event recorder. A controller that runs with this context ends when the signal is aborted.
 */
export function fakeContext({ client, clock, random }: ClientParts, signal: AbortSignal) {
  const logger = silentLogger;
  const metrics: MetricMaker = {
    counter: () => () => undefined,
    gauge: () => () => undefined,
    histogram: () => () => undefined,
    collectedGauge: () => () => undefined,
  };
  return {
    client,
    clock,
    random,
    signal,
    logger,
    metrics,
    informers: new InformerPool({ client, clock, random, logger }, signal),
    queue: ({ name: _name, ...backOff }: QueueSettings) => new WorkQueue({ clock, limit: new ItemRateLimiter({ clock, ...backOff }) }),
  };
}
