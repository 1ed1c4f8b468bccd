/**
 * Runs a reconcile function of the API server: when it is triggered, periodically, and soon again after a failure. One
 * call of the function is a pass; passes never overlap. What the passes write is left to server-writes.ts.
 */
import type { Clock, Timer } from '../../shared/runtime/clock';
import type { Cache, CacheWatch, WatchEventType, WatchScope } from '../cache/cache';
import type { Resource } from '../registry/verbs';

/** Default of {@link ReconcilerOptions.intervalMs}. */
const INTERVAL_MS = 60_000;
/** Time before a failed pass is repeated. */
const RETRY_MS = 1_000;

/** A running reconciler. */
export interface Reconciler {
  /** Resolves after the first successful pass. */
  readonly complete: Promise<void>;
  /**
   * Starts a pass. During a pass it requests another one, which follows it. Resolves when the last requested pass has
   * ended.
   */
  trigger(): Promise<void>;
  /** Starts no further pass; a running one continues. */
  stop(): void;
}

/** When passes are made, and how failures are reported. */
export interface ReconcilerOptions {
  readonly clock: Clock;
  /** Time from the end of a successful pass to the next one; default: one minute. */
  readonly intervalMs?: number;
  /** Called when a pass rejects; the next one is made in a second. */
  readonly onFailure: (message: string, error: unknown) => void;
}

/**
 * Makes the first pass at once. `reconcile` resolves with true on success; after false, or a rejection, the next pass is
 * made in a second.
 */
export function startReconciler(
  { clock, onFailure, intervalMs = INTERVAL_MS }: ReconcilerOptions,
  reconcile: () => Promise<boolean>,
): Reconciler {
  let isStopped = false;
  let timer: Timer | undefined;
  let runningPass: Promise<void> | undefined;
  let isPassRequested = false;
  let resolveComplete: () => void = () => undefined;
  const complete = new Promise<void>((resolve) => (resolveComplete = resolve));

  async function runPass(): Promise<boolean> {
    try {
      return await reconcile();
    } catch (error) {
      onFailure('a reconciler of the server failed', error);
      return false;
    }
  }

  function trigger(): Promise<void> {
    if (isStopped) return Promise.resolve();
    if (runningPass !== undefined) {
      isPassRequested = true;
      return runningPass;
    }
    timer?.cancel();
    runningPass = runPass().then((isSuccess) => {
      runningPass = undefined;
      if (isSuccess) resolveComplete();
      if (isStopped) return undefined;
      if (isPassRequested) {
        isPassRequested = false;
        return trigger();
      }
      timer = clock.after(isSuccess ? intervalMs : RETRY_MS, () => void trigger());
      return undefined;
    });
    return runningPass;
  }

  void trigger();
  return {
    complete,
    trigger,
    stop() {
      isStopped = true;
      timer?.cancel();
    },
  };
}

/** Calls `onChange` for changes of objects. If the watch ends, only the periodic passes remain. */
export function watchForChanges(
  cache: Cache,
  resource: Resource,
  scope: WatchScope,
  onChange: (type: WatchEventType, key: string) => void,
): CacheWatch {
  return cache.watch(
    resource.stored,
    { scope, start: { type: 'after', revision: cache.revision }, bookmarks: false, markEndOfInitialEvents: false },
    { event: (type, { key }) => onChange(type, key), bookmark: () => undefined, end: () => undefined },
  );
}
