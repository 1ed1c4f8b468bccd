/**
 * Plays a history on a store and a cache, and records for each of its watches the events that it receives and those that it
 * must receive according to the list of writes. Comparing them is left to guarantees.ts.
 */
import type { Change, ChangeSink, Entry, StoredType, WatchEnd, WatchEventType } from '../cache';
import type { OpenedCache } from '../sync/open-cache';
import type { StoreOperation, Revision, Store } from '../../storage/store';
import { keyOf, storedValue } from '../../../test/support/store/cache-fixture';
import { isInScope, type Step, type WatchPlan, type Write } from './history';

/** One change of an object according to the list of writes. */
interface AppliedChange {
  readonly revision: Revision;
  readonly type: StoredType;
  readonly key: string;
  /** The label `on` before and after the change; `undefined` when the object does not exist. */
  readonly before: boolean | undefined;
  readonly after: boolean | undefined;
}

/** An event or bookmark as a sink has received it, or must receive it. */
export interface ObservedEvent {
  readonly kind: WatchEventType | 'BOOKMARK';
  readonly revision: Revision;
  readonly key: string;
  /** The label of the delivered entry. */
  readonly on: boolean;
  /** Whether the cache already had this revision and all keys of it when the event was delivered. */
  readonly isAtomic: boolean;
}

/** What one watch received, and what it must receive. */
export interface Recording {
  readonly plan: WatchPlan;
  /** The revision of the initial state, or the one after which changes are watched. */
  readonly from: Revision;
  readonly observed: readonly ObservedEvent[];
  readonly expected: readonly ObservedEvent[];
  /** `undefined` while the watch is open. */
  readonly ended: WatchEnd | undefined;
}

/** Applies a history and returns the events of each watch, once it has received the expected number or has ended. */
export async function recordHistory(store: Store, cache: OpenedCache, steps: readonly Step[]): Promise<Recording[]> {
  const changes: AppliedChange[] = [];
  const revisions: Revision[] = [cache.revision];
  const sinks: RecordingSink[] = [];
  for (const step of steps) {
    await applyWrites(store, step.writes, changes, revisions);
    if (step.watch === undefined) continue;
    await cache.waitUntilFresh({ deadline: Infinity });
    sinks.push(new RecordingSink(cache, changes, step.watch, startRevision(step.watch, revisions)));
  }
  await cache.waitUntilFresh({ deadline: Infinity });
  const recordings: Recording[] = [];
  for (const sink of sinks) recordings.push(await sink.finish());
  return recordings;
}

/** The revision after which the watch starts; `undefined` for the current state. */
function startRevision(plan: WatchPlan, revisions: readonly Revision[]): Revision | undefined {
  return plan.stepsBack === undefined ? undefined : revisions[Math.max(0, revisions.length - 1 - plan.stepsBack)];
}

/** Writes in one transaction, and adds what it has changed to `changes` and its revision to `revisions`. */
async function applyWrites(store: Store, writes: readonly Write[], changes: AppliedChange[], revisions: Revision[]): Promise<void> {
  const operations = writes.map(({ type, key, on }): StoreOperation => {
    const storeKey = keyOf(type, key);
    return on === undefined ? { type: 'delete', key: storeKey } : { type: 'put', key: storeKey, value: valueOf(on) };
  });
  const result = await store.transact({ compare: [], operations });
  for (const { type, key, on } of writes) {
    const before = changes.findLast((change) => change.type === type && change.key === key)?.after;
    if (before !== undefined || on !== undefined) changes.push({ revision: result.revision, type, key, before, after: on });
  }
  revisions.push(result.revision);
}

function valueOf(on: boolean): Buffer {
  return storedValue({ labels: { on: String(on) }, fields: { on: String(on) } });
}

/** Opens a watch and records what it receives. */
class RecordingSink implements ChangeSink {
  readonly observed: ObservedEvent[] = [];
  ended: WatchEnd | undefined;
  private wake: () => void = () => undefined;
  private readonly from: Revision;

  constructor(
    private readonly cache: OpenedCache,
    private readonly changes: readonly AppliedChange[],
    private readonly plan: WatchPlan,
    after: Revision | undefined,
  ) {
    this.from = after ?? cache.revision;
    const { namespace, name } = plan;
    cache.watch(
      plan.type,
      {
        scope: {
          ...(namespace === undefined ? {} : { namespace }),
          ...(name === undefined ? {} : { name }),
          ...(plan.isSelective ? { matches: isOn } : {}),
          ...(plan.isSelective && plan.usesIndex ? { indexed: { field: 'on', value: 'true' } } : {}),
        },
        start: after === undefined ? { type: 'state' } : { type: 'after', revision: after },
        bookmarks: true,
        markEndOfInitialEvents: after === undefined,
      },
      this,
    );
  }

  event(kind: WatchEventType, entry: Entry, change: Change): void {
    this.observed.push({ kind, revision: change.revision, key: entry.key, on: isOn(entry), isAtomic: this.isAtomic(change) });
    this.wake();
  }

  bookmark(revision: Revision): void {
    this.observed.push({ kind: 'BOOKMARK', revision, key: '', on: false, isAtomic: true });
    this.wake();
  }

  end(reason: WatchEnd): void {
    this.ended = reason;
    this.wake();
  }

  /** Resolves when the expected number of events has arrived, or the watch has ended. */
  async finish(): Promise<Recording> {
    const expected = expectedOf(this.changes, this.plan, this.from);
    while (this.events.length < expected.length && this.ended === undefined) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    // An event too many would arrive by now.
    await new Promise<void>((resolve) => setImmediate(resolve));
    return { plan: this.plan, from: this.from, observed: this.observed, expected, ended: this.ended };
  }

  private get events(): ObservedEvent[] {
    return this.observed.filter(({ kind }) => kind !== 'BOOKMARK');
  }

  /** Whether the cache shows every write of the change's revision. */
  private isAtomic(change: Change): boolean {
    const { cache } = this;
    if (change.revision > cache.revision) return false;
    // A later revision may have changed the objects of this one again.
    if (cache.revision > change.revision) return true;
    const siblings = this.changes.filter(({ revision, after }) => revision === change.revision && after !== undefined);
    return siblings.every(({ type, key }) => (cache.get(type, key)?.revision ?? Infinity) >= change.revision);
  }
}

function isOn(entry: Entry): boolean {
  return entry.labels['on'] === 'true';
}

/** The events that a watch must receive according to the list of writes. */
function expectedOf(changes: readonly AppliedChange[], plan: WatchPlan, from: Revision): ObservedEvent[] {
  const isMatch = (on: boolean | undefined): on is boolean => on !== undefined && (!plan.isSelective || on);
  const changesInScope = changes.filter(({ type, key }) => type === plan.type && isInScope(plan, key));
  const state = new Map<string, ObservedEvent>();
  const liveEvents: ObservedEvent[] = [];
  for (const { revision, key, before, after } of changesInScope) {
    if (revision <= from) {
      if (isMatch(after)) state.set(key, { kind: 'ADDED', revision, key, on: after, isAtomic: true });
      else state.delete(key);
    } else if (isMatch(after)) {
      liveEvents.push({ kind: isMatch(before) ? 'MODIFIED' : 'ADDED', revision, key, on: after, isAtomic: true });
    } else if (isMatch(before)) {
      liveEvents.push({ kind: 'DELETED', revision, key, on: before, isAtomic: true });
    }
  }
  const initial = [...state.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  return plan.stepsBack === undefined ? [...initial, ...liveEvents] : liveEvents;
}
