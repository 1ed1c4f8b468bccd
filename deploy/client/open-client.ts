/**
 * Connects a program to an API server: a typed REST client, informers, work queues and an event recorder. Informers
 * start with their first use. Everything ends with `close()`; the program decides what to watch and write.
 */
import { EventRecorder } from '../../shared/client/events/event-recorder';
import { InformerPool } from '../../shared/client/informer/informer-pool';
import { readKubeconfig } from '../../shared/client/kubeconfig/kubeconfig';
import { ItemRateLimiter } from '../../shared/client/rate-limiter';
import { RestClient } from '../../shared/client/rest/rest-client';
import { connect } from '../../shared/client/transport/connect';
import { WorkQueue } from '../../shared/client/work-queue/work-queue';
import { runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import type { Dialect } from '../../shared/names/dialect';
import { systemClock as clock } from '../../shared/runtime/clock';
import { createLogger, type LogLevel } from '../../shared/runtime/logger';
import { systemRandom as random } from '../../shared/runtime/random';

/** The cluster, and how the program appears there. */
export interface ClientOptions {
  /** Path of a kubeconfig. */
  readonly kubeconfig: string;
  /** The name of the program: its User-Agent, the field manager of its writes and the source of its Events. */
  readonly name: string;
  /** The spelling of group names in requests and objects: `platform.io` or `k8s.io`. Default: `platform`. */
  readonly naming?: Dialect;
  /** Level of the log on standard error. Default: `warn`. */
  readonly logLevel?: LogLevel;
}

export interface OpenClient {
  readonly client: RestClient;
  readonly informers: InformerPool;
  readonly events: EventRecorder;
  /** Aborted by `close()`. */
  readonly signal: AbortSignal;
  /** A queue that returns failed items after an exponential back-off. */
  newQueue(): WorkQueue;
  /**
   * Calls `work` for each item of the queue, at most `concurrency` (by default 1) at a time and never concurrently for one
   * item. When `work` throws, the item returns after its back-off. Resolves after `close()`, when the last call has ended.
   */
  runWorkers(queue: WorkQueue, work: (item: string) => Promise<WorkOutcome>, concurrency?: number): Promise<void>;
  /**
   * Ends informers, workers with their queues, and connections: no further call of `work` starts. Resolves when the
   * informers have ended. It waits neither for running calls of `work` (await the promise of `runWorkers` for that) nor for
   * queued Events (await `events.flush()` before): their further requests fail.
   */
  close(): Promise<void>;
}

/** Throws when the kubeconfig cannot be used. Connects with the first request. */
export function openClient({ kubeconfig, name, naming = 'platform', logLevel = 'warn' }: ClientOptions): OpenClient {
  const logger = createLogger({ level: logLevel, clock });
  const closing = new AbortController();
  const { signal } = closing;
  const { transport, credentials } = connect(readKubeconfig(kubeconfig), clock);
  const client = new RestClient({ transport, credentials, dialect: naming, userAgent: name, clock, random });
  const informers = new InformerPool({ client, clock, random, logger }, signal);
  return {
    client,
    informers,
    events: new EventRecorder({ client, clock, random, logger, component: name, signal }),
    signal,
    newQueue: () => new WorkQueue({ clock, limit: new ItemRateLimiter({ clock }) }),
    runWorkers: (queue, work, concurrency = 1) => runWorkers({ queue, concurrency, logger, signal, work }),
    async close() {
      closing.abort();
      await informers.ended();
      transport.close();
    },
  };
}
