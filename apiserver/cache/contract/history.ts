/**
 * Random histories of writes, watches opened during them, and the guarantees that every watch must keep. The guarantees
 * are those of etcd's robustness tests (Filter, Ordered, Unique, Atomic, Bookmarkable, Reliable, Resumable), checked
 * against the list of writes.
 */
import fc from 'fast-check';
import type { Change, ChangeSink, Entry, StoredType, WatchEnd, WatchEventType } from '../cache';
import type { OpenedCache } from '../sync/open-cache';
import type { StoreOperation, Revision, Store } from '../../storage/store';
import { configMaps, keyOf, nodes, storedValue } from '../../../test/support/store/cache-fixture';

/** A write of one object. */
export interface Write {
  readonly type: StoredType;
  readonly key: string;
  /** Value of the label `on`; `undefined` for a deletion of the object. */
  readonly on: boolean | undefined;
}

/** A step of a history. */
export interface Step {
  /** The writes of one transaction; each key occurs at most once. */
  readonly writes: readonly Write[];
  /** A watch that is opened after the transaction. */
  readonly watch: WatchPlan | undefined;
}

/** How a watch is opened. */
export interface WatchPlan {
  readonly type: StoredType;
  readonly namespace?: string;
  readonly name?: string;
  /** Selects only objects with the label `on: "true"`. */
  readonly isSelective: boolean;
  /** Whether a selective watch has the index hint for the field `on`, which always has the value of the label. */
  readonly usesIndex: boolean;
  /**
   * The watch starts after the step that is this many steps before its own; `undefined` to start with the current state.
   */
  readonly stepsBack: number | undefined;
}

const names = ['a', 'b', 'c'];
const namespaces = ['n', 'n-1'];

const anyWrite: fc.Arbitrary<Write> = fc
  .record({
    type: fc.constantFrom(configMaps, configMaps, nodes),
    key: fc.tuple(fc.constantFrom(...namespaces), fc.constantFrom(...names)).map(([namespace, name]) => `${namespace}/${name}`),
    on: fc.constantFrom(true, true, false, undefined),
  })
  .map((write) => (write.type.namespaced ? write : { ...write, key: write.key.slice(write.key.indexOf('/') + 1) }));

const anyWatchPlan: fc.Arbitrary<WatchPlan> = fc
  .record(
    {
      type: fc.constantFrom(configMaps, configMaps, nodes),
      namespace: fc.constantFrom(...namespaces),
      name: fc.constantFrom(...names),
      isSelective: fc.boolean(),
      usesIndex: fc.boolean(),
      stepsBack: fc.option(fc.nat(30), { nil: undefined }),
    },
    { requiredKeys: ['type', 'isSelective', 'usesIndex', 'stepsBack'] },
  )
  .map((candidate) => {
    const { namespace: _namespace, ...clusterWide } = candidate;
    return candidate.type.namespaced ? candidate : clusterWide;
  });

/** Random histories. Namespaces and names are few, so that objects are written repeatedly. */
export const histories: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    writes: fc.uniqueArray(anyWrite, { minLength: 1, maxLength: 3, selector: (candidate) => `${candidate.type.name} ${candidate.key}` }),
    watch: fc.option(anyWatchPlan, { nil: undefined, freq: 2 }),
  }),
  { minLength: 10, maxLength: 60 },
);

/** One change of an object according to the list of writes. */
interface AppliedChange {
  readonly revision: Revision;
  readonly type: StoredType;
  readonly key: string;
  /** The label `on` before and after the change; `undefined` when the object does not exist. */
  readonly before: boolean | undefined;
  readonly after: boolean | undefined;
}

