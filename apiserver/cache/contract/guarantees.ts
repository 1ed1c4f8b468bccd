/**
 * The guarantees that every watch must keep, as in etcd's robustness tests: each is a condition on the recording of one
 * watch, which contains the events that it received and those that it must receive.
 */
import { isInScope } from './history';
import type { ObservedEvent, Recording } from './recording';

const eventsOf = ({ observed }: Recording): ObservedEvent[] => observed.filter(({ kind }) => kind !== 'BOOKMARK');
/** The events after the initial state. */
const liveEventsOf = (recording: Recording): ObservedEvent[] => eventsOf(recording).filter(({ revision }) => revision > recording.from);

/** The guarantees by name; each function returns whether the recording satisfies it. */
export const guarantees: Readonly<Record<string, (recording: Recording) => boolean>> = {
  /** Only objects in scope that match the selector are delivered. */
  Filter: (recording) => eventsOf(recording).every(({ key, on }) => isInScope(recording.plan, key) && (on || !recording.plan.isSelective)),
  /** Events of the initial state come first, each key once and in the order of keys; later ones in the order of revisions. */
  Ordered: (recording) => {
    const events = eventsOf(recording);
    const live = liveEventsOf(recording);
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
  Unique: (recording) => {
    const changes = eventsOf(recording).map(({ revision, key }) => `${revision} ${key}`);
    return new Set(changes).size === changes.length;
  },
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
