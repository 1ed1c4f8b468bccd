/**
 * Workers of a queue: take items, process several at a time, and requeue failed ones with back-off. Failures are logged
 * with the item's key, except those after the signal is aborted.
 */
import type { Logger } from '../../runtime/logger';
import { ApiError, isConflict } from '../rest/api-error';
import type { WorkQueue } from './work-queue';

/** Result of processing an item. */
export type WorkOutcome =
  /** Needs no further processing until it is added again. Resets the item's back-off. */
  | { readonly type: 'done' }
  /** Succeeded, and must be processed again after a delay. Resets the item's back-off. */
  | { readonly type: 'again'; readonly afterMs: number }
  /** Not finished, without an error: requeued with the item's back-off. */
  | { readonly type: 'wait' };

export const DONE: WorkOutcome = { type: 'done' };

/** A queue, and what is done with its items. */
export interface WorkerOptions {
  readonly queue: WorkQueue;
  /** Number of items that are processed at a time. */
  readonly concurrency: number;
  readonly logger: Logger;
  /** Ends the workers. They complete the items in progress, and `work` may use the signal to end earlier. */
  readonly signal: AbortSignal;
  /**
   * Processes an item, with the signal above. Not called for an item that is being processed. A rejection is logged, and
   * the item is requeued with back-off.
   */
  readonly work: (item: string, signal: AbortSignal) => Promise<WorkOutcome>;
}

/** Resolves when the signal is aborted and no item is being processed. */
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
    // Conflicts are expected: the next attempt reads the current state.
    if (isConflict(error)) logger.debug('the object was changed by another writer, trying again', { item, error });
    else logger.warn('reconciling failed, trying again', { item, failures: queue.failures(item) + 1, ...errorFields(error) });
    queue.addRateLimited(item);
  }
}

/** Server errors are logged as fields, other errors with their stack. */
function errorFields(error: unknown): Readonly<Record<string, unknown>> {
  return error instanceof ApiError ? { code: error.code, reason: error.reason, cause: error.message } : { error };
}
