/** Where events go, and how they become texts on the way: within a length, with the objects left out where they do not fit. */
import type { Dialect } from '../../shared/names/dialect';
import { eventText, type AuditEvent, type AuditFormat } from './event';

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

/** Undefined = it is too long even without its objects. */
export function textWithin({ format, dialect, longestEvent }: Wording, event: AuditEvent): string | undefined {
  const whole = eventText(event, format, dialect);
  if (longestEvent === undefined || Buffer.byteLength(whole) <= longestEvent) return whole;
  const shortened = eventText(event, format, dialect, true);
  return Buffer.byteLength(shortened) <= longestEvent ? shortened : undefined;
}

export const TOO_LONG = new Error('the event is too long');
