/**
 * Supervises the workers of an API server: starts them, restarts one that exits, stops all, and renders their merged
 * metrics. The first worker becomes ready before the others start, because it creates what they share: the serving
 * certificate and the initial objects. Leaves forking and signals to its caller.
 */
import type { Clock } from '../../shared/runtime/clock';
import type { RunningProcess } from '../../shared/runtime/process/running-process';
import { Supervisor } from '../../shared/runtime/process/supervisor';
import { mergeMetrics, type WorkerPage } from './merge-metrics';
import { ScrapeChannel } from './scrape-channel';
import type { MetricsPage, WorkerMessage } from './worker-message';

/** A worker as a child process of the supervisor. */
export interface WorkerProcess extends RunningProcess {
  /** Drops the message when the worker has exited. */
  send(message: WorkerMessage): void;
  /** Adds a listener for messages of the worker, which are not validated. */
  onMessage(listener: (message: unknown) => void): void;
}

/** How workers are started, and where their failures are reported. */
export interface WorkerPoolOptions {
  /** The number of workers. */
  readonly size: number;
  readonly clock: Clock;
  /** Starts the worker of a number from 1 to `size`. */
  readonly fork: (worker: number) => WorkerProcess;
  /** Reports the exit of a worker that is restarted, and a worker that is killed. */
  readonly warn: (message: string) => void;
  /** Called with the exit code of a worker that failed in a way which a restart cannot repair, such as invalid flags. */
  readonly onPermanentFailure: (code: number) => void;
}

/** How long a worker may take to render its page; without a response it is left out of the merged page. */
const WORKER_SCRAPE_MS = 5_000;

/** The workers of one API server. */
export class WorkerPool {
  private readonly supervisors: readonly Supervisor[];
  /** The channels of the workers that are ready, by number. */
  private readonly channels = new Map<number, ScrapeChannel>();

  constructor(private readonly options: WorkerPoolOptions) {
    this.supervisors = Array.from({ length: options.size }, (_, index) => this.createSupervisor(index + 1));
  }

  /** Resolves when all workers have reported that they are ready. */
  async start(): Promise<void> {
    const [first, ...others] = this.supervisors;
    first?.start();
    await first?.ready;
    for (const supervisor of others) supervisor.start();
    await Promise.all(others.map(({ ready }) => ready));
  }

  /** Stops all workers at the same time; kills those that are not done after `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    await Promise.all(this.supervisors.map((supervisor) => supervisor.stop(graceMs)));
  }

  /** The metrics page of all workers that respond. */
  async renderMetrics(page: MetricsPage): Promise<string> {
    const pages = await Promise.all([...this.channels].map(async ([worker, channel]) => ({ worker, text: await channel.request(page) })));
    pages.sort((a, b) => a.worker - b.worker);
    return mergeMetrics(pages.filter((rendered): rendered is WorkerPage => rendered.text !== undefined));
  }

  private createSupervisor(worker: number): Supervisor {
    const { clock, warn, onPermanentFailure } = this.options;
    return new Supervisor({
      name: `worker ${worker}`,
      clock,
      start: () => this.startWorker(worker),
      print: warn,
      onPid: (pid) => {
        const hasExited = pid === undefined;
        if (hasExited) this.channels.delete(worker);
      },
      onPermanentFailure,
    });
  }

  private startWorker(worker: number): WorkerProcess {
    const { clock, fork } = this.options;
    const started = fork(worker);
    const channel = new ScrapeChannel({
      clock,
      timeoutMs: WORKER_SCRAPE_MS,
      send: (message) => started.send(message),
      render: (page) => this.renderMetrics(page),
    });
    void started.ready.then(() => this.channels.set(worker, channel));
    started.onMessage((message) => channel.receive(message));
    return started;
  }
}
