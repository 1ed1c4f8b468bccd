/**
 * The supervisor process of `--workers`: forks the workers, restarts those that exit, and stops all of them when it is
 * stopped. It serves no requests and opens no store. When a worker exits with a code that a restart cannot repair, the
 * supervisor stops with that code.
 */
import type { Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/logger';
import type { Lifecycle } from '../../shared/runtime/process/lifecycle';
import { forkWorker } from './forked-worker';
import { WorkerPool } from './worker-pool';

/** The number of workers, and what the process provides to their supervisor. */
export interface RunWorkersOptions {
  /** The number of workers. */
  readonly size: number;
  /** Milliseconds that the shutdown of a worker may take before it is killed. */
  readonly stopMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly lifecycle: Lifecycle;
}

/** How long the exit of a worker may take after it was killed. */
const KILL_MS = 5_000;

/** Resolves when all workers are ready. */
export async function runWorkers({ size, stopMs, clock, logger, lifecycle }: RunWorkersOptions): Promise<void> {
  const pool = new WorkerPool({
    size,
    clock,
    fork: forkWorker,
    warn: (message) => logger.warn(message),
    onPermanentFailure: (code) => void lifecycle.stop('a worker cannot start', code),
  });
  lifecycle.onStop({ name: 'workers', timeoutMs: stopMs + KILL_MS, run: () => pool.stop(stopMs) });
  await pool.start();
}
