/**
 * One watch: first its backlog (state, window, or a replay from the store), then live changes.
 *
 * `position` says up to where everything in scope was delivered. While there is a backlog live changes pass by and are taken from the window
 * afterwards; the step from backlog to live happens without a yield, so nothing is lost or repeated.
 */
import { errorMessage } from '../../../shared/runtime/error-message';
import { StoreError, type Revision } from '../../storage/store';
import type { CacheWatch, ChangeSink, Entry, Change, WatchEnd, WatchEventType, WatchRequest } from '../cache';
import { inScope, scopeBounds } from '../store/key-space';
import type { TimeSlice } from '../../../shared/scheduling/yielding';
import { Compacted, replay, type ReplayHost } from './replay';
import type { TreeSnapshot } from '../store/snapshot';
import type { TypeState } from '../store/type-state';
import { RecordedChange } from '../store/window';

/** What a watcher needs from the cache. */
export interface WatchHost extends ReplayHost {
  /** The clock. */
  readonly revision: Revision;
  readonly compactedRevision: Revision;
  timeSlice(): TimeSlice;
  /** The watcher is gone. */
  left(watcher: Watcher): void;
  ended(watcher: Watcher, reason: WatchEnd): void;
  /** A sink or a `matches` threw, which they must not. */
  faulty(watcher: Watcher, error: unknown): void;
  bookmarked(): void;
  replaying(): void;
  /** It has been told what there was when it began. */
  hasBegun(watcher: Watcher, events: number): void;
}

export class Watcher implements CacheWatch {
  /** Everything in scope up to this revision was delivered; for a live watcher that is the clock. */
  private position: Revision;
  private phase: 'backlog' | 'live' | 'ended' = 'backlog';
  private readonly startedAt: Revision;
  private lastSent: Revision;
  private initial: TreeSnapshot | undefined;
  private readonly matches: ((entry: Entry) => boolean) | undefined;

  constructor(
    private readonly host: WatchHost,
    readonly state: TypeState,
    readonly request: WatchRequest,
    private readonly sink: ChangeSink,
  ) {
    this.matches = request.scope.matches;
    if (request.start.type === 'state') {
      this.initial = state.snapshot(host.revision);
      this.position = host.revision;
    } else {
      this.position = request.start.revision;
    }
    this.startedAt = this.position;
    this.lastSent = this.position;
  }

  /** No sink call is made before this returns. */
  start(): void {
    const { log } = this.state;
    const nothingMissed =
      this.position >= this.host.compactedRevision && this.position >= log.floor && log.after(this.position) === log.size;
    if (this.initial === undefined && nothingMissed) this.goLive();
    else void this.deliverBacklog();
  }

