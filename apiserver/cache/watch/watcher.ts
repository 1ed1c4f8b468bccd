/**
 * One watch: first its backlog (state, event window, or a replay from the store), then live changes. During the
 * backlog live changes are ignored and taken from the window afterwards; the step from backlog to live happens without
 * a yield, so that nothing is lost or repeated.
 */
import { errorMessage } from '../../../shared/runtime/error-message';
import { StoreError, type Revision } from '../../storage/store';
import type { CacheWatch, ChangeSink, Entry, Change, WatchEnd, WatchEventType, WatchRequest, WatchScope } from '../cache';
import { isInScope, scopeBounds } from '../store/scope-bounds';
import type { TimeSlice } from '../../../shared/scheduling/yielding';
import { replayChanges, type ReplayHost } from './replay-changes';
import { CompactedError } from './store-event-reader';
import type { TreeSnapshot } from '../store/tree-snapshot';
import type { TypeState } from '../store/type-state';
import { RecordedChange } from '../store/event-window';

/** What a watcher needs from the cache. */
export interface WatchHost extends ReplayHost {
  /** The cache's revision. */
  readonly revision: Revision;
  /** The oldest revision from which a watch can start. */
  readonly compactedRevision: Revision;
  /** A new time slice, so that a long backlog yields to the event loop. */
  timeSlice(): TimeSlice;
  /** The watcher was closed. */
  onClosed(watcher: Watcher): void;
  /** The watcher ended its watch for this reason. Called after `onClosed` and before the sink's `end`. */
  onEnded(watcher: Watcher, reason: WatchEnd): void;
  /** A sink or `matches` threw, which they must not. */
  onSinkError(watcher: Watcher, error: unknown): void;
  /** A bookmark was sent. */
  onBookmark(): void;
  /** The watch starts before the event window, so its changes are replayed from the store. */
  onReplay(): void;
  /** The initial events have been delivered. */
  onInitialEvents(watcher: Watcher, events: number): void;
}

/** The delivery of one watch to its sink. */
export class Watcher implements CacheWatch {
  /** The revision up to which everything in scope was delivered; not updated while the watcher is live. */
  private position: Revision;
  private phase: 'backlog' | 'live' | 'ended' = 'backlog';
  private readonly startedAt: Revision;
  /** The revision of the last event or bookmark. */
  private lastSent: Revision;
  /** The state to deliver first; undefined once that is done, and when the watch starts after a revision. */
  private initialState: { readonly revision: Revision; readonly entries: Iterable<Entry> } | undefined;
  private readonly matches: ((entry: Entry) => boolean) | undefined;

  constructor(
    private readonly host: WatchHost,
    readonly state: TypeState,
    readonly request: WatchRequest,
    private readonly sink: ChangeSink,
  ) {
    this.matches = request.scope.matches;
    if (request.start.type === 'state') {
      const snapshot = state.snapshot(host.revision);
      this.initialState = { revision: snapshot.revision, entries: entriesInScope(snapshot, state, request.scope) };
      this.position = host.revision;
    } else {
      this.position = request.start.revision;
    }
    this.startedAt = this.position;
    this.lastSent = this.position;
  }

  /** No sink call is made before this returns, except for `onLive`. */
  start(): void {
    const { log } = this.state;
    const isInHistory = this.position >= this.host.compactedRevision && this.position >= log.floor;
    const isUpToDate = isInHistory && log.positionAfter(this.position) === log.size;
    if (this.initialState === undefined && isUpToDate) this.goLive();
    else void this.deliverBacklog();
  }

  /** Called for every applied change in scope. */
  onChange(change: Change): void {
    if (this.phase !== 'live' || change.revision <= this.position) return;
    // No closure here and in `send`: one per watcher and event would be measurable.
    try {
      this.deliverChange(change);
    } catch (error) {
      this.onError(error);
    }
  }

  /** Still delivering a state that the window has passed: its memory is held by this watcher alone, and grows. */
  get isFarBehind(): boolean {
    return this.initialState !== undefined && this.initialState.revision < this.state.log.floor;
  }

  /** Ends the watch without a call of the sink. */
  close(): void {
    if (this.phase === 'ended') return;
    this.phase = 'ended';
    this.initialState = undefined;
    this.host.onClosed(this);
  }

  /** Ends the watch and calls the sink's `end`. */
  end(reason: WatchEnd): void {
    if (this.phase === 'ended') return;
    this.close();
    this.host.onEnded(this, reason);
    this.callSink(() => this.sink.end(reason));
  }

  /** Ends the watch: the history needed to resume starts at `oldest`. */
  expire(oldest: Revision): void {
    const requested = this.phase === 'live' ? Math.max(this.lastSent, this.position) : this.position;
    this.end({ type: 'expired', requested, oldest });
  }

  /** Sends a bookmark at once, if the watch has started and requests bookmarks. */
  sendBookmark(): void {
    if (this.phase === 'live' && this.request.bookmarks && this.host.revision > this.startedAt) this.deliverBookmark();
  }

