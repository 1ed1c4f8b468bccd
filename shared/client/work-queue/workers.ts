/** Takes items from a queue and works on them, several at a time. Failures come back later; they are logged with the item's name. */
import type { Logger } from '../../runtime/logger';
import { ApiError, isConflict } from '../rest/api-error';
import type { WorkQueue } from './work-queue';

/** What working on an item came to. */
export type WorkOutcome =
  | { readonly type: 'done' }
  /** Nothing failed, but it must be looked at again. */
  | { readonly type: 'again'; readonly afterMs: number }
  /** Not finished, without a fault: the next look comes after the item's back-off. */
  | { readonly type: 'wait' };

export const DONE: WorkOutcome = { type: 'done' };

export interface WorkerOptions {
  readonly queue: WorkQueue;
  readonly concurrency: number;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly work: (item: string, signal: AbortSignal) => Promise<WorkOutcome>;
}

/** Resolves when the signal is aborted and no work is under way any more. */
export async function runWorkers(options: WorkerOptions): Promise<void> {
  const { queue, concurrency, signal } = options;
  const close = (): void => void queue.close();
  if (signal.aborted) close();
  signal.addEventListener('abort', close, { once: true });
  await Promise.all(Array.from({ length: concurrency }, () => runWorker(options)));
}

async function runWorker(options: WorkerOptions): Promise<void> {
  const { queue } = options;
  for (let item = await queue.get(); item !== undefined; item = await queue.get()) {
    try {
      await processItem(item, options);
    } finally {
      queue.done(item);
    }
  }
}

async function processItem(item: string, { queue, logger, signal, work }: WorkerOptions): Promise<void> {
  try {
    const outcome = await work(item, signal);
    switch (outcome.type) {
      case 'done':
        queue.forget(item);
        return;
      case 'again':
        queue.forget(item);
        queue.addAfter(item, outcome.afterMs);
        return;
      case 'wait':
        queue.addRateLimited(item);
        return;
    }
  } catch (error) {
    if (signal.aborted) return;
    // Losing a race is part of the game: the next look sees the winner's state.
    if (isConflict(error)) logger.debug('another writer was first, trying again', { item, error });
    else logger.warn('work failed, trying again', { item, failures: queue.failures(item) + 1, ...errorFields(error) });
    queue.addRateLimited(item);
  }
}

/** An answer of the server says all in its text; other errors are shown with their origin. */
function errorFields(error: unknown): Readonly<Record<string, unknown>> {
  return error instanceof ApiError ? { code: error.code, reason: error.reason, cause: error.message } : { error };
}
