/**
 * The watches of the embedded store. A watch that is up to date receives every batch when it becomes durable; one that
 * starts at an older revision, or was paused, reads the log in chunks until it has caught up. A watch never skips or
 * repeats a revision.
 */
import { StoreError, type KeyRange, type Revision, type Watch, type StoreEvent, type WatchSink } from '../store';
import type { Environment } from './environment';
import type { CommittedRevision } from './write-pipeline';
import type { ReadTransaction } from './read-transaction';
import type { KeyChange } from './record';

/** Limits of one read of the log for a watch that catches up: revisions, and bytes of values. */
const CHUNK_REVISIONS = 256;
const CHUNK_BYTES = 1 << 20;

/** All watches of one store. */
export class Watches {
  private readonly openWatches = new Set<LogWatch>();

  constructor(
    private readonly environment: Environment,
    /**
     * The newest durable revision; a watch reads the log up to here and receives later revisions from {@link publish}.
     */
    private durable: Revision,
  ) {}

  /** Opens a watch on the events in `range` from revision `from` on; see {@link checkStartRevision}. */
  add(range: KeyRange, from: Revision, sink: WatchSink): Watch {
    const { environment } = this;
    const durable = (): Revision => this.durable;
    const onClose = (): void => void this.openWatches.delete(watch);
    const watch: LogWatch = new LogWatch({ environment, durable, range, from, sink, onClose });
    this.openWatches.add(watch);
    return watch;
  }

  /** Delivers a durable batch to every watch that is up to date. */
  publish(committed: readonly CommittedRevision[]): void {
    for (const { revision } of committed) this.durable = revision;
    for (const watch of [...this.openWatches]) watch.onCommitted(committed);
  }

  /** Closes all watches; their sinks are called no more. */
  close(): void {
    for (const watch of [...this.openWatches]) watch.close();
  }

  /** Closes all watches and reports them as disconnected, because no further events follow. */
  disconnect(): void {
    for (const watch of [...this.openWatches]) watch.disconnect();
  }
}

/**
 * `starting`: the sink has not been called yet. `behind`: reads the log. `live`: receives each batch when it becomes
 * durable. `paused` and `closed`: receives nothing.
 */
type State = 'starting' | 'behind' | 'live' | 'paused' | 'closed';

interface LogWatchOptions {
  readonly environment: Environment;
  /** The newest durable revision. */
  readonly durable: () => Revision;
  readonly range: KeyRange;
  /** The first revision to deliver. */
  readonly from: Revision;
  readonly sink: WatchSink;
  /** Called once, when the watch is closed. */
  readonly onClose: () => void;
}

class LogWatch implements Watch {
  private state: State = 'starting';
  private isProgressRequested = false;
  private isReadScheduled = false;

  /** The first revision that has not been delivered. */
  private next: Revision;
  private readonly sink: WatchSink;

  constructor(private readonly options: LogWatchOptions) {
    this.next = options.from;
    this.sink = options.sink;
    setImmediate(() => {
      if (this.state === 'closed') return;
      this.sink.connection('connected');
      if (this.isState('starting')) this.catchUp();
    });
  }

  requestProgress(): boolean {
    if (this.state === 'closed') return false;
    this.isProgressRequested = true;
    if (this.state === 'live') setImmediate(() => this.reportProgress());
    return true;
  }

  reopen(): void {
    // There is no other member to connect to, and no connection that could hang.
  }

  pause(): void {
    if (this.state !== 'closed') this.state = 'paused';
  }

  resume(): void {
    if (this.state === 'paused') this.catchUp();
  }

  close(): void {
    if (this.state === 'closed') return;
    this.state = 'closed';
    this.options.onClose();
  }

  disconnect(): void {
    this.close();
    this.sink.connection('disconnected');
  }

  onCommitted(committed: readonly CommittedRevision[]): void {
    if (this.state !== 'live') return;
    const events: StoreEvent[] = [];
    for (const { revision, changes } of committed) {
      // Read from the log already, or before the future revision at which the watch starts.
      if (revision < this.next) continue;
      this.next = revision + 1;
      this.addEvents(events, revision, changes);
    }
    this.deliver(events);
  }

