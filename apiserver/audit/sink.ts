/** Where events go, and how they become texts on the way: within a length, with the objects left out where they do not fit. */
import type { Dialect } from '../../shared/names/dialect';
import type { AuditEvent } from './event';
import { writeEvent, type AuditFormat } from './event-line';
import type { LineBuffer } from './line-buffer';

export interface Sink {
  readonly name: SinkName;
  /** False = the event is not in safety, and the request should not begin; only sinks that promise safety ever say so. */
  take(event: AuditEvent): boolean;
  /** Resolves when what was taken has been handed over, or given up. */
  close(): Promise<void>;
}

export type SinkName = 'log' | 'webhook';

/** Events that are lost, and why. */
export type Lost = (sink: SinkName, events: number, reason: unknown) => void;

export interface Wording {
  readonly format: AuditFormat;
  readonly dialect: Dialect;
  /** The most bytes of an event; undefined = any. */
  readonly longestEvent: number | undefined;
}

/** Writes its line, without a break. False = it is too long even without its objects, and nothing is written. */
export function writeWithin(buffer: LineBuffer, { format, dialect, longestEvent }: Wording, event: AuditEvent): boolean {
  const start = buffer.length;
  writeEvent(buffer, event, format, dialect, false);
  if (longestEvent === undefined || buffer.length - start <= longestEvent) return true;
  buffer.cutTo(start);
  writeEvent(buffer, event, format, dialect, true);
  if (buffer.length - start <= longestEvent) return true;
  buffer.cutTo(start);
  return false;
}

export const TOO_LONG = new Error('the event is too long');
