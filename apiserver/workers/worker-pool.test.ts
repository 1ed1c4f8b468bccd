/**
 * A pool of workers, and its workers, which run in this process: starts, restarts and stops, and the metrics that the
 * workers share.
 */
import { EventEmitter } from 'node:events';
import { ManualClock, flushPromises } from '../../test/support/clock/manual-clock';
import type { Exit } from '../../shared/runtime/process/running-process';
import { Worker, type WorkerProcessHandle } from './worker';
import type { WorkerMessage } from './worker-message';
import { WorkerPool, type WorkerProcess } from './worker-pool';

/** A forked worker, with both ends of its channel in this process. It exits when its lifecycle is stopped. */
class FakeWorker implements WorkerProcess {
  readonly pid = 1;
  readonly exited: Promise<Exit>;
  readonly listening: Promise<void>;
  readonly ready: Promise<void>;
  readonly signals: string[] = [];
  /** Whether the worker handles messages and signals. */
  isResponsive = true;
  readonly worker: Worker;
  end: (exit: Partial<Exit>) => void = () => undefined;
  private readonly toSupervisor = new EventEmitter();
  private readonly toWorker = new EventEmitter();

  constructor(number: number, clock: ManualClock) {
    this.exited = new Promise((resolve) => (this.end = (exit) => resolve({ code: null, signal: null, ...exit })));
    this.ready = new Promise((resolve) => this.toSupervisor.on('message', (message) => message === 'ready' && resolve()));
    this.listening = this.ready;
    const process: WorkerProcessHandle = {
      on: (event, listener) => this.toWorker.on(event, listener),
      send: (message, written) => {
        written(null);
        return this.toSupervisor.emit('message', message);
      },
    };
    this.worker = new Worker(number, clock, process);
    this.worker.listen({ stop: (_reason, code = 0) => Promise.resolve(this.end({ code })) });
  }

  becomeReady(): void {
    this.toSupervisor.emit('message', 'ready');
  }

  send(message: WorkerMessage): void {
    if (this.isResponsive) this.toWorker.emit('message', message);
  }

  onMessage(listener: (message: unknown) => void): void {
    this.toSupervisor.on('message', listener);
  }

  kill(signal: 'SIGTERM' | 'SIGKILL'): void {
    this.signals.push(signal);
    if (signal === 'SIGKILL') this.end({ signal });
    else if (this.isResponsive) this.toWorker.emit(signal);
  }
}

/** A pool of workers that have not started. `forked` are all workers so far, the oldest first. */
function createPool(size: number) {
  const clock = new ManualClock();
  const forked: { readonly number: number; readonly process: FakeWorker }[] = [];
  const warnings: string[] = [];
  const permanentCodes: number[] = [];
  const pool = new WorkerPool({
    size,
    clock,
    fork(number) {
      const process = new FakeWorker(number, clock);
      forked.push({ number, process });
      return process;
    },
    warn: (message) => void warnings.push(message),
    onPermanentFailure: (code) => void permanentCodes.push(code),
  });
  return { clock, forked, warnings, permanentCodes, pool };
}

/** A pool of workers that are ready. Each has a metric with its number as value. */
async function startPool(size: number) {
  const fixture = createPool(size);
  const { forked, pool } = fixture;
  const started = pool.start();
  for (let index = 0; index < size; index++) {
    await flushPromises();
    forked[index]?.process.becomeReady();
  }
  await started;
  const pages = forked.map(({ number, process: { worker } }) => worker.shareMetrics(pagesOf(number)));
  const makeUnresponsive = (number: number): void => {
    for (const worker of forked) if (worker.number === number) worker.process.isResponsive = false;
  };
  return { ...fixture, pages, makeUnresponsive };
}

/** Pages with one metric each, in two chunks. */
function pagesOf(value: number) {
  const pageOf = (metric: string) =>
    async function* render() {
      await Promise.resolve();
      yield `# TYPE ${metric} gauge\n`;
      yield `${metric} ${value}\n`;
    };
  return { scrape: pageOf('number'), scrapeSlis: pageOf('indicator') };
}

async function textOf(page: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const chunk of page) text += chunk;
  return text;
}

describe('WorkerPool', () => {
  it('starts the other workers when the first is ready, and is ready when all are', async () => {
    const { forked, pool } = createPool(3);
    let isReady = false;
    void pool.start().then(() => (isReady = true));
    await flushPromises();
    expect(forked.map(({ number }) => number)).toEqual([1]);
    forked[0]?.process.becomeReady();
    await flushPromises();
    expect(forked.map(({ number }) => number)).toEqual([1, 2, 3]);
    forked[1]?.process.becomeReady();
    await flushPromises();
    expect(isReady).toBe(false);
    forked[2]?.process.becomeReady();
    await flushPromises();
    expect(isReady).toBe(true);
  });

  it('restarts a killed worker under the same number', async () => {
    const { clock, forked, pool, warnings } = await startPool(2);
    forked[1]?.process.end({ signal: 'SIGKILL' });
    await clock.advanceAsync(200);
    expect(forked.map(({ number }) => number)).toEqual([1, 2, 2]);
    expect(warnings).toEqual(['worker 2 exited (signal SIGKILL); restarting it in 200ms']);
    await pool.stop(1000);
  });

  it('does not restart a worker that exits with the code of an invalid configuration, and reports the code', async () => {
    const { clock, forked, permanentCodes } = await startPool(2);
    // EX_CONFIG of sysexits.h.
    forked[0]?.process.end({ code: 78 });
    await clock.advanceAsync(60_000);
    expect(permanentCodes).toEqual([78]);
    expect(forked).toHaveLength(2);
  });

  it('asks all workers to stop, and kills those that do not exit in time', async () => {
    const { clock, forked, pool, warnings, makeUnresponsive } = await startPool(2);
    makeUnresponsive(2);
    const stopped = pool.stop(5_000);
    await clock.advanceAsync(5_000);
    await stopped;
    expect(forked.map(({ process }) => process.signals)).toEqual([['SIGTERM'], ['SIGTERM', 'SIGKILL']]);
    expect(warnings).toEqual(['worker 2 did not exit within 5s and is killed']);
  });

  it('serves the metrics of all workers from each of them', async () => {
    const { pages, pool } = await startPool(2);
    for (const { scrape, scrapeSlis } of pages) {
      expect(await textOf(scrape())).toBe('# TYPE number gauge\nnumber{worker="1"} 1\nnumber{worker="2"} 2\n');
      expect(await textOf(scrapeSlis())).toBe('# TYPE indicator gauge\nindicator{worker="1"} 1\nindicator{worker="2"} 2\n');
    }
    await pool.stop(1000);
  });

  it('omits a worker from the metrics when it does not respond in time', async () => {
    const { clock, pages, makeUnresponsive } = await startPool(2);
    makeUnresponsive(2);
    const text = Promise.all(pages.slice(0, 1).map(({ scrape }) => textOf(scrape())));
    await clock.advanceAsync(5_000);
    expect(await text).toEqual(['# TYPE number gauge\nnumber{worker="1"} 1\n']);
  });

  it('fails the scrape of a worker whose supervisor does not respond', async () => {
    const clock = new ManualClock();
    const { worker } = new FakeWorker(1, clock);
    const text = textOf(worker.shareMetrics(pagesOf(1)).scrape());
    const failure = expect(text).rejects.toThrow('the metrics of the workers could not be collected in time');
    await clock.advanceAsync(10_000);
    await failure;
  });
});
