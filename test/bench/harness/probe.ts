/**
 * A client in a process of its own: repeats one small read with a short pause, and reports on request how long the
 * responses took since the previous report. Its pauses are not counted.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { BenchClient } from './client';
import { quantile } from './statistics';
import { pause } from './timing';

export interface Waits {
  /** The number of requests that were measured, with those that failed. */
  readonly requests: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly longestMs: number;
}

/** `width`: the least number of characters of each time. */
export const formatWaits = ({ medianMs, p99Ms, longestMs }: Waits, width = 0): string =>
  `p50 / p99 / p100 ${[medianMs, p99Ms, longestMs].map((ms) => ms.toFixed(1).padStart(width)).join(' / ')} ms`;

interface ProbeOptions {
  readonly port: number;
  /** A bearer token. */
  readonly token: string;
  /** What is read. */
  readonly path: string;
}

/** The time between a response and the next request of the probe. */
const PAUSE_MS = 4;
/** Requests before those that are measured. */
const WARM_UP = 20;

/** The client's process, which exits with this one. */
export class Probe {
  private constructor(private readonly child: ChildProcess) {}

  /** Resolves after some warm-up requests. Requests that fail are counted like others. */
  static async start(options: ProbeOptions): Promise<Probe> {
    const child = fork(__filename, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    child.send(options);
    await new Promise((resolve) => child.once('message', resolve));
    return new Probe(child);
  }

  /** The waits since the previous call. */
  waits(): Promise<Waits> {
    const response = new Promise<Waits>((resolve) => this.child.once('message', (waits: Waits) => resolve(waits)));
    this.child.send('waits');
    return response;
  }

  stop(): void {
    this.child.disconnect();
  }
}

/** The loop of the client's process. */
async function run({ port, token, path }: ProbeOptions): Promise<void> {
  const client = new BenchClient(port, token);
  let times: number[] = [];
  const takeWaits = (): Waits => {
    const sorted = times.toSorted((a, b) => a - b);
    times = [];
    return { requests: sorted.length, medianMs: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99), longestMs: quantile(sorted, 1) };
  };
  // The first requests include the connection setup.
  for (let count = 0; count < WARM_UP; count += 1) await client.send('GET', path).catch(() => undefined);
  // A report includes the request that is in progress.
  let isRequested = false;
  process.on('message', () => (isRequested = true));
  process.send?.('ready');
  for (;;) {
    const start = performance.now();
    await client.send('GET', path).catch(() => undefined);
    times.push(performance.now() - start);
    if (isRequested) process.send?.(takeWaits());
    isRequested = false;
    await pause(PAUSE_MS);
  }
}

if (require.main === module) {
  process.once('message', (order: ProbeOptions) => void run(order));
  process.once('disconnect', () => process.exit(0));
}
