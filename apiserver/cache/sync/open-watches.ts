/**
 * The open watches of a cache: starts, counts and ends them, and schedules their bookmarks. Delivering events is left
 * to watcher.ts.
 */
import type { Clock } from '../../../shared/runtime/clock';
import type { Revision, Store } from '../../storage/store';
import type { CacheWatch, ChangeSink, StoredType, WatchEnd, WatchRequest } from '../cache';
import type { TimeSlice, YieldNow } from '../../../shared/scheduling/yielding';
import type { EntryFactory } from '../store/entry';
import type { KeySpace } from '../store/key-space';
import type { TypeState } from '../store/type-state';
import { BookmarkScheduler } from '../watch/bookmark-scheduler';
import { Watcher, type WatchHost } from '../watch/watcher';
import type { ReplicatedState } from './replicated-state';

/** The watches of one cache. */
export class OpenWatches implements WatchHost {
  readonly store: Store;
  readonly clock: Clock;
  readonly keys: KeySpace;
  readonly entries: EntryFactory;
  readonly yieldNow: YieldNow;
  private readonly bookmarks: BookmarkScheduler;
  /** The watchers that still deliver their initial state. */
  private readonly delivering = new Set<Watcher>();

  constructor(
    private readonly replica: ReplicatedState,
    /** Writes the tick key of the cache. */
    readonly tick: () => void,
  ) {
    this.store = replica.store;
    this.clock = replica.clock;
    this.keys = replica.keys;
    this.entries = replica.entries;
    this.yieldNow = replica.yieldNow;
    this.bookmarks = new BookmarkScheduler(replica.clock, replica.random);
  }

  get revision(): Revision {
    return this.replica.revision;
  }

  get compactedRevision(): Revision {
    return this.replica.compactedRevision;
  }

  timeSlice(): TimeSlice {
    return this.replica.timeSlice();
  }

  /** Opens a watch; see {@link Cache.watch}. */
  start(type: StoredType, request: WatchRequest, sink: ChangeSink): CacheWatch {
    const state = this.keys.stateOf(type, this.revision);
    const watcher = new Watcher(this, state, request, sink);
    this.replica.statistics.watchesStarted += 1;
    this.replica.objects.watchersOf(state).add(watcher);
    this.countWatchers(state);
    if (request.bookmarks) this.bookmarks.add(watcher);
    if (request.start.type === 'state') this.delivering.add(watcher);
    watcher.start();
    return watcher;
  }

  /** Ends all watches. */
  close(): void {
    this.bookmarks.close();
    for (const state of this.keys.states) this.endAll(state);
  }

  /** Ends the watches of a type; their clients watch again. */
  endWatchesOf(type: StoredType): void {
    this.endAll(this.keys.stateOf(type, this.revision));
  }

  /**
   * Ends the watchers that still deliver an initial state from before the event window. Only they hold its memory, and the
   * changes that follow it would have to be replayed from the store.
   */
  endFarBehind(): void {
    for (const watcher of this.delivering) if (watcher.isFarBehind) watcher.end({ type: 'closed' });
  }

  // Called by the watchers: the methods of WatchHost.

  onClosed(watcher: Watcher): void {
    this.replica.objects.watchersOf(watcher.state).delete(watcher);
    this.bookmarks.delete(watcher);
    this.delivering.delete(watcher);
    this.countWatchers(watcher.state);
  }

  onEnded(watcher: Watcher, reason: WatchEnd): void {
    const { statistics, logger } = this.replica;
    if (reason.type === 'expired') statistics.watchesExpired += 1;
    if (reason.type === 'failed') {
      statistics.watchesFailed += 1;
      logger.warn('a watch failed', { type: watcher.state.type.name, reason: reason.message });
    }
  }

  onSinkError(watcher: Watcher, error: unknown): void {
    this.replica.statistics.watchesFailed += 1;
    this.replica.logger.error('a watch was closed because its sink threw', { type: watcher.state.type.name, error });
  }

  onBookmark(): void {
    this.replica.statistics.bookmarks += 1;
  }

  onReplay(): void {
    this.replica.statistics.replays += 1;
  }

  onInitialEvents(watcher: Watcher, events: number): void {
    const { state } = watcher;
    this.delivering.delete(watcher);
    const { initialEvents } = this.replica.statistics;
    initialEvents.set(state.type.name, (initialEvents.get(state.type.name) ?? 0) + events);
  }

  private endAll(state: TypeState): void {
    for (const watcher of this.replica.objects.watchersOf(state).list()) watcher.end({ type: 'closed' });
  }

  private countWatchers(state: TypeState): void {
    this.replica.statistics.watchers.set(state.type.name, this.replica.objects.watchersOf(state).size);
  }
}
