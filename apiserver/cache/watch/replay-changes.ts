/**
 * Replays a part of the past from the store for one watcher that starts before the event window. Reads the events of the
 * watcher's own range (store-event-reader.ts) and ends when they have passed `until`. Earlier states, needed for deletions and selectors,
 * are cached within a limit and otherwise read at the revision before the change.
 */
import { LRUCache } from 'lru-cache';
import { StoreError, type Revision, type StoreEvent } from '../../storage/store';
import type { Change, Entry, WatchScope } from '../cache';
import type { EntryFactory } from '../store/entry';
import { isInScope, scopeBounds } from '../store/scope-bounds';
import type { YieldNow } from '../../../shared/scheduling/yielding';
import type { TypeState } from '../store/type-state';
import { RecordedChange } from '../store/event-window';
import { CompactedError, StoreEventReader, type EventReaderHost } from './store-event-reader';

/** Limit of the earlier states that are kept to derive what a change means for the scope. */
const MAX_REMEMBERED_BYTES = 1024 * 1024;
/** Estimated memory of a remembered entry besides its value, in bytes. */
const ENTRY_OVERHEAD = 300;

/** The cache with the history to replay. */
export interface ReplayHost extends EventReaderHost {
  readonly entries: EntryFactory;
  readonly yieldNow: YieldNow;
}

/** The replay of one watch. Callbacks are called in order and never overlap. */
export interface ReplayRequest {
  readonly state: TypeState;
  readonly scope: WatchScope;
  /** The changes after `from`, up to and including `until`, are replayed. */
  readonly from: Revision;
  readonly until: Revision;
  /** False once the watcher is closed. */
  isActive(): boolean;
  /** Called for each change in scope, in order of revisions. */
  onChange(change: Change): void;
  /** A modification for which no earlier state is needed. */
  onModified(change: Change, entry: Entry): void;
  /** See `ChangeSink.whenWritable`. */
  whenWritable(): Promise<void> | undefined;
}

/**
 * Resolves with the revision up to which everything was delivered (`from` when the watcher was closed meanwhile). Rejects
 * with {@link CompactedError}, StoreError or UnknownFormatError.
 */
export async function replayChanges(host: ReplayHost, request: ReplayRequest): Promise<Revision> {
  const { state, scope, from } = request;
  const { start, end } = scopeBounds(state.type, scope);
  const range = host.keys.range(state.type, start, end);
  const events = new StoreEventReader(host, { range, from, isActive: () => request.isActive() });
  const previousStates = new PreviousStates(host, state);
  try {
    for (;;) {
      const batch = await events.next();
      if (!request.isActive()) return request.from;
      for (const event of batch.events) {
        if (event.revision > request.until) return request.until;
        await deliver(host, request, previousStates, event);
        if (!request.isActive()) return request.from;
      }
      if (batch.through >= request.until) return request.until;
    }
  } catch (error) {
    if (error instanceof StoreError && error.failure === 'compacted') throw new CompactedError(error.compactRevision ?? request.until);
    throw error;
  } finally {
    events.close();
  }
}

/** Delivers the event if it is in scope, and waits until the sink can take more. */
async function deliver(host: ReplayHost, request: ReplayRequest, previousStates: PreviousStates, event: StoreEvent): Promise<void> {
  const { state, scope } = request;
  if (host.keys.locate(event.key, event.revision) !== state) return;
  const key = event.key.slice(state.keyOffset);
  if (!isInScope(state.type, scope, key)) return;
  const current = event.type === 'put' ? host.entries.create(state.type, key, event.revision, event.value) : undefined;
  const created = event.type === 'put' && event.created;
  const needsPrevious = !created && (current === undefined || scope.matches !== undefined);
  const previous = needsPrevious ? await previousStates.stateBefore(event.key, key, event.revision) : undefined;
  previousStates.remember(key, current);
  const change = new RecordedChange(event.revision, key, current, previous, 0);
  if (current === undefined || created || needsPrevious) request.onChange(change);
  else request.onModified(change, current);
  await request.whenWritable();
}

/** The states before the replayed changes. */
class PreviousStates {
  private readonly remembered = new LRUCache<string, Entry>({
    maxSize: MAX_REMEMBERED_BYTES,
    sizeCalculation: (entry) => entry.bytes.length + ENTRY_OVERHEAD,
  });

  constructor(
    private readonly host: ReplayHost,
    private readonly state: TypeState,
  ) {}

  /** Records the state after a replayed change. */
  remember(key: string, current: Entry | undefined): void {
    if (current === undefined) this.remembered.delete(key);
    else this.remembered.set(key, current);
  }

  /** The state before the change at `revision`: the remembered one, or read from the store. */
  async stateBefore(storeKey: string, key: string, revision: Revision): Promise<Entry | undefined> {
    const remembered = this.remembered.get(key);
    if (remembered !== undefined) return remembered;
    const { kv } = await this.host.store.get(storeKey, { revision: revision - 1 });
    return kv === undefined ? undefined : this.host.entries.create(this.state.type, key, kv.modRevision, kv.value);
  }
}
