/**
 * Runs a reconcile function of the API server: when it is triggered, periodically, and soon again after a failure.
 * Passes never overlap. Also has what the writes of reconcilers share: the user, the options and patches.
 */
import { MASTERS_GROUP } from '../../shared/api/identity/user';
import type { GeneratedNames } from '../../shared/names/dialect';
import { PROGRAM_NAMES } from '../../shared/names/program';
import type { Clock, Timer } from '../../shared/runtime/clock';
import { stringifyJson, type JsonObject } from '../../shared/values/json';
import type { Cache, CacheWatch, WatchEventType, WatchScope } from '../cache/cache';
import type { PatchBody, RequestContext, Resource, WriteOptions } from '../registry/verbs';

/** Default of {@link ReconcilerOptions.intervalMs}. */
const INTERVAL_MS = 60_000;
/** Time before a failed pass is repeated. */
const RETRY_MS = 1_000;
/** Time limit of one write. */
const DEADLINE_MS = 10_000;

/** A running reconciler. */
export interface Reconciler {
  /** Resolves after the first pass without failure. */
  readonly complete: Promise<void>;
  /** Runs a pass, or another one after the running pass; resolves when no further pass is requested. */
  trigger(): Promise<void>;
  /** Starts no further pass; a running one continues. */
  stop(): void;
}

/** When passes are made, and where failures are reported. */
export interface ReconcilerOptions {
  readonly clock: Clock;
  /** Time between passes without failure; default: one minute. */
  readonly intervalMs?: number;
  /** Called when a pass rejects; it is retried soon. */
  readonly onFailure: (message: string, error: unknown) => void;
}

/** Starts with a pass. `reconcile` resolves with true on success; after false, or a rejection, it is retried in a second. */
export function startReconciler(
  { clock, onFailure, intervalMs = INTERVAL_MS }: ReconcilerOptions,
  reconcile: () => Promise<boolean>,
): Reconciler {
  let isStopped = false;
  let timer: Timer | undefined;
  let running: Promise<void> | undefined;
  let isTriggeredAgain = false;
  let resolveComplete: () => void = () => undefined;
  const complete = new Promise<void>((resolve) => (resolveComplete = resolve));

  async function attempt(): Promise<boolean> {
    try {
      return await reconcile();
    } catch (error) {
      onFailure('a reconciler of the server failed', error);
      return false;
    }
  }

  function trigger(): Promise<void> {
    if (isStopped) return Promise.resolve();
    if (running !== undefined) {
      isTriggeredAgain = true;
      return running;
    }
    timer?.cancel();
    running = attempt().then((isComplete) => {
      running = undefined;
      if (isComplete) resolveComplete();
      if (isStopped) return undefined;
      if (!isTriggeredAgain) {
        timer = clock.after(isComplete ? intervalMs : RETRY_MS, () => void trigger());
        return undefined;
      }
      isTriggeredAgain = false;
      return trigger();
    });
    return running;
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

/** The context of requests by the API server itself. */
export function serverContext(clock: Clock): RequestContext {
  return {
    user: { name: 'system:apiserver', groups: [MASTERS_GROUP] },
    deadline: clock.monotonic() + DEADLINE_MS,
    warn: () => undefined,
  };
}

/** A merge patch by the API server itself. */
export function mergePatch(members: JsonObject): PatchBody {
  return { type: 'merge', bytes: Buffer.from(stringifyJson(members)), dialect: 'platform' };
}

/** A patch body for a server-side apply by the API server itself. */
export function applyPatch(configuration: JsonObject): PatchBody {
  return { type: 'apply', bytes: Buffer.from(stringifyJson(configuration)), dialect: 'platform' };
}

/** Options for writes by the API server itself. The default field manager is the name of the program. */
export function serverWriteOptions(
  { dialect }: Pick<GeneratedNames, 'dialect'>,
  fieldManager: string = PROGRAM_NAMES[dialect].apiserver,
): WriteOptions {
  return { dryRun: false, fieldValidation: 'Strict', fieldManager };
}
