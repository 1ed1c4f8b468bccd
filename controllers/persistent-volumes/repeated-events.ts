/**
 * Limits how often the same Event about an object is recorded: each sync of a pending claim results in the same Event,
 * which is recorded at most once in five minutes. An Event with another reason or message is recorded at once. Holds one
 * entry for each object until {@link RepeatedEvents.forget}; recording the Event is left to the caller.
 */
import { keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import type { Clock } from '../../shared/runtime/clock';
import type { StorageEvent } from './reconcile-claim';

/** Milliseconds. Shorter than the TTL of Events, so that a pending claim always has one. */
const REPEAT_MS = 300_000;

interface RecordedEvent {
  /** UID of the object, reason and message of the Event. */
  readonly identity: string;
  /** Milliseconds of the monotonic clock. */
  readonly at: number;
}

/** One entry for each object with a recorded Event. */
export class RepeatedEvents {
  /** The last Event by the key of its object. */
  private readonly lastRecorded = new Map<string, RecordedEvent>();

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  /** Returns whether the caller must record the Event now, and if so remembers it as recorded. */
  shouldRecord(object: Pick<ApiObject, 'namespace' | 'name' | 'uid'>, { reason, message }: StorageEvent): boolean {
    const key = keyOf(object);
    const identity = `${object.uid} ${reason} ${message}`;
    const now = this.clock.monotonic();
    const previous = this.lastRecorded.get(key);
    if (previous?.identity === identity && now - previous.at < REPEAT_MS) return false;
    this.lastRecorded.set(key, { identity, at: now });
    return true;
  }

  /** Call it for each deleted object. */
  forget(key: string): void {
    this.lastRecorded.delete(key);
  }
}
