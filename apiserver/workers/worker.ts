/**
 * One of several workers: stops gracefully on SIGTERM, renders its metrics for the supervisor over the IPC channel, and
 * serves the metrics of all workers, so that a scrape of the shared port sees every worker.
 */
import cluster from 'node:cluster';
import type { Clock } from '../../shared/runtime/clock';
import type { Lifecycle } from '../../shared/runtime/process/lifecycle';
import { sendToParent, type ChildProcessHandle } from '../../shared/runtime/process/parent-message';
import type { MetricsPages, Scrape } from '../metrics/registry/exposition';
import { ScrapeChannel } from './scrape-channel';
import { WORKER_VARIABLE, type MetricsPage } from './worker-message';

/** The part of `process` that a worker uses. */
export interface WorkerProcessHandle extends ChildProcessHandle {
  on(event: string, listener: (message: unknown) => void): unknown;
}

/** Longer than the supervisor waits for one worker. */
const SUPERVISOR_SCRAPE_MS = 10_000;

/** The worker side of the channel to the supervisor. Created in worker processes only. */
export class Worker {
  private own: MetricsPages | undefined;
  private readonly channel: ScrapeChannel;

  constructor(
    /** From 1. */
    readonly number: number,
    clock: Clock,
    private readonly process: WorkerProcessHandle,
  ) {
    this.channel = new ScrapeChannel({
      clock,
      timeoutMs: SUPERVISOR_SCRAPE_MS,
      send: (message) => void sendToParent(process, message),
      render: (page) => this.renderOwn(page),
    });
  }

  /**
   * Stops the lifecycle on SIGTERM, however often it arrives: a signal to the process group reaches the supervisor too,
   * which then sends its own. SIGINT and SIGHUP, which a terminal sends to the group, are left to the supervisor.
   */
  listen(lifecycle: Pick<Lifecycle, 'stop'>): void {
    this.process.on('SIGTERM', () => void lifecycle.stop('SIGTERM'));
    for (const signal of ['SIGINT', 'SIGHUP']) this.process.on(signal, () => undefined);
    this.process.on('message', (message) => this.channel.receive(message));
  }

  /** Publishes this worker's pages to the supervisor; returns those of all workers. */
  shareMetrics(own: MetricsPages): MetricsPages {
    this.own = own;
    return { scrape: () => this.scrapeAll('scrape'), scrapeSlis: () => this.scrapeAll('scrapeSlis') };
  }

  private async *scrapeAll(page: MetricsPage): Scrape {
    const text = await this.channel.request(page);
    if (text === undefined) throw new Error('the metrics of the workers could not be collected in time');
    yield text;
  }

  private async renderOwn(page: MetricsPage): Promise<string> {
    if (this.own === undefined) return '';
    let text = '';
    for await (const chunk of this.own[page]()) text += chunk;
    return text;
  }
}

/** `undefined` in a process that no supervisor has forked. */
export function currentWorker(clock: Clock): Worker | undefined {
  return cluster.isWorker ? new Worker(Number(process.env[WORKER_VARIABLE]), clock, process) : undefined;
}
