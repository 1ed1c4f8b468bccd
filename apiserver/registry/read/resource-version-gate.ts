/**
 * Makes a read wait, for 3 seconds at most, until the cache is as new as its resourceVersion requires (any, not older than,
 * most recent), and converts failures of the wait to Status errors. Reads no objects.
 */
import { internalError, timeout, tooLargeResourceVersion, tooManyRequests } from '../../../shared/api/errors/status';
import { StoreError, type Revision } from '../../storage/store';
import type { RequestContext, Resource } from '../verbs';
import type { ReaderDependencies } from './reader-dependencies';

/** Longest wait for the cache to reach a revision. Upstream waits as long, and its clients retry after the 504. */
export const MAX_WAIT_MS = 3_000;
/** `Retry-After` of the 429 and 504 responses. */
const RETRY_AFTER_SECONDS = 1;

/** The dependencies of reads, with the gate that is made of them. */
export interface GatedReaderDependencies extends ReaderDependencies {
  readonly gate: ResourceVersionGate;
}

/** The waits of all reads of a server. Holds no state of its own. */
export class ResourceVersionGate {
  constructor(private readonly deps: Omit<ReaderDependencies, 'conversions'>) {}

  /** Throws 429 until the cache has been loaded. */
  requireReady(): void {
    if (!this.deps.cache.isReady) throw tooManyRequests('storage is (re)initializing', RETRY_AFTER_SECONDS);
  }

  /**
   * Waits until the cache has caught up with the store. Resolves with
   * - `current`: reads from the cache are linearizable;
   * - `stalled`: the cache has not caught up in time, or the store's revision was not known in time, so the caller has to
   *   read the store.
   * Rejects with 504 when the store cannot be reached.
   */
  async catchUp(context: RequestContext): Promise<'current' | 'stalled'> {
    try {
      const wait = this.deps.cache.waitUntilFresh(context);
      await (context.trackStorageLatency?.(wait) ?? wait);
      return 'current';
    } catch (error) {
      if (error instanceof StoreError && error.failure === 'deadline') return 'stalled';
      throw convertReadFailure(error);
    }
  }

  /** Like {@link catchUp}, for reads that only the cache can serve: rejects with 504 when it has not caught up in time. */
  async requireCaughtUp(context: RequestContext): Promise<void> {
    if ((await this.catchUp(context)) === 'stalled') throw timeout('the cache does not keep up with the store', RETRY_AFTER_SECONDS);
  }

  /**
   * Throws 429 when the cache cannot decode some object of the resource. Reads that only the cache serves need all
   * objects; upstream's watch cache is not ready in this case.
   */
  requireComplete(resource: Resource): void {
    if (this.deps.cache.firstUnreadableKey(resource.stored) !== undefined)
      throw tooManyRequests('storage is (re)initializing', RETRY_AFTER_SECONDS);
  }

  /** Resolves when the cache is at `revision` or later; rejects with 504 after {@link MAX_WAIT_MS}. */
  async waitForRevision(context: RequestContext, revision: Revision): Promise<void> {
    const { cache } = this.deps;
    if (cache.revision >= revision) return;
    const wait = cache.waitForRevision(revision, { deadline: this.deadline(context) });
    if (!(await (context.trackStorageLatency?.(wait) ?? wait))) {
      throw tooLargeResourceVersion(revision, cache.revision, RETRY_AFTER_SECONDS);
    }
  }

  /** Reads the newest revision from the store; rejects with 504 when it does not answer. */
  async storeRevision(context: RequestContext): Promise<Revision> {
    try {
      return await this.deps.store.revision({ deadline: this.deadline(context) });
    } catch (error) {
      throw convertReadFailure(error);
    }
  }

  /** The deadline of one wait, in ms of Clock.monotonic. */
  private deadline(context: RequestContext): number {
    return Math.min(context.deadline, this.deps.clock.monotonic() + MAX_WAIT_MS);
  }
}

/**
 * Converts a StoreError to the error of a read: 500 for an unreadable value, as upstream; 504 otherwise, because a
 * retry may succeed. Returned unchanged are StoreErrors of the failure `internal` and all other errors, which are bugs.
 */
export function convertReadFailure(error: unknown): unknown {
  if (error instanceof StoreError && error.failure === 'unreadable') return internalError(error.message);
  if (!(error instanceof StoreError) || error.failure === 'internal') return error;
  return timeout(`the store could not be read: ${error.message}`, RETRY_AFTER_SECONDS);
}
