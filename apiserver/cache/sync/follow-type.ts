/**
 * Follows all objects of one type: first the existing ones, then every change. After its watch has ended it starts another
 * one from the current state, so that no object stays outdated. Deriving state from the objects is left to the handler.
 */
import type { Clock } from '../../../shared/runtime/clock';
import type { CacheWatch, Entry, StoredType, WatchScope } from '../cache';
import type { OpenedCache } from './cache-options';
import { TimeSlice } from '../../../shared/scheduling/yielding';

/** Receives the objects of a type. What it throws is reported to `onFailure`; the other objects are not affected. */
export interface ObjectHandler {
  /** Called for every new or changed object, and again for unchanged ones after the watch was restarted. */
  upsert(entry: Entry): void;
  /** Called only for objects that were passed to `upsert`. */
  remove(key: string): void;
}

/** Which objects are followed, and with what. */
export interface FollowTypeOptions {
  readonly cache: Pick<OpenedCache, 'watch' | 'whenReady'>;
  readonly stored: StoredType;
  /** Absent for all objects of the type. */
  readonly scope?: WatchScope;
  readonly clock: Clock;
  /** Called with the error that the handler has thrown for one object. */
  readonly onFailure: (message: string, error: unknown) => void;
}

/** The subscription to the objects of a type. */
export interface TypeFollower {
  /** Resolves when all objects that existed at the start have been handled. */
  readonly complete: Promise<void>;
  /** Ends the watch. The handler is not called afterwards. */
  stop(): void;
}

/** Combines followers into one, which is complete when all of them are. */
export function combineFollowers(followers: readonly TypeFollower[]): TypeFollower {
  return {
    complete: Promise.all(followers.map(({ complete }) => complete)).then(() => undefined),
    stop: () => followers.forEach((follower) => follower.stop()),
  };
}

/** Delay before a watch that has ended is started again. */
const RETRY_MS = 1_000;

/**
 * Starts when the cache is ready. Each time the watch is started again, the existing objects are reported again, and
 * those that have disappeared in between are reported as removed.
 */
export function followType({ cache, stored, scope = {}, clock, onFailure }: FollowTypeOptions, handler: ObjectHandler): TypeFollower {
  const presentKeys = new Set<string>();
  let watch: CacheWatch | undefined;
  let isStopped = false;
  let resolveComplete: () => void = () => undefined;
  const complete = new Promise<void>((resolve) => (resolveComplete = resolve));

  function upsertEntry(entry: Entry): void {
    presentKeys.add(entry.key);
    try {
      handler.upsert(entry);
    } catch (error) {
      onFailure(`${stored.name} ${entry.key} could not be read`, error);
    }
  }

  function removeKey(key: string): void {
    if (!presentKeys.delete(key)) return;
    try {
      handler.remove(key);
    } catch (error) {
      onFailure(`${stored.name} ${key} could not be removed`, error);
    }
  }

  function startWatch(): void {
    if (isStopped) return;
    // Checks the clock at each object, because the work of a handler for one object may be long.
    const slice = new TimeSlice(clock, { stepsPerCheck: 1 });
    /** Keys from before this watch that it has not reported yet; after the initial state, those of removed objects. */
    const unseen = new Set(presentKeys);
    const request = { scope, start: { type: 'state' }, bookmarks: false, markEndOfInitialEvents: true } as const;
    watch = cache.watch(stored, request, {
      event(type, entry) {
        unseen.delete(entry.key);
        if (type === 'DELETED') removeKey(entry.key);
        else upsertEntry(entry);
      },
      bookmark(_revision, type) {
        if (type !== 'end-of-initial-events') return;
        for (const key of unseen) removeKey(key);
        resolveComplete();
      },
      whenWritable: () => slice.yieldIfDue(),
      end: () => void clock.after(RETRY_MS, startWatch),
    });
  }

  void cache.whenReady().then(startWatch);
  return {
    complete,
    stop() {
      isStopped = true;
      watch?.close();
    },
  };
}
