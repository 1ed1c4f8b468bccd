/**
 * How the server keeps in order what is its own: it looks when there is reason to and every minute or so, again soon when a look went wrong, and never
 * twice at a time. What is looked after, and what gives reason to, is its caller's business.
 */
import { MASTERS_GROUP } from '../../shared/api/identity/user';
import type { GeneratedNames } from '../../shared/names/dialect';
import { PROGRAM_NAMES } from '../../shared/names/program';
import type { Clock, Timer } from '../../shared/runtime/clock';
import { stringifyJson, type JsonObject } from '../../shared/values/json';
import type { Cache, CacheWatch, WatchEventType, WatchScope } from '../cache/cache';
import type { PatchBody, RequestContext, Resource, WriteOptions } from '../registry/verbs';

const INTERVAL_MS = 60_000;
const RETRY_MS = 1_000;
const DEADLINE_MS = 10_000;

export interface Upkeep {
  /** Resolves after the first look that left nothing to be tried again soon. */
  readonly complete: Promise<void>;
  /** Looks at once, or once more when a look is under way; resolves when there is nothing left to look for. */
  look(): Promise<void>;
  stop(): void;
}

export interface UpkeepOptions {
  readonly clock: Clock;
  /** Between looks that left nothing to do; absent = a minute. */
  readonly intervalMs?: number;
  /** Told of a pass that went wrong altogether; it is tried again soon. */
  readonly failed: (message: string, error: unknown) => void;
}

/** Begins with a look. `pass` is one: false, or a rejection = something is to be tried again soon. */
export function keepUp({ clock, failed, intervalMs = INTERVAL_MS }: UpkeepOptions, pass: () => Promise<boolean>): Upkeep {
  let stopped = false;
  let timer: Timer | undefined;
  let running: Promise<void> | undefined;
  let again = false;
  let done: () => void = () => undefined;
  const complete = new Promise<void>((resolve) => (done = resolve));

  async function attempt(): Promise<boolean> {
    try {
      return await pass();
    } catch (error) {
      failed('what the server keeps in order could not be looked after', error);
      return false;
    }
  }

  function look(): Promise<void> {
    if (stopped) return Promise.resolve();
    if (running !== undefined) {
      again = true;
      return running;
    }
    timer?.cancel();
    running = attempt().then((settled) => {
      running = undefined;
      if (settled) done();
      if (stopped) return undefined;
      if (!again) {
        timer = clock.after(settled ? intervalMs : RETRY_MS, () => void look());
        return undefined;
      }
      again = false;
      return look();
    });
    return running;
  }

  void look();
  return {
    complete,
    look,
    stop() {
      stopped = true;
      timer?.cancel();
    },
  };
}

/** Tells of changes that anyone makes to what is kept here. The pass of every minute goes on without the watch. */
export function watchOwn(
  cache: Cache,
  resource: Resource,
  scope: WatchScope,
  changed: (type: WatchEventType, key: string) => void,
): CacheWatch {
  return cache.watch(
    resource.stored,
    { scope, start: { type: 'after', revision: cache.revision }, bookmarks: false, markEndOfInitialEvents: false },
    { event: (type, { key }) => changed(type, key), bookmark: () => undefined, end: () => undefined },
  );
}

/** What the server's own requests are made with. */
export function ownContext(clock: Clock): RequestContext {
  return {
    user: { name: 'system:apiserver', groups: [MASTERS_GROUP] },
    deadline: clock.monotonic() + DEADLINE_MS,
    warn: () => undefined,
  };
}

/** What the server changes of an object, without looking at the rest. */
export function mergePatch(changed: JsonObject): PatchBody {
  return { type: 'merge', bytes: Buffer.from(stringifyJson(changed)), dialect: 'platform' };
}

/** A patch body for a server-side apply by the API server itself. */
export function applyPatch(configuration: JsonObject): PatchBody {
  return { type: 'apply', bytes: Buffer.from(stringifyJson(configuration)), dialect: 'platform' };
}

/** Options for writes by the API server itself. The default field manager is the name of the program. */
export function ownWrite(
  { dialect }: Pick<GeneratedNames, 'dialect'>,
  fieldManager: string = PROGRAM_NAMES[dialect].apiserver,
): WriteOptions {
  return { dryRun: false, fieldValidation: 'Strict', fieldManager };
}
