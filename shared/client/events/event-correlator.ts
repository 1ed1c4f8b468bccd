/**
 * Correlates Events as client-go does: equal ones are counted in one Event, many with different messages are
 * aggregated into one, and a token bucket per object filters spam. Depends on nothing but the clock.
 */
import type { Clock } from '../../runtime/clock';
import { TokenBucket } from '../rate-limiter';

/** The object that an Event is about. */
export interface ObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  /** '' for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion?: string;
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
  /** How often it was reported. */
  readonly count: number;
}

/** How a report is written: as a new Event, or by counting up an earlier one. */
export interface CorrelatedEvent {
  /** Key for {@link EventCorrelator.recordWritten}. */
  readonly key: string;
  readonly message: string;
  /** The Event to count up; undefined for a new one. */
  readonly previous: WrittenEvent | undefined;
}

/** Further messages within the window are aggregated: client-go does so from the tenth similar Event on. */
const MAX_DISTINCT_MESSAGES = 9;
/** A group of similar Events ends when this time passes without another one, as in client-go. */
const AGGREGATION_WINDOW_MS = 600_000;
/** Events about one object, as client-go limits them: 25 at once, then one in five minutes. */
const BURST = 25;
const PER_SECOND = 1 / 300;
/** Maximum number of entries in each cache. */
const CACHE_SIZE = 4_096;

/** Similar Events: the same apart from their messages. */
interface AggregateGroup {
  readonly messages: Set<string>;
  /** Monotonic milliseconds of the last report. */
  lastAt: number;
}

/** One per recorder. Its memory is bounded: the least recently reported Events are forgotten. */
export class EventCorrelator {
  private readonly spamFilters = new LruCache<TokenBucket>();
  private readonly groups = new LruCache<AggregateGroup>();
  private readonly written = new LruCache<WrittenEvent>();

  constructor(private readonly clock: Clock) {}

  /** Undefined when the spam filter drops the Event. */
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

  /** Forgets a deleted Event: the next report creates a new one. */
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