interface ObservedEvent {
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
export async function record(store: Store, cache: OpenedCache, steps: readonly Step[]): Promise<Recording[]> {
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

function startRevision(plan: WatchPlan, revisions: readonly Revision[]): Revision | undefined {
  return plan.stepsBack === undefined ? undefined : revisions[Math.max(0, revisions.length - 1 - plan.stepsBack)];
}

async function applyWrites(store: Store, writes: readonly Write[], changes: AppliedChange[], revisions: Revision[]): Promise<void> {
  const operations = writes.map((candidate): StoreOperation => {
    const key = keyOf(candidate.type, candidate.key);
    return candidate.on === undefined ? { type: 'delete', key } : { type: 'put', key, value: valueOf(candidate.on) };
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
    const siblings = this.changes.filter(({ revision, after }) => revision === change.revision && after !== undefined);
    return siblings.every(
      ({ type, key }) => (cache.get(type, key)?.revision ?? Infinity) >= change.revision || cache.revision > change.revision,
    );
  }
}

function isOn(entry: Entry): boolean {
  return entry.labels['on'] === 'true';
}

function isInScope(plan: WatchPlan, key: string): boolean {
  const slash = key.indexOf('/');
  const namespace = key.slice(0, Math.max(0, slash));
  const name = key.slice(slash + 1);
  return (plan.namespace ?? namespace) === namespace && (plan.name ?? name) === name;
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

const eventsOf = ({ observed }: Recording): ObservedEvent[] => observed.filter(({ kind }) => kind !== 'BOOKMARK');
const liveOf = (recording: Recording): ObservedEvent[] => eventsOf(recording).filter(({ revision }) => revision > recording.from);

/** The guarantees by name; each function returns whether the recording satisfies it. */
export const guarantees: Readonly<Record<string, (recording: Recording) => boolean>> = {
  /** Only objects in scope that match the selector are delivered. */
  Filter: (recording) => eventsOf(recording).every(({ key, on }) => isInScope(recording.plan, key) && (on || !recording.plan.isSelective)),
  /** Events of the initial state come first, each key once and in the order of keys; later ones in the order of revisions. */
  Ordered: (recording) => {
    const events = eventsOf(recording);
    const live = liveOf(recording);
    const initial = events.slice(0, events.length - live.length);
    const initialKeys = initial.map(({ key }) => key);
    const liveRevisions = live.map(({ revision }) => revision);
    return (
      initial.every(({ revision }) => revision <= recording.from) &&
      isSorted(initialKeys) &&
      new Set(initialKeys).size === initialKeys.length &&
      isSorted(liveRevisions)
    );
  },
  /** No change of an object is delivered twice. */
  Unique: (recording) => new Set(eventsOf(recording).map(({ revision, key }) => `${revision} ${key}`)).size === eventsOf(recording).length,
  /** When an event is delivered, the cache shows all writes of its transaction. */
  Atomic: (recording) => eventsOf(recording).every(({ isAtomic }) => isAtomic),
  /** Before a bookmark come exactly the events up to its revision. */
  Bookmarkable: ({ observed, expected }) =>
    observed.every((event, index) => {
      if (event.kind !== 'BOOKMARK') return true;
      const before = observed.slice(0, index).filter(({ kind }) => kind !== 'BOOKMARK').length;
      const expectedCount = expected.filter(({ revision }) => revision <= event.revision).length;
      return before === expectedCount;
    }),
  /** The watch stays open and misses no event. */
  Reliable: (recording) => {
    const delivered = new Set(eventsOf(recording).map(textOf));
    return recording.ended === undefined && recording.expected.every((candidate) => delivered.has(textOf(candidate)));
  },
  /** From any start, the watch delivers exactly the changes since; so a watch can resume from any event or bookmark. */
  Resumable: (recording) => eventsOf(recording).map(textOf).join() === recording.expected.map(textOf).join(),
};

function isSorted<T extends number | string>(values: readonly T[]): boolean {
  return values.every((value, index) => {
    const previous = values[index - 1];
    return previous === undefined || previous <= value;
  });
}

function textOf({ kind, revision, key, on }: ObservedEvent): string {
  return `${kind} ${key}@${revision} ${on}`;
}
