/**
 * The objects of all types with their recent changes and watchers: applies an event, a loaded value or a repair.
 * Everything here is synchronous; event-stream.ts decides when the revision advances.
 */
import type { Logger } from '../../../shared/runtime/logger';
import { errorMessage } from '../../../shared/runtime/error-message';
import type { Revision, StoreEvent } from '../../storage/store';
import type { Difference } from './compare-with-store';
import type { Entry, WatchEnd } from '../cache';
import type { EntryFactory } from '../store/entry';
import { SlabAllocator } from '../store/slab-entry';
import type { CacheStatistics } from '../statistics';
import type { TypeState } from '../store/type-state';
import { TypeWatchers } from '../watch/type-watchers';
import { EventWindow, RecordedChange, type WindowLimits } from '../store/event-window';

/** The dependencies and limits of the objects of one cache. */
export interface CachedObjectsOptions {
  readonly entries: EntryFactory;
  /** Limits of the event window. */
  readonly limits: WindowLimits;
  readonly statistics: CacheStatistics;
  readonly logger: Logger;
}

const UNREADABLE_MESSAGE =
  'a stored value cannot be decoded and is left out: give this server the key that it is encrypted with, or find the program that also writes under this prefix, and restore or delete the value';

/** The revisions of a repair. */
export interface RepairRevisions {
  /** The revision at which the type was compared with the store. */
  readonly comparedAt: Revision;
  /** The cache's revision now. */
  readonly cacheRevision: Revision;
}

/** The objects of one cache, with their watchers. */
export class CachedObjects {
  readonly window: EventWindow;
  private readonly slabs = new SlabAllocator();
  /** Filled on demand: most types have no watchers. */
  private readonly watchersByType = new Map<TypeState, TypeWatchers>();

  constructor(private readonly options: CachedObjectsOptions) {
    this.window = new EventWindow(options.limits, (entry) => this.slabs.release(entry));
  }

  /** The open watches of a type. */
  watchersOf(state: TypeState): TypeWatchers {
    let watchers = this.watchersByType.get(state);
    if (watchers === undefined) {
      watchers = new TypeWatchers(state.type);
      this.watchersByType.set(state, watchers);
    }
    return watchers;
  }

  /** Removes a type; its watches end. */
  removeType(state: TypeState): void {
    this.endWatches(state, { type: 'closed' });
    this.watchersByType.delete(state);
  }

  /**
   * Applies one event to its type and returns the change. `undefined` when nothing visible changed: the new value cannot
   * be read, or the deleted one could not. `now` is in milliseconds of Clock.monotonic.
   */
  applyEvent(state: TypeState, event: StoreEvent, now: number): RecordedChange | undefined {
    const { name } = state.type;
    const { eventsReceived } = this.options.statistics;
    eventsReceived.set(name, (eventsReceived.get(name) ?? 0) + 1);
    const key = event.key.slice(state.keyOffset);
    const previous = state.get(key);
    let current: Entry | undefined;
    if (event.type === 'put') {
      current = this.putValue(state, previous?.key ?? key, previous, event.revision, event.value);
      if (current === undefined) return undefined;
    } else {
      state.unreadable.delete(key);
      if (state.delete(key) === undefined) return undefined;
    }
    state.lastChangeRevision = event.revision;
    // The key string of an entry is shared, so that the event's key can be collected.
    const sharedKey = previous?.key ?? current?.key ?? key;
    const change = new RecordedChange(event.revision, sharedKey, current, previous, now, this.window.frames);
    this.window.record(state.log, change);
    this.slabs.markSuperseded(previous);
    return change;
  }

  /** Removes the objects of a type before it is loaded again. */
  clearType(state: TypeState): void {
    state.clear((entry) => this.slabs.release(entry));
  }

  /**
   * Puts a stored value into its type's state and returns its entry. `undefined` when it is unreadable; its object is then
   * removed. `previous` is the present entry of the key. Positional, because it is called for every event and loaded key.
   */
  putValue(state: TypeState, key: string, previous: Entry | undefined, revision: Revision, value: Buffer): Entry | undefined {
    try {
      const entry = this.options.entries.createInSlab(this.slabs, state.type, previous?.key ?? copyString(key), revision, value);
      state.put(entry, previous);
      state.unreadable.delete(key);
      return entry;
    } catch (error) {
      this.markUnreadable(state, key, revision, error);
      return undefined;
    }
  }

  /**
   * Removes the object from the cache until it is written again or `OpenedCache.retryUnreadable` can read it. The type's
   * watches end with an error, and no watch can resume from a revision before this one.
   */
  private markUnreadable(state: TypeState, key: string, revision: Revision, error: unknown): void {
    const reason = errorMessage(error);
    const existing = state.unreadable.get(key);
    if (existing?.revision === revision && existing.reason === reason) return;
    const { unreadableValues } = this.options.statistics;
    unreadableValues.set(state.type.name, (unreadableValues.get(state.type.name) ?? 0) + 1);
    this.options.logger.error(UNREADABLE_MESSAGE, { type: state.type.name, key, revision, error });
    this.slabs.release(state.delete(key));
    state.unreadable.set(copyString(key), { revision, reason });
    state.resetLog(revision);
    this.endWatches(state, { type: 'failed', message: `${state.type.name} "${key}" cannot be read from the store` });
  }

  /**
   * Corrects a type by the difference of a comparison, except for keys that the stream has changed since. Does nothing
   * when the changes since the comparison are no longer known.
   */
  repair(state: TypeState, difference: Difference, { comparedAt, cacheRevision }: RepairRevisions): void {
    if (state.log.floor > comparedAt) return;
    const changedSince = new Set<string>();
    for (let position = state.log.positionAfter(comparedAt); position < state.log.size; position += 1) {
      changedSince.add(state.log.at(position)?.key ?? '');
    }
    const changed = difference.changed.filter((kv) => !changedSince.has(kv.key.slice(state.keyOffset)));
    const removed = difference.removed.filter((key) => !changedSince.has(key));
    this.resync(state, { changed, removed }, cacheRevision);
  }

  /**
   * Applies a difference, if there is one. The missed changes have no revisions of their own, so the type's watches
   * expire, and no watch can resume from a revision before `cacheRevision`.
   */
  resync(state: TypeState, difference: Difference, cacheRevision: Revision): void {
    if (difference.changed.length === 0 && difference.removed.length === 0) return;
    this.options.statistics.resyncs += 1;
    for (const key of difference.removed) this.slabs.release(state.delete(key));
    for (const kv of difference.changed) {
      const key = kv.key.slice(state.keyOffset);
      const previous = state.get(key);
      if (this.putValue(state, key, previous, kv.modRevision, kv.value) !== undefined) this.slabs.release(previous);
    }
    state.resetLog(cacheRevision);
    for (const watcher of this.watchersOf(state).list()) watcher.expire(cacheRevision);
  }

  private endWatches(state: TypeState, reason: WatchEnd): void {
    for (const watcher of this.watchersOf(state).list()) watcher.end(reason);
  }
}

/** A copy of the string. V8 keeps the whole string alive for a substring such as the part of a store key. */
function copyString(text: string): string {
  return Buffer.from(text).toString();
}
