/**
 * All types' objects with their recent changes and their watchers: what one event, one loaded value or one repair does to them.
 *
 * Everything here happens without giving way; when the clock moves is decided by event-stream.ts.
 */
import type { Logger } from '../../../shared/runtime/logger';
import { errorMessage } from '../../../shared/runtime/error-message';
import type { Revision, StoreEvent } from '../../storage/store';
import type { Difference } from './comparison';
import type { Entry, WatchEnd } from '../cache';
import type { EntryFactory } from '../store/entry';
import { Slabs } from '../store/held-entry';
import type { KeySpace } from '../store/key-space';
import type { CacheStatistics } from '../statistics';
import type { TypeState } from '../store/type-state';
import { Watchers } from '../watch/watchers';
import { EventWindow, RecordedChange, type WindowLimits } from '../store/window';

export interface ObjectsOptions {
  readonly keys: KeySpace;
  readonly entries: EntryFactory;
  readonly limits: WindowLimits;
  readonly statistics: CacheStatistics;
  readonly logger: Logger;
}

const LEFT_OUT =
  'a stored value cannot be read and is left out: give this server the key that it is encrypted with, or see who else writes under this prefix, and restore or delete it';

export class Objects {
  readonly window: EventWindow;
  private readonly slabs = new Slabs();
  /** Made when somebody first asks. */
  private readonly watchers = new Map<TypeState, Watchers>();

  constructor(private readonly options: ObjectsOptions) {
    this.window = new EventWindow(options.limits, (entry) => this.slabs.release(entry));
  }

  watchersOf(state: TypeState): Watchers {
    let watchers = this.watchers.get(state);
    if (watchers === undefined) this.watchers.set(state, (watchers = new Watchers(state.type)));
    return watchers;
  }

  /** Lets go of a type that is no more; watches of it end. */
  forget(state: TypeState): void {
    this.endAll(state, { type: 'closed' });
    this.watchers.delete(state);
  }

  /** Applies one event to its type; undefined when nothing that anyone could have seen changed. */
  change(state: TypeState, event: StoreEvent, now: number): RecordedChange | undefined {
    const { name } = state.type;
    this.options.statistics.eventsReceived.set(name, (this.options.statistics.eventsReceived.get(name) ?? 0) + 1);
    const key = event.key.slice(state.keyOffset);
    const previous = state.get(key);
    let current: Entry | undefined;
    if (event.type === 'put') {
      current = this.place(state, previous?.key ?? key, previous, event.revision, event.value);
      if (current === undefined) return undefined;
    } else {
      state.refused.delete(key);
      if (state.delete(key) === undefined) return undefined;
    }
    state.lastChange = event.revision;
    const change = new RecordedChange(event.revision, previous?.key ?? current?.key ?? key, current, previous, now, this.window.frames);
    this.window.record(state.log, change);
    this.slabs.supersede(previous);
    return change;
  }

  /** Forgets a type's objects before it is loaded anew. */
  empty(state: TypeState): void {
    state.clear((entry) => this.slabs.release(entry));
  }

  /** Puts a stored value into its type's state; undefined when it was refused. */
  place(state: TypeState, key: string, previous: Entry | undefined, revision: Revision, value: Buffer): Entry | undefined {
    try {
      const entry = this.options.entries.hold(this.slabs, state.type, previous?.key ?? ownString(key), revision, value);
      state.put(entry, previous);
      state.refused.delete(key);
      return entry;
    } catch (error) {
      this.refuse(state, key, revision, error);
      return undefined;
    }
  }

  /** The object is out of sight until it is written again; no watch may go on over it, and none resume from before. */
  private refuse(state: TypeState, key: string, revision: Revision, error: unknown): void {
    const reason = errorMessage(error);
    const known = state.refused.get(key);
    if (known?.revision === revision && known.reason === reason) return;
    const { refused } = this.options.statistics;
    refused.set(state.type.name, (refused.get(state.type.name) ?? 0) + 1);
    this.options.logger.error(LEFT_OUT, { type: state.type.name, key, revision, error });
    this.slabs.release(state.delete(key));
    state.refused.set(ownString(key), { revision, reason });
    state.beginLog(revision);
    this.endAll(state, { type: 'failed', message: `${state.type.name} "${key}" cannot be read from the store` });
  }

  /** Sets a type right to what was found at `found`, except for what the stream has changed since. `now` is the clock's revision. */
  repair(state: TypeState, difference: Difference, found: Revision, now: Revision): void {
    if (state.log.floor > found) return;
    const touched = new Set<string>();
    for (let at = state.log.after(found); at < state.log.size; at += 1) touched.add(state.log.at(at)?.key ?? '');
    const changed = difference.changed.filter((kv) => !touched.has(kv.key.slice(state.keyOffset)));
    const removed = difference.removed.filter((key) => !touched.has(key));
    this.setRight(state, { changed, removed }, now);
  }

  /** What was missed has no revisions of its own: the type's watches end, and none resumes from before `now`. */
  setRight(state: TypeState, difference: Difference, now: Revision): void {
    if (difference.changed.length === 0 && difference.removed.length === 0) return;
    this.options.statistics.resyncs += 1;
    for (const key of difference.removed) this.slabs.release(state.delete(key));
    for (const kv of difference.changed) {
      const key = kv.key.slice(state.keyOffset);
      const previous = state.get(key);
      if (this.place(state, key, previous, kv.modRevision, kv.value) !== undefined) this.slabs.release(previous);
    }
    state.beginLog(now);
    for (const watcher of this.watchersOf(state).all()) watcher.expire(now);
  }

  private endAll(state: TypeState, reason: WatchEnd): void {
    for (const watcher of this.watchersOf(state).all()) watcher.end(reason);
  }
}

/** A key cut out of a longer one would keep that alive; this one is its own. */
function ownString(text: string): string {
  return Buffer.from(text).toString();
}
