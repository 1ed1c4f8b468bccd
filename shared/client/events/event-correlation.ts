/**
 * Turns many reports about one object into few Events: equal ones are counted in one Event, many that differ in their text only become one
 * combined Event, and an object that never ends being reported is let through only now and then. Pure but for the clock.
 */
import type { Clock } from '../../runtime/clock';
import { TokenBucket } from '../rate-limit';

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

export interface Report {
  readonly about: ObjectReference;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** An Event that was written for earlier reports. */
export interface Written {
  readonly name: string;
  readonly count: number;
}

export interface Correlated {
  /** Under which {@link EventCorrelation.wrote} remembers what was written. */
  readonly key: string;
  readonly message: string;
  /** The Event to be counted up; undefined = a new one. */
  readonly previous: Written | undefined;
}

/** More texts than this within the window are combined. */
const DISTINCT_MESSAGES = 9;
const WINDOW_MS = 600_000;
const BURST = 25;
const PER_SECOND = 1 / 300;
/** Objects, groups and Events that are remembered. */
const REMEMBERED = 4_096;

interface Group {
  readonly messages: Set<string>;
  lastAt: number;
}

export class EventCorrelation {
  private readonly buckets = new Recent<TokenBucket>();
  private readonly groups = new Recent<Group>();
  private readonly written = new Recent<Written>();

  constructor(private readonly clock: Clock) {}

  /** Undefined = the report is one too many. */
  correlate(report: Report): Correlated | undefined {
    const { about, type, reason } = report;
    const object = [about.kind, about.namespace, about.name, about.uid, about.apiVersion, about.fieldPath ?? ''].join('\n');
    const message = this.combined(`${object}\n${type}\n${reason}`, report.message);
    const bucket = this.buckets.take(object, () => new TokenBucket(this.clock, PER_SECOND, BURST));
    if (!bucket.tryTake()) return undefined;
    // Combined reports share one Event whatever their text.
    const key = `${object}\n${type}\n${reason}\n${message === report.message ? message : ''}`;
    return { key, message, previous: this.written.get(key) };
  }

  wrote(key: string, event: Written): void {
    this.written.set(key, event);
  }

  /** The Event is gone: the next report makes a new one. */
  lost(key: string): void {
    this.written.delete(key);
  }

  private combined(groupKey: string, message: string): string {
    const now = this.clock.monotonic();
    let group = this.groups.get(groupKey);
    if (group === undefined || now - group.lastAt > WINDOW_MS) {
      group = { messages: new Set(), lastAt: now };
      this.groups.set(groupKey, group);
    }
    group.lastAt = now;
    if (group.messages.size < DISTINCT_MESSAGES) group.messages.add(message);
    return group.messages.has(message) ? message : `(combined from similar events): ${message}`;
  }
}

/** The most recently used entries. */
class Recent<T> {
  private readonly entries = new Map<string, T>();

  get(key: string): T | undefined {
    const found = this.entries.get(key);
    if (found !== undefined) this.set(key, found);
    return found;
  }

  take(key: string, make: () => T): T {
    const found = this.get(key) ?? make();
    this.set(key, found);
    return found;
  }

  set(key: string, value: T): void {
    this.entries.delete(key);
    this.entries.set(key, value);
    if (this.entries.size <= REMEMBERED) return;
    for (const oldest of this.entries.keys()) {
      this.entries.delete(oldest);
      return;
    }
  }

  delete(key: string): void {
    this.entries.delete(key);
  }
}
