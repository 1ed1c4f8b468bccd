/**
 * The interface of audit backends, and the encoding of events within a length limit: objects are omitted when the event
 * is too long.
 */
import type { Dialect } from '../../shared/names/dialect';
import type { AuditEvent } from './event';
import { writeEvent, type AuditFormat } from './event-line';
import type { LineBuffer } from './line-buffer';

export interface AuditBackend {
  readonly name: BackendName;
  /**
   * Returns false when the event could not be recorded and the request must be rejected; only backends in strict mode
   * do so.
   */
  processEvent(event: AuditEvent): boolean;
  /** Resolves when all accepted events have been delivered or lost. */
  close(): Promise<void>;
}

export type BackendName = 'log' | 'webhook';

/** Called when events are lost, with the reason. */
export type OnEventsLost = (backend: BackendName, events: number, reason: unknown) => void;

export interface EventEncoding {
  readonly format: AuditFormat;
  readonly dialect: Dialect;
  /** Maximum bytes of an event; undefined = unlimited. */
  readonly maxEventBytes: number | undefined;
}

/**
 * Writes the event without a line break. Returns false, with nothing written, when it is too long even without its
 * objects.
 */
export function writeEncoded(buffer: LineBuffer, { format, dialect, maxEventBytes }: EventEncoding, event: AuditEvent): boolean {
  const start = buffer.length;
  writeEvent(buffer, event, format, dialect, false);
  if (maxEventBytes === undefined || buffer.length - start <= maxEventBytes) return true;
  buffer.truncate(start);
  writeEvent(buffer, event, format, dialect, true);
  if (buffer.length - start <= maxEventBytes) return true;
  buffer.truncate(start);
  return false;
}

export const EVENT_TOO_LONG = new Error('the event is too long');
