/**
 * Random histories of writes, watches opened in the middle of them, and the rules that every watch must keep: the guarantees that etcd's
 * robustness tests name Filter, Ordered, Unique, Atomic, Bookmarkable, Reliable and Resumable, checked against the list of writes.
 */
import fc from 'fast-check';
import type { Change, ChangeSink, Entry, StoredType, WatchEnd, WatchEventType } from '../cache';
import type { OpenedCache } from '../sync/open-cache';
import type { StoreOperation, Revision, Store } from '../../storage/store';
import { configMaps, keyOf, nodes, value } from '../../../test/support/cache-fixture';

export interface Write {
  readonly type: StoredType;
  readonly key: string;
  /** Undefined = delete. */
  readonly on: boolean | undefined;
}

export interface Step {
  /** One transaction: no key twice. */
  readonly writes: readonly Write[];
  /** A watch opened after it. */
  readonly watch: WatchPlan | undefined;
}

export interface WatchPlan {
  readonly type: StoredType;
  readonly namespace?: string;
  readonly name?: string;
  /** Only objects with label `on`. */
  readonly selective: boolean;
  /** A selective watch is found by the field `on`, which goes with the label. */
  readonly indexed: boolean;
  /** How many of the steps so far lie behind the start; undefined = start with the state. */
  readonly back: number | undefined;
}

const names = ['a', 'b', 'c'];
const namespaces = ['n', 'n-1'];

const write: fc.Arbitrary<Write> = fc
  .record({
    type: fc.constantFrom(configMaps, configMaps, nodes),
    key: fc.tuple(fc.constantFrom(...namespaces), fc.constantFrom(...names)).map(([namespace, name]) => `${namespace}/${name}`),
    on: fc.constantFrom(true, true, false, undefined),
  })
  .map((one) => (one.type.namespaced ? one : { ...one, key: one.key.slice(one.key.indexOf('/') + 1) }));

const plan: fc.Arbitrary<WatchPlan> = fc
  .record(
    {
      type: fc.constantFrom(configMaps, configMaps, nodes),
      namespace: fc.constantFrom(...namespaces),
      name: fc.constantFrom(...names),
      selective: fc.boolean(),
      indexed: fc.boolean(),
      back: fc.option(fc.nat(30), { nil: undefined }),
    },
    { requiredKeys: ['type', 'selective', 'indexed', 'back'] },
  )
  .map((one) => {
    const { namespace: _namespace, ...clusterWide } = one;
    return one.type.namespaced ? one : clusterWide;
  });

export const histories: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    writes: fc.uniqueArray(write, { minLength: 1, maxLength: 3, selector: (one) => `${one.type.name} ${one.key}` }),
    watch: fc.option(plan, { nil: undefined, freq: 2 }),
  }),
  { minLength: 10, maxLength: 60 },
);

/** One object's change as the list of writes has it. */
interface Fact {
  readonly revision: Revision;
  readonly type: StoredType;
  readonly key: string;
  readonly before: boolean | undefined;
  readonly after: boolean | undefined;
}

interface Told {
  readonly kind: WatchEventType | 'BOOKMARK';
  readonly revision: Revision;
  readonly key: string;
  /** The label of the entry that was shown. */
  readonly on: boolean;
  /** Whether the cache's clock and the other keys of that revision were there when the event was told. */
  readonly whole: boolean;
}

export interface Recording {
  readonly plan: WatchPlan;
  readonly from: Revision;
  readonly told: readonly Told[];
  readonly expected: readonly Told[];
  readonly ended: WatchEnd | undefined;
}

/** Carries out a history and returns what every watch was told, once each has been told enough. */
export async function record(store: Store, cache: OpenedCache, steps: readonly Step[]): Promise<Recording[]> {
  const facts: Fact[] = [];
  const revisions: Revision[] = [cache.revision];
  const open: Listener[] = [];
  for (const step of steps) {
    await carryOut(store, step.writes, facts, revisions);
    if (step.watch === undefined) continue;
    await cache.mostRecent({ deadline: Infinity });
    open.push(new Listener(cache, facts, step.watch, start(step.watch, revisions)));
  }
  await cache.mostRecent({ deadline: Infinity });
  const recordings: Recording[] = [];
  for (const listener of open) recordings.push(await listener.finish());
  return recordings;
}

function start(plan: WatchPlan, revisions: readonly Revision[]): Revision | undefined {
  return plan.back === undefined ? undefined : revisions[Math.max(0, revisions.length - 1 - plan.back)];
}

async function carryOut(store: Store, writes: readonly Write[], facts: Fact[], revisions: Revision[]): Promise<void> {
  const operations = writes.map((one): StoreOperation => {
    const key = keyOf(one.type, one.key);
    return one.on === undefined ? { type: 'delete', key } : { type: 'put', key, value: valueOf(one.on) };
  });
  const result = await store.transact({ compare: [], operations });
  for (const { type, key, on } of writes) {
    const before = facts.findLast((fact) => fact.type === type && fact.key === key)?.after;
    if (before !== undefined || on !== undefined) facts.push({ revision: result.revision, type, key, before, after: on });
  }
  revisions.push(result.revision);
}

function valueOf(on: boolean): Buffer {
  return value({ labels: { on: String(on) }, fields: { on: String(on) } });
}

class Listener implements ChangeSink {
  readonly told: Told[] = [];
  ended: WatchEnd | undefined;
  private wake: () => void = () => undefined;
  private readonly from: Revision;

