/**
 * Lets a read pass once the state is as new as its resourceVersion asks for (any, not older than, most recent), and bounds the wait for that. Turns
 * the failures of waiting into the answers that clients know.
 * Never reads an object.
 */
import { internalError, timeout, tooLargeResourceVersion, tooManyRequests, type StatusError } from '../../../shared/api/errors/status';
import { StoreError, type Revision } from '../../storage/store';
import type { RequestContext, Resource } from '../verbs';
import type { ReaderParts } from './reader-parts';

/** The longest wait for the cache to reach a revision; upstream's is as long, and its clients ask again after the answer that follows. */
const MAX_WAIT_MS = 3_000;
const RETRY_AFTER_SECONDS = 1;

export class ResourceVersionGate {
  constructor(private readonly parts: ReaderParts) {}

  /** Refuses until the cache has been loaded. */
  requireReady(): void {
    if (!this.parts.cache.isReady) throw tooManyRequests('storage is (re)initializing', RETRY_AFTER_SECONDS);
  }

  /**
   * After it resolves with `current`, reads from the cache are linearizable; `stalled` = the store answers but the cache does not keep
   * up, so the store has to be read. Throws StatusError 504 when the store cannot be asked.
   */
  async mostRecent(context: RequestContext): Promise<'current' | 'stalled'> {
    try {
      const wait = this.parts.cache.waitUntilFresh(context);
      await (context.timed?.(wait) ?? wait);
      return 'current';
    } catch (error) {
      if (error instanceof StoreError && error.failure === 'deadline') return 'stalled';
      throw readFailure(error);
    }
  }

  /** Like {@link mostRecent} for what only the cache can serve: 504 when it does not keep up. */
  async current(context: RequestContext): Promise<void> {
    if ((await this.mostRecent(context)) === 'stalled') throw timeout('the cache does not keep up with the store', RETRY_AFTER_SECONDS);
  }

  /** What the cache serves alone it serves only where it knows every object: upstream's has no state of a kind whose values it cannot read. */
  requireComplete(resource: Resource): void {
    if (this.parts.cache.firstUnreadableKey(resource.stored) !== undefined)
      throw tooManyRequests('storage is (re)initializing', RETRY_AFTER_SECONDS);
  }

  /** Resolves once the cache is at `revision` or later; 504 when that takes too long. */
  async notOlderThan(context: RequestContext, revision: Revision): Promise<void> {
    const { cache } = this.parts;
    if (cache.revision >= revision) return;
    const wait = cache.waitForRevision(revision, { deadline: this.deadline(context) });
    if (!(await (context.timed?.(wait) ?? wait))) {
      throw tooLargeResourceVersion(revision, cache.revision, RETRY_AFTER_SECONDS);
    }
  }

  /** The store's newest revision, asked for directly; 504 when it does not answer. */
  async storeRevision(context: RequestContext): Promise<Revision> {
    try {
      return await this.parts.store.revision({ deadline: this.deadline(context) });
    } catch (error) {
      throw readFailure(error);
    }
  }

  private deadline(context: RequestContext): number {
    return Math.min(context.deadline, this.parts.clock.monotonic() + MAX_WAIT_MS);
  }
}

/** A store failure as a read answers it: what is stored and cannot be read is upstream's 500; else 504, because asking again later is the remedy; anything else is passed on. */
export function readFailure(error: unknown): unknown {
  if (error instanceof StoreError && error.failure === 'unreadable') return internalError(error.message);
  return error instanceof StoreError && error.failure !== 'internal' ? storeUnavailable(error) : error;
}

function storeUnavailable(error: StoreError): StatusError {
  return timeout(`the store could not be read: ${error.message}`, RETRY_AFTER_SECONDS);
}