  private catchUp(): void {
    this.state = 'behind';
    if (this.isReadScheduled) return;
    this.isReadScheduled = true;
    setImmediate(() => {
      this.isReadScheduled = false;
      if (this.isState('behind')) this.readChunk();
    });
  }

  private readChunk(): void {
    if (this.next > this.options.durable()) {
      this.state = 'live';
      if (this.isProgressRequested) this.reportProgress();
      return;
    }
    const snapshot = this.options.environment.snapshot();
    let compacted: Revision;
    let events: readonly StoreEvent[] = [];
    try {
      compacted = snapshot.counter('compacted');
      if (this.next >= compacted) events = this.readEvents(snapshot);
    } finally {
      snapshot.end();
    }
    if (this.next < compacted) {
      this.close();
      this.sink.compacted(compacted);
      return;
    }
    this.deliver(events);
    if (this.isState('behind')) this.catchUp();
  }

  /** Reads the next revisions of the log, and advances `next` behind them. */
  private readEvents(snapshot: ReadTransaction): readonly StoreEvent[] {
    // Later revisions are left to the next chunk or to `onCommitted`.
    const through = Math.min(this.options.durable(), snapshot.counter('revision'));
    const revisions = snapshot.revisions(this.next, through, CHUNK_REVISIONS);
    const events: StoreEvent[] = [];
    let bytes = 0;
    let read = 0;
    for (const revision of revisions) {
      const changes = snapshot.logEntry(revision) ?? [];
      bytes += changes.reduce((sum, change) => sum + change.value.length, 0);
      this.addEvents(events, revision, changes);
      this.next = revision + 1;
      read++;
      if (bytes >= CHUNK_BYTES) break;
    }
    // The log has no further revision up to `through`: compaction may have removed some.
    if (read === revisions.length && read < CHUNK_REVISIONS) this.next = Math.max(this.next, through + 1);
    return events;
  }

  /** Adds an event for each change in the range. */
  private addEvents(events: StoreEvent[], revision: Revision, changes: readonly KeyChange[]): void {
    for (const { key, deleted, value, version } of changes) {
      if (!isInRange(this.options.range, key)) continue;
      events.push(deleted ? { type: 'delete', key, revision } : { type: 'put', key, value, revision, created: version === 1 });
    }
  }

  private deliver(events: readonly StoreEvent[]): void {
    const last = events[events.length - 1];
    if (last !== undefined) this.sink.events(events, last.revision);
  }

  private reportProgress(): void {
    if (!this.isProgressRequested || this.state !== 'live') return;
    this.isProgressRequested = false;
    this.sink.progress(this.options.durable());
  }

  /** A method, because a sink call may have changed the state, which type narrowing does not see. */
  private isState(state: State): boolean {
    return this.state === state;
  }
}

/** Whether `key` lies in `range` in the order of UTF-8 bytes. */
function isInRange(range: KeyRange, key: string): boolean {
  return compareUtf8(range.start, key) <= 0 && compareUtf8(key, range.end) < 0;
}

/**
 * Compares strings by their UTF-8 bytes, which is code point order; JavaScript compares UTF-16 units, which differ
 * above U+FFFF.
 */
function compareUtf8(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  let index = 0;
  while (index < length && left.charCodeAt(index) === right.charCodeAt(index)) index++;
  if (index === length) return left.length - right.length;
  const leftUnit = left.charCodeAt(index);
  const rightUnit = right.charCodeAt(index);
  // A surrogate is part of a code point above every other unit; two surrogates order like units.
  if (isSurrogate(leftUnit) === isSurrogate(rightUnit)) return leftUnit - rightUnit;
  return isSurrogate(leftUnit) ? 1 : -1;
}

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;

/** Throws for a revision at which a watch cannot start. */
export function checkStartRevision(from: Revision): void {
  if (!Number.isSafeInteger(from) || from < 1) throw new StoreError('internal', `a watch starts at revision 1 or later, not ${from}`);
}
