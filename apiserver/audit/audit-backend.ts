/**
 * The interface of audit backends, and the length limit of the events that they write. An event that is longer than the
 * limit is written without its objects, or not at all; it is never cut. The format of a line is left to event-line.ts,
 * and reporting a lost event to the backends.
 */
import type { AuditEvent } from './event';
import { writeEvent, type EventContent, type LineEncoding } from './event-line';
import type { LineBuffer } from './line-buffer';

/** Stores or sends events. Calls are synchronous and must not throw; a backend buffers what it cannot write at once. */
export interface AuditBackend {
  readonly name: BackendName;
  /**
   * Called for each event, before its request continues. Returns false when the event could not be recorded and the request must be rejected; only backends in strict mode
   * do so.
   */
  processEvent(event: AuditEvent): boolean;
  /** Called once, when no more events follow. Resolves when all accepted events have been delivered or lost. */
  close(): Promise<void>;
}

/** The label of the backend in metrics and logs. */
export type BackendName = 'log' | 'webhook';

/** Called when events are lost, with the reason. */
export type OnEventsLost = (backend: BackendName, events: number, reason: unknown) => void;

/** The form in which a backend writes events. */
export interface EventEncoding extends LineEncoding {
  /** Maximum bytes of an event; `undefined` for no limit. */
  readonly maxEventBytes: number | undefined;
}

/**
 * Appends the event to the buffer, without a line break. Returns false, with nothing appended, when the event is too
 * long even without its objects.
 */
export function writeEncoded(buffer: LineBuffer, encoding: EventEncoding, event: AuditEvent): boolean {
  return writeWithinLimit(buffer, encoding, event, 'with-objects') || writeWithinLimit(buffer, encoding, event, 'without-objects');
}

/** Appends the given parts of the event. Returns false, with nothing appended, when they exceed the limit. */
function writeWithinLimit(buffer: LineBuffer, encoding: EventEncoding, event: AuditEvent, content: EventContent): boolean {
  const start = buffer.length;
  const { maxEventBytes } = encoding;
  writeEvent(buffer, event, encoding, content);
  if (maxEventBytes === undefined || buffer.length - start <= maxEventBytes) return true;
  buffer.truncate(start);
  return false;
}

/** The reason that backends pass to {@link OnEventsLost} when {@link writeEncoded} returns false. */
export const EVENT_TOO_LONG = new Error('the event is too long');
