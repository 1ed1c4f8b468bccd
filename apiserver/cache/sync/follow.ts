/**
 * Everything of one type, for whoever works something out from it and keeps that: first what there is, then every change; after a watch that ended the
 * whole again, so that nothing is missed. Works nothing out itself.
 */
import type { Clock } from '../../../shared/runtime/clock';
import type { CacheWatch, Entry, StoredType, WatchScope } from '../cache';
import type { OpenedCache } from './options';
import { TimeSlice } from '../../../shared/scheduling/yielding';

/** What it throws is told to `failed`, and the others go on. */
export interface Follower {
  /** A new or changed object. */
  place(entry: Entry): void;
  remove(key: string): void;
}

export interface FollowOptions {
  readonly cache: Pick<OpenedCache, 'watch' | 'whenReady'>;
  readonly stored: StoredType;
  /** Absent = all there are. */
  readonly scope?: WatchScope;
  readonly clock: Clock;
  /** Told of what went wrong with one object. */
  readonly failed: (message: string, error: unknown) => void;
}

export interface Following {
  /** Resolves when all that there was at the start has been placed. */
  readonly complete: Promise<void>;
  stop(): void;
}

/** Several as one. */
export function together(all: readonly Following[]): Following {
  return {
    complete: Promise.all(all.map(({ complete }) => complete)).then(() => undefined),
    stop: () => all.forEach((following) => following.stop()),
  };
}

const RETRY_MS = 1_000;

export function follow({ cache, stored, scope = {}, clock, failed }: FollowOptions, follower: Follower): Following {
  const known = new Set<string>();
  let watch: CacheWatch | undefined;
  let stopped = false;
  let announce: () => void = () => undefined;
  const complete = new Promise<void>((resolve) => (announce = resolve));

  function place(entry: Entry): void {
    known.add(entry.key);
    try {
      follower.place(entry);
    } catch (error) {
      failed(`${stored.name} ${entry.key} could not be read`, error);
    }
  }

  function remove(key: string): void {
    if (!known.delete(key)) return;
    try {
      follower.remove(key);
    } catch (error) {
      failed(`${stored.name} ${key} could not be forgotten`, error);
    }
  }

  function begin(): void {
    if (stopped) return;
    const slice = new TimeSlice(clock, { stepsPerCheck: 1 });
    const unseen = new Set(known);
    const request = { scope, start: { type: 'state' }, bookmarks: false, markEndOfInitialEvents: true } as const;
    watch = cache.watch(stored, request, {
      event(type, entry) {
        unseen.delete(entry.key);
        if (type === 'DELETED') remove(entry.key);
        else place(entry);
      },
      bookmark(_revision, endOfInitialEvents) {
        if (!endOfInitialEvents) return;
        for (const key of unseen) remove(key);
        announce();
      },
      ready: () => slice.yieldIfDue(),
      end: () => void clock.after(RETRY_MS, begin),
    });
  }

  void cache.whenReady().then(begin);
  return {
    complete,
    stop() {
      stopped = true;
      watch?.close();
    },
  };
}
