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
export function followType(options: FollowTypeOptions, handler: ObjectHandler): TypeFollower {
  const follower = new ObjectFollower(options, handler);
  void options.cache.whenReady().then(() => follower.startWatch());
  return { complete: follower.complete, stop: () => follower.stop() };
}

/** Passes the objects of a type to the handler, in one watch after another. */
class ObjectFollower {
  readonly complete: Promise<void>;
  private resolveComplete: () => void = () => undefined;
  /** The keys of the objects that were passed to the handler and not removed. */
  private readonly presentKeys = new Set<string>();
  private watch: CacheWatch | undefined;
  private isStopped = false;

  constructor(
    private readonly options: FollowTypeOptions,
    private readonly handler: ObjectHandler,
  ) {
    this.complete = new Promise((resolve) => (this.resolveComplete = resolve));
  }

  startWatch(): void {
    if (this.isStopped) return;
    const { cache, stored, scope = {}, clock } = this.options;
    // Checks the clock at each object, because the work of a handler for one object may be long.
    const slice = new TimeSlice(clock, { stepsPerCheck: 1 });
    /** Keys from before this watch that it has not reported yet; after the initial state, those of removed objects. */
    const unseen = new Set(this.presentKeys);
    const request = { scope, start: { type: 'state' }, bookmarks: false, markEndOfInitialEvents: true } as const;
    this.watch = cache.watch(stored, request, {
      event: (type, entry) => {
        unseen.delete(entry.key);
        if (type === 'DELETED') this.remove(entry.key);
        else this.upsert(entry);
      },
      bookmark: (_revision, type) => {
        if (type !== 'end-of-initial-events') return;
        for (const key of unseen) this.remove(key);
        this.resolveComplete();
      },
      whenWritable: () => slice.yieldIfDue(),
      end: () => void clock.after(RETRY_MS, () => this.startWatch()),
    });
  }

  stop(): void {
    this.isStopped = true;
    this.watch?.close();
  }

  private upsert(entry: Entry): void {
    this.presentKeys.add(entry.key);
    try {
      this.handler.upsert(entry);
    } catch (error) {
      this.options.onFailure(`${this.options.stored.name} ${entry.key} could not be read`, error);
    }
  }

  private remove(key: string): void {
    if (!this.presentKeys.delete(key)) return;
    try {
      this.handler.remove(key);
    } catch (error) {
      this.options.onFailure(`${this.options.stored.name} ${key} could not be removed`, error);
    }
  }
}
