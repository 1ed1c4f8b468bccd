/**
 * The loop of autoscalers in the process of a test, against a real server, for one namespace: it stands still until it is told to go on, so that nothing is waited for
 * and nobody looks between two requests of a step.
 */
import { runAutoscalers } from '../../controllers/autoscalers/controller';
import { EventRecorder } from '../../shared/client/event-recorder';
import type { Informer } from '../../shared/client/informer';
import { InformerPool, type Collection, type PoolOptions } from '../../shared/client/informer-pool';
import { ItemRateLimit } from '../../shared/client/rate-limit';
import { knownResource } from '../../shared/client/resource';
import { NO_QUEUE_METRICS, WorkQueue } from '../../shared/client/work-queue';
import { silentLogger } from '../../shared/runtime/logger';
import { systemClock } from '../../shared/runtime/clock';
import { systemRandom } from '../../shared/runtime/random';
import { adminClient } from './control-plane';
import { ManualClock } from './manual-clock';
import { waitUntil, type ApiServer } from './programs';

const PERIOD_MS = 1_000;
const COLLECTIONS = [knownResource('pods'), knownResource('horizontalpodautoscalers.autoscaling')];

export interface ByHand {
  /** Lets a period pass, once everything that was written is seen, and resolves when all that came of it is done. */
  readonly goOn: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

class ScopedPool extends InformerPool {
  constructor(
    options: PoolOptions,
    signal: AbortSignal,
    private readonly namespace: string,
  ) {
    super(options, signal);
  }

  override of(collection: Collection): Informer {
    return super.of({ ...collection, namespace: this.namespace });
  }
}

/** Knows when nobody works on anything that is not to come later. */
class Idle {
  private open = 0;
  private wake: () => void = () => undefined;

  readonly metrics = {
    ...NO_QUEUE_METRICS,
    added: () => void (this.open += 1),
    finished: () => {
      this.open -= 1;
      if (this.open === 0) this.wake();
    },
  };

  async wait(): Promise<void> {
    while (this.open > 0) await new Promise<void>((resolve) => (this.wake = resolve));
  }
}

export async function autoscalersByHand({ address, certificates }: ApiServer, namespace: string): Promise<ByHand> {
  const client = adminClient([address], certificates, { dialect: 'kubernetes' });
  const end = new AbortController();
  const { signal } = end;
  const clock = new ManualClock(systemClock.now());
  const [random, logger] = [systemRandom, silentLogger];
  const informers = new ScopedPool({ client, clock: systemClock, random, logger }, signal, namespace);
  const events = new EventRecorder({ client, clock: systemClock, random, logger, component: 'horizontal-pod-autoscaler', signal });
  const idle = new Idle();
  const ended = runAutoscalers({
    client,
    clock,
    signal,
    random,
    logger,
    informers,
    events,
    settings: {
      autoscaling: {
        concurrentSyncs: 5,
        periodMs: PERIOD_MS,
        downscaleMs: 300_000,
        tolerance: 0.1,
        readiness: { cpuInitializationMs: 300_000, readinessDelayMs: 30_000 },
      },
    },
    queue: () => new WorkQueue({ clock, limit: new ItemRateLimit({ clock }), metrics: idle.metrics }),
    metrics: { counter: () => () => undefined, histogram: () => () => undefined },
  });
  const followed = COLLECTIONS.map((resource) => informers.of({ resource }));
  await Promise.all(followed.map(({ synced }) => synced));
  const isSeen = async (informer: Informer): Promise<boolean> => {
    const { items } = await client.list(informer.resource, { namespace });
    const known = (one: (typeof items)[number]): boolean => informer.get(one.namespace, one.name)?.resourceVersion === one.resourceVersion;
    return items.length === informer.list().length && items.every(known);
  };
  return {
    goOn: async () => {
      for (const informer of followed) await waitUntil('what was written to be seen', () => isSeen(informer));
      await clock.advanceAsync(PERIOD_MS);
      await idle.wait();
      await events.flush();
    },
    stop: async () => {
      end.abort();
      await clock.advanceAsync(0);
      await ended;
      await informers.ended();
      client.close();
    },
  };
}
