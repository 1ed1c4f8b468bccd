/**
 * The context of controllers over the in-memory API server: queues and informers use its clock; metrics and logs are
 * discarded.
 */
import type { MetricMaker } from '../../../controllers/runtime/controller';
import { InformerPool } from '../../../shared/client/informer/informer-pool';
import { ItemRateLimiter } from '../../../shared/client/rate-limiter';
import { WorkQueue } from '../../../shared/client/work-queue/work-queue';
import { silentLogger } from '../../../shared/runtime/logger';
import type { fakeClient } from './fake-client';

type Fake = Pick<ReturnType<typeof fakeClient>, 'client' | 'clock' | 'random'>;

/** A controller that runs with this context ends when the signal is aborted. */
export function fakeContext({ client, clock, random }: Fake, signal: AbortSignal) {
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
    queue: () => new WorkQueue({ clock, limit: new ItemRateLimiter({ clock }) }),
  };
}
