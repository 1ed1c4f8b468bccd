/**
 * Limits how often an Event is repeated: every sync of a claim that waits decides on the same one. A different Event
 * about the object is due at once. Holds one entry for each object until it is forgotten.
 */
import { keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import type { Clock } from '../../shared/runtime/clock';
import type { StorageEvent } from './reconcile-claim';

/** Shorter than Events are kept, so that a claim that waits always has one. Milliseconds. */
const REPEAT_MS = 300_000;

interface RecordedEvent {
  readonly text: string;
  readonly at: number;
}

export class RepeatedEvents {
  private readonly recorded = new Map<string, RecordedEvent>();

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  /** Whether the Event must be recorded now; then it counts as recorded. */
  isDue(about: Pick<ApiObject, 'namespace' | 'name' | 'uid'>, { reason, message }: StorageEvent): boolean {
    const [key, text, now] = [keyOf(about), `${about.uid} ${reason} ${message}`, this.clock.monotonic()];
    const previous = this.recorded.get(key);
    if (previous?.text === text && now - previous.at < REPEAT_MS) return false;
    this.recorded.set(key, { text, at: now });
    return true;
  }

  forget(key: string): void {
    this.recorded.delete(key);
  }
}