  /** A change in scope has been applied. */
  take(change: Change): void {
    if (this.phase !== 'live' || change.revision <= this.position) return;
    // Spelled out here and in `send`, since a closure per watcher and event is felt.
    try {
      this.show(change);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Still busy with a state that the window has moved past: it would hold more and more memory alone. */
  get farBehind(): boolean {
    return this.initial !== undefined && this.initial.revision < this.state.log.floor;
  }

  close(): void {
    if (this.phase === 'ended') return;
    this.phase = 'ended';
    this.initial = undefined;
    this.host.left(this);
  }

  end(reason: WatchEnd): void {
    if (this.phase === 'ended') return;
    this.close();
    this.host.ended(this, reason);
    this.guard(() => this.sink.end(reason));
  }

  /** Everything that a resume would need is gone since `oldest`. */
  expire(oldest: Revision): void {
    this.end({ type: 'expired', requested: this.phase === 'live' ? Math.max(this.lastSent, this.position) : this.position, oldest });
  }

  bookmarkNow(): void {
    if (this.phase === 'live' && this.request.bookmarks && this.host.revision > this.startedAt) this.bookmark();
  }

  /** The periodic bookmark: only if the clock moved since the last thing sent. */
  bookmarkDue(): void {
    if (this.phase === 'live' && this.host.revision > this.lastSent) this.bookmark();
  }

  private bookmark(): void {
    this.lastSent = this.host.revision;
    this.host.bookmarked();
    this.guard(() => this.sink.bookmark(this.lastSent, false));
  }

  private goLive(): void {
    this.phase = 'live';
    this.guard(() => this.sink.live?.());
  }

  private async deliverBacklog(): Promise<void> {
    try {
      await this.host.yieldNow();
      if (this.initial !== undefined) await this.deliverState(this.initial);
      else if (this.phase === 'backlog' && this.position < this.host.compactedRevision) this.expire(this.host.compactedRevision);
      await this.catchUp();
    } catch (error) {
      if (error instanceof Compacted) this.expire(error.compactRevision);
      else if (error instanceof StoreError) this.end({ type: 'closed' });
      else this.end({ type: 'failed', message: errorMessage(error) });
    }
  }

  private async deliverState(snapshot: TreeSnapshot): Promise<void> {
    const { scope } = this.request;
    const { start, end } = scopeBounds(this.state.type, scope);
    const slice = this.host.timeSlice();
    let events = 0;
    for (const entry of snapshot.range(start, end)) {
      if (this.phase !== 'backlog') return;
      if (inScope(this.state.type, scope, entry.key) && (this.matches === undefined || this.matches(entry))) {
        events += 1;
        this.send('ADDED', entry, new RecordedChange(entry.revision, entry.key, entry, undefined, 0));
        await this.sink.ready?.();
      }
      const pause = slice.yieldIfDue();
      if (pause !== undefined) await pause;
    }
    this.initial = undefined;
    this.host.hasBegun(this, events);
    if (this.phase !== 'backlog') return;
    this.lastSent = snapshot.revision;
    if (this.request.markEndOfInitialEvents) this.guard(() => this.sink.bookmark(snapshot.revision, true));
  }

  /** Takes what happened since `position` from the window, or from the store as far as the window does not reach back. */
  private async catchUp(): Promise<void> {
    const slice = this.host.timeSlice();
    while (this.phase === 'backlog') {
      if (this.position < this.state.log.floor) await this.replayFromStore();
      else if (this.takeFromWindow(slice)) this.goLive();
      else {
        await this.sink.ready?.();
        const pause = slice.yieldIfDue();
        if (pause !== undefined) await pause;
      }
    }
  }

  /** True when nothing is left; false when a yield is due. Never stops within a revision. */
  private takeFromWindow(slice: TimeSlice): boolean {
    const { log, type } = this.state;
    for (let at = log.after(this.position); this.phase === 'backlog'; at += 1) {
      const change = log.at(at);
      if (change === undefined) return true;
      if (inScope(type, this.request.scope, change.key)) this.show(change);
      if (log.at(at + 1)?.revision === change.revision) continue;
      this.position = change.revision;
      if (this.sink.ready !== undefined || slice.isDue()) return false;
    }
    return false;
  }

  private async replayFromStore(): Promise<void> {
    this.host.replaying();
    this.position = await replay(this.host, {
      state: this.state,
      scope: this.request.scope,
      from: this.position,
      until: this.host.revision,
      wanted: () => this.phase === 'backlog',
      changed: (change) => this.show(change),
      modified: (change, entry) => this.send('MODIFIED', entry, change),
      ready: () => this.sink.ready?.(),
    });
  }

  private show(change: Change): void {
    const { current, previous } = change;
    const now = current !== undefined && this.wants(current);
    const before = previous !== undefined && this.wants(previous);
    if (now) this.send(before ? 'MODIFIED' : 'ADDED', current, change);
    else if (before) this.send('DELETED', previous, change);
  }

  private wants(entry: Entry): boolean {
    return this.matches === undefined || this.matches(entry);
  }

  private send(type: WatchEventType, entry: Entry, change: Change): void {
    this.lastSent = change.revision;
    try {
      this.sink.event(type, entry, change);
    } catch (error) {
      this.fail(error);
    }
  }

  private guard(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.fail(error);
    }
  }

  private fail(error: unknown): void {
    this.host.faulty(this, error);
    if (this.phase === 'ended') return;
    this.close();
    // Who follows a type for good begins again; that it throws once more changes nothing.
    this.guard(() => this.sink.end({ type: 'failed', message: errorMessage(error) }));
  }
}