  /** The periodic bookmark: sent only if the cache has advanced since the last event or bookmark. */
  sendPeriodicBookmark(): void {
    if (this.phase === 'live' && this.host.revision > this.lastSent) this.deliverBookmark();
  }

  private deliverBookmark(): void {
    this.lastSent = this.host.revision;
    this.host.onBookmark();
    this.callSink(() => this.sink.bookmark(this.lastSent, 'progress'));
  }

  private goLive(): void {
    this.phase = 'live';
    this.callSink(() => this.sink.onLive?.());
  }

  private async deliverBacklog(): Promise<void> {
    try {
      await this.host.yieldNow();
      if (this.initialState !== undefined) await this.deliverState(this.initialState);
      else if (this.phase === 'backlog' && this.position < this.host.compactedRevision) this.expire(this.host.compactedRevision);
      await this.catchUp();
    } catch (error) {
      if (error instanceof CompactedError) this.expire(error.compactRevision);
      else if (error instanceof StoreError) this.end({ type: 'closed' });
      else this.end({ type: 'failed', message: errorMessage(error) });
    }
  }

  private async deliverState({ revision, entries }: NonNullable<Watcher['initialState']>): Promise<void> {
    const { scope } = this.request;
    const slice = this.host.timeSlice();
    let events = 0;
    for (const entry of entries) {
      if (this.phase !== 'backlog') return;
      if (isInScope(this.state.type, scope, entry.key) && (this.matches === undefined || this.matches(entry))) {
        events += 1;
        this.send('ADDED', entry, new RecordedChange(entry.revision, entry.key, entry, undefined, 0));
        await this.sink.whenWritable?.();
      }
      const pause = slice.yieldIfDue();
      if (pause !== undefined) await pause;
    }
    this.initialState = undefined;
    this.host.onInitialEvents(this, events);
    if (this.phase !== 'backlog') return;
    this.lastSent = revision;
    if (this.request.markEndOfInitialEvents) this.callSink(() => this.sink.bookmark(revision, 'end-of-initial-events'));
  }

  /** Delivers the changes since `position` from the window, or from the store where the window does not reach back. */
  private async catchUp(): Promise<void> {
    const slice = this.host.timeSlice();
    while (this.phase === 'backlog') {
      if (this.position < this.state.log.floor) await this.replayFromStore();
      else if (this.deliverFromWindow(slice)) this.goLive();
      else {
        await this.sink.whenWritable?.();
        const pause = slice.yieldIfDue();
        if (pause !== undefined) await pause;
      }
    }
  }

  /** Returns true when nothing is left, false when a yield is due. Never stops within a revision. */
  private deliverFromWindow(slice: TimeSlice): boolean {
    const { log, type } = this.state;
    for (let index = log.positionAfter(this.position); this.phase === 'backlog'; index += 1) {
      const change = log.at(index);
      if (change === undefined) return true;
      if (isInScope(type, this.request.scope, change.key)) this.deliverChange(change);
      if (log.at(index + 1)?.revision === change.revision) continue;
      this.position = change.revision;
      if (this.sink.whenWritable !== undefined || slice.isDue()) return false;
    }
    return false;
  }

  private async replayFromStore(): Promise<void> {
    this.host.onReplay();
    this.position = await replayChanges(this.host, {
      state: this.state,
      scope: this.request.scope,
      from: this.position,
      until: this.host.revision,
      isActive: () => this.phase === 'backlog',
      onChange: (change) => this.deliverChange(change),
      onModified: (change, entry) => this.send('MODIFIED', entry, change),
      whenWritable: () => this.sink.whenWritable?.(),
    });
  }

  private deliverChange(change: Change): void {
    const { current, previous } = change;
    const matchesNow = current !== undefined && this.isMatch(current);
    const matchedBefore = previous !== undefined && this.isMatch(previous);
    if (matchesNow) this.send(matchedBefore ? 'MODIFIED' : 'ADDED', current, change);
    else if (matchedBefore) this.send('DELETED', previous, change);
  }

  private isMatch(entry: Entry): boolean {
    return this.matches === undefined || this.matches(entry);
  }

  private send(type: WatchEventType, entry: Entry, change: Change): void {
    this.lastSent = change.revision;
    try {
      this.sink.event(type, entry, change);
    } catch (error) {
      this.onError(error);
    }
  }

  private callSink(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.onError(error);
    }
  }

  /** Ends the watch after the sink or `matches` has thrown. */
  private onError(error: unknown): void {
    this.host.onSinkError(this, error);
    if (this.phase === 'ended') return;
    this.close();
    // The sink may start a new watch here; an error of it is reported and has no other effect.
    this.callSink(() => this.sink.end({ type: 'failed', message: errorMessage(error) }));
  }
}

/** Selects the entries when the watch starts, because the indexes of a type are those of its current state. */
function entriesInScope(snapshot: TreeSnapshot, { type }: TypeState, scope: WatchScope): Iterable<Entry> {
  const { start, end } = scopeBounds(type, scope);
  return scope.indexed === undefined ? snapshot.range(start, end) : snapshot.rangeWith(scope.indexed, start, end);
}