  constructor(
    private readonly cache: OpenedCache,
    private readonly facts: readonly Fact[],
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
          ...(plan.selective ? { matches: isOn } : {}),
          ...(plan.selective && plan.indexed ? { indexed: { field: 'on', value: 'true' } } : {}),
        },
        start: after === undefined ? { type: 'state' } : { type: 'after', revision: after },
        bookmarks: true,
        markEndOfInitialEvents: after === undefined,
      },
      this,
    );
  }

  event(kind: WatchEventType, entry: Entry, change: Change): void {
    this.told.push({ kind, revision: change.revision, key: entry.key, on: isOn(entry), whole: this.whole(change) });
    this.wake();
  }

  bookmark(revision: Revision): void {
    this.told.push({ kind: 'BOOKMARK', revision, key: '', on: false, whole: true });
    this.wake();
  }

  end(reason: WatchEnd): void {
    this.ended = reason;
    this.wake();
  }

  async finish(): Promise<Recording> {
    const expected = expectedOf(this.facts, this.plan, this.from);
    while (this.events.length < expected.length && this.ended === undefined) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    await new Promise<void>((resolve) => setImmediate(resolve));
    return { plan: this.plan, from: this.from, told: this.told, expected, ended: this.ended };
  }

  private get events(): Told[] {
    return this.told.filter(({ kind }) => kind !== 'BOOKMARK');
  }

  /** Writes of the same revision that the cache does not show although it was told about one of them. */
  private whole(change: Change): boolean {
    const { cache } = this;
    if (change.revision > cache.revision) return false;
    const siblings = this.facts.filter((fact) => fact.revision === change.revision && fact.after !== undefined);
    return siblings.every(
      ({ type, key }) => (cache.get(type, key)?.revision ?? Infinity) >= change.revision || cache.revision > change.revision,
    );
  }
}

function isOn(entry: Entry): boolean {
  return entry.labels['on'] === 'true';
}

function inScope(plan: WatchPlan, key: string): boolean {
  const slash = key.indexOf('/');
  return (
    (plan.namespace ?? key.slice(0, Math.max(0, slash))) === key.slice(0, Math.max(0, slash)) &&
    (plan.name ?? key.slice(slash + 1)) === key.slice(slash + 1)
  );
}

function expectedOf(facts: readonly Fact[], plan: WatchPlan, from: Revision): Told[] {
  const wanted = (on: boolean | undefined): on is boolean => on !== undefined && (!plan.selective || on);
  const mine = facts.filter((fact) => fact.type === plan.type && inScope(plan, fact.key));
  const state = new Map<string, Told>();
  const changes: Told[] = [];
  for (const { revision, key, before, after } of mine) {
    if (revision <= from) {
      if (wanted(after)) state.set(key, { kind: 'ADDED', revision, key, on: after, whole: true });
      else state.delete(key);
    } else if (wanted(after)) {
      changes.push({ kind: wanted(before) ? 'MODIFIED' : 'ADDED', revision, key, on: after, whole: true });
    } else if (wanted(before)) {
      changes.push({ kind: 'DELETED', revision, key, on: before, whole: true });
    }
  }
  const initial = [...state.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  return plan.back === undefined ? [...initial, ...changes] : changes;
}

const eventsOf = ({ told }: Recording): Told[] => told.filter(({ kind }) => kind !== 'BOOKMARK');
const liveOf = (recording: Recording): Told[] => eventsOf(recording).filter(({ revision }) => revision > recording.from);

/** Each guarantee: true when the recording keeps it. */
export const guarantees: Readonly<Record<string, (recording: Recording) => boolean>> = {
  Filter: (recording) => eventsOf(recording).every(({ key, on }) => inScope(recording.plan, key) && (on || !recording.plan.selective)),
  Ordered: (recording) => {
    const live = liveOf(recording);
    const initial = eventsOf(recording).slice(0, eventsOf(recording).length - live.length);
    return (
      live.every(({ revision }, index) => index === 0 || revision >= (live[index - 1]?.revision ?? 0)) &&
      initial.every(({ revision, key }, index) => revision <= recording.from && (index === 0 || key > (initial[index - 1]?.key ?? '')))
    );
  },
  Unique: (recording) => new Set(eventsOf(recording).map(({ revision, key }) => `${revision} ${key}`)).size === eventsOf(recording).length,
  Atomic: (recording) => eventsOf(recording).every(({ whole }) => whole),
  Bookmarkable: ({ told, expected }) =>
    told.every((mark, index) => {
      if (mark.kind !== 'BOOKMARK') return true;
      const before = told.slice(0, index).filter(({ kind }) => kind !== 'BOOKMARK').length;
      const due = expected.filter(({ revision }) => revision <= mark.revision).length;
      return before === due;
    }),
  Reliable: (recording) => {
    const seen = new Set(eventsOf(recording).map(textOf));
    return recording.ended === undefined && recording.expected.every((one) => seen.has(textOf(one)));
  },
  /** Whatever the start, what comes is exactly what happened since: so a watch can go on from any event or bookmark of another. */
  Resumable: (recording) => eventsOf(recording).map(textOf).join() === recording.expected.map(textOf).join(),
};

function textOf({ kind, revision, key, on }: Told): string {
  return `${kind} ${key}@${revision} ${on}`;
}
