/**
 * Correlates Events as client-go does. Equal reports are counted in one Event. Many reports that differ only in their
 * messages are aggregated into one Event. A token bucket for each object drops further ones. Writing the Events is left to
 * event-recorder.ts.
 */
import type { Clock } from '../../runtime/clock';
import { TokenBucket } from '../rate-limiter';

/** The object that an Event is about. */
export interface ObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  /** `''` for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion?: string;
  /** The part of the object, such as `spec.containers{web}`. */
  readonly fieldPath?: string;
}

/** An occurrence that a component reports; several may become one Event. */
export interface EventReport {
  readonly about: ObjectReference;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** An Event that was written earlier. */
export interface WrittenEvent {
  readonly name: string;
  /** The number of reports that it stands for. */
  readonly count: number;
}

/** How a report is written: as a new Event, or by counting up an earlier one. */
export interface CorrelatedEvent {
  /** Key for {@link EventCorrelator.recordWritten}. */
  readonly key: string;
  readonly message: string;
  /** The Event to count up; `undefined` when a new one is to be created. */
  readonly previous: WrittenEvent | undefined;
}

/** Messages of a group that keep Events of their own. Further ones are aggregated: in client-go from the tenth on. */
const MAX_DISTINCT_MESSAGES = 9;
/** A group ends when this time passes without another report of it, as in client-go. Milliseconds. */
const AGGREGATION_WINDOW_MS = 600_000;
/** Events about one object, as client-go limits them: 25 at once, then one in five minutes. */
const BURST = 25;
const PER_SECOND = 1 / 300;
/** Maximum number of entries in each cache. */
const CACHE_SIZE = 4_096;

/** The reports that are equal apart from their messages. */
interface AggregateGroup {
  /** The messages that have Events of their own. */
  readonly messages: Set<string>;
  /** Monotonic milliseconds of the last report. */
  lastAt: number;
}

/** One per recorder. Its memory is bounded: what was reported least recently is forgotten. */
export class EventCorrelator {
  private readonly spamFilters = new LruCache<TokenBucket>();
  private readonly groups = new LruCache<AggregateGroup>();
  private readonly written = new LruCache<WrittenEvent>();

  constructor(private readonly clock: Clock) {}

  /** How to write a report; `undefined` when the object's token bucket is empty, so that the report is dropped. */
  correlate(report: EventReport): CorrelatedEvent | undefined {
    const { about, type, reason } = report;
    const object = [about.kind, about.namespace, about.name, about.uid, about.apiVersion, about.fieldPath ?? ''].join('\n');
    const message = this.aggregateMessage(`${object}\n${type}\n${reason}`, report.message);
    const bucket = this.spamFilters.getOrCreate(object, () => new TokenBucket(this.clock, PER_SECOND, BURST));
    if (!bucket.tryTake()) return undefined;
    // Aggregated Events share one key, regardless of the message.
    const key = `${object}\n${type}\n${reason}\n${message === report.message ? message : ''}`;
    return { key, message, previous: this.written.get(key) };
  }

  /** To be called with the Event that was created or counted up for a correlated report. */
  recordWritten(key: string, event: WrittenEvent): void {
    this.written.set(key, event);
  }

  /** Forgets an Event that no longer exists, so that the next report creates a new one. */
  forget(key: string): void {
    this.written.delete(key);
  }

  private aggregateMessage(groupKey: string, message: string): string {
    const now = this.clock.monotonic();
    let group = this.groups.get(groupKey);
    if (group === undefined || now - group.lastAt > AGGREGATION_WINDOW_MS) {
      group = { messages: new Set(), lastAt: now };
      this.groups.set(groupKey, group);
    }
    group.lastAt = now;
    if (group.messages.size < MAX_DISTINCT_MESSAGES) group.messages.add(message);
    return group.messages.has(message) ? message : `(combined from similar events): ${message}`;
  }
}

/** A least-recently-used cache of {@link CACHE_SIZE} entries. */
class LruCache<T> {
  private readonly entries = new Map<string, T>();

  get(key: string): T | undefined {
    const value = this.entries.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  getOrCreate(key: string, make: () => T): T {
    const value = this.get(key) ?? make();
    this.set(key, value);
    return value;
  }

  set(key: string, value: T): void {
    this.entries.delete(key);
    this.entries.set(key, value);
    if (this.entries.size <= CACHE_SIZE) return;
    for (const oldest of this.entries.keys()) {
      this.entries.delete(oldest);
      return;
    }
  }

  delete(key: string): void {
    this.entries.delete(key);
  }
}
