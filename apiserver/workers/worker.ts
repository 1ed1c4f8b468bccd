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

/** The part of `process` that a worker uses: messages of the supervisor, and signals. */
export interface WorkerProcessHandle extends ChildProcessHandle {
  on(event: string, listener: (message: unknown) => void): unknown;
}

/**
 * How long the supervisor may take to merge the pages of all workers: longer than the five seconds that it waits for each
 * of them (`WORKER_SCRAPE_MS` in worker-pool.ts).
 */
const SUPERVISOR_SCRAPE_MS = 10_000;

/** This process as a worker. Created in worker processes only. */
export class Worker {
  /** Set by {@link shareMetrics}; until then the supervisor receives empty pages. */
  private ownPages: MetricsPages | undefined;
  private readonly channel: ScrapeChannel;

  constructor(
    /** From 1; the same after a restart. */
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
   * Handles signals, and messages of the supervisor. SIGTERM stops the lifecycle. It may arrive twice: a signal to the
   * process group reaches the supervisor too, which then sends SIGTERM to its workers. SIGINT and SIGHUP, which a terminal
   * sends to the group, have no effect here: the supervisor handles them and sends SIGTERM.
   */
  listen(lifecycle: Pick<Lifecycle, 'stop'>): void {
    this.process.on('SIGTERM', () => void lifecycle.stop('SIGTERM'));
    for (const signal of ['SIGINT', 'SIGHUP']) this.process.on(signal, () => undefined);
    this.process.on('message', (message) => this.channel.receive(message));
  }

  /** Makes this worker's pages available to the supervisor, and returns pages with the metrics of all workers. */
  shareMetrics(ownPages: MetricsPages): MetricsPages {
    this.ownPages = ownPages;
    return { scrape: () => this.scrapeAll('scrape'), scrapeSlis: () => this.scrapeAll('scrapeSlis') };
  }

  private async *scrapeAll(page: MetricsPage): Scrape {
    const text = await this.channel.request(page);
    if (text === undefined) throw new Error('the metrics of the workers could not be collected in time');
    yield text;
  }

  private async renderOwn(page: MetricsPage): Promise<string> {
    if (this.ownPages === undefined) return '';
    let text = '';
    for await (const chunk of this.ownPages[page]()) text += chunk;
    return text;
  }
}

/** This process as a worker; `undefined` in a process that no supervisor has forked. */
export function currentWorker(clock: Clock): Worker | undefined {
  return cluster.isWorker ? new Worker(Number(process.env[WORKER_VARIABLE]), clock, process) : undefined;
}
