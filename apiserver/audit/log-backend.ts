/**
 * Writes events as lines to a file or a stream. Events of requests that change objects are written when the request
 * ends; events of other requests are written with them or within 10 ms. In strict mode (`blocking-strict`) each event
 * is written immediately, so that a request is recorded before it starts.
 */
import type { Writable } from 'node:stream';
import type { Clock, Timer } from '../../shared/runtime/clock';
import type { AuditEvent } from './event';
import type { LogFile } from './log-file';
import { LineBuffer } from './line-buffer';
import { EVENT_TOO_LONG, writeEncoded, type OnEventsLost, type AuditBackend, type EventEncoding } from './audit-backend';

/** A file or stream that lines are appended to. `append` throws when it cannot accept them. */
export type LineTarget = Pick<LogFile, 'append' | 'close'>;

/** Maximum delay of events of reading requests. They are batched, because one write to the file costs as much as many lines. */
const MAX_DELAY_MS = 10;
/** Initial size of the buffer, to which it shrinks after a long event. */
const BUFFER_BYTES = 128 * 1024;
/** The buffer is written at this fill level, which leaves space for most lines. */
const FLUSH_AT_BYTES = BUFFER_BYTES - 8 * 1024;

const LINE_BREAK = 0x0a;

const READ_VERBS: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'head']);

/** The target of lines, their format, and when they are written. */
export interface LogBackendOptions {
  readonly target: LineTarget;
  readonly encoding: EventEncoding;
  /** Writes each event before its request continues, and rejects the request when that fails. */
  readonly isStrict: boolean;
  readonly clock: Clock;
  readonly onEventsLost: OnEventsLost;
}

/** The backend of `--audit-log-path`. */
export class LogBackend implements AuditBackend {
  readonly name = 'log';
  /** Buffered lines as bytes, so that their requests can be garbage-collected. */
  private readonly buffer = new LineBuffer(BUFFER_BYTES);
  private bufferedLines = 0;
  private timer: Timer | undefined;

  constructor(private readonly options: LogBackendOptions) {}

  processEvent(event: AuditEvent): boolean {
    if (!writeEncoded(this.buffer, this.options.encoding, event)) {
      this.options.onEventsLost(this.name, 1, EVENT_TOO_LONG);
      return true;
    }
    this.buffer.writeByte(LINE_BREAK);
    this.bufferedLines += 1;
    if (this.options.isStrict) return this.flush();
    const isCompletedWrite = event.stage !== 'RequestReceived' && !READ_VERBS.has(event.subject.verb);
    if (isCompletedWrite || this.buffer.length > FLUSH_AT_BYTES) this.flush();
    else this.timer ??= this.options.clock.after(MAX_DELAY_MS, () => this.flush());
    return true;
  }

  close(): Promise<void> {
    this.flush();
    return this.options.target.close();
  }

  /** Writes the buffered lines. Returns false when they are lost. */
  private flush(): boolean {
    const { bufferedLines, buffer } = this;
    this.timer?.cancel();
    this.timer = undefined;
    this.bufferedLines = 0;
    if (bufferedLines === 0) return true;
    try {
      this.options.target.append(buffer.written);
      return true;
    } catch (error) {
      this.options.onEventsLost(this.name, bufferedLines, error);
      return false;
    } finally {
      buffer.clear();
    }
  }
}

/** Maximum number of bytes that wait for the reader of the stream; further lines are lost. */
const MAX_PENDING_BYTES = 16 * 1024 * 1024;

/** A stream, such as stdout, as a target. When its reader is slow or has closed it, `append` throws instead of blocking. */
export function createStreamTarget(stream: Writable): LineTarget {
  let streamError: Error | undefined;
  stream.on('error', (error) => (streamError = error));
  return {
    append(lines) {
      if (streamError !== undefined) throw streamError;
      if (stream.writableLength > MAX_PENDING_BYTES) throw new Error('the previous lines have not been read');
      // A copy, because the buffer is reused.
      stream.write(Buffer.from(lines));
    },
    // Waits for the reader without a time limit; the caller has one.
    close: () => new Promise((resolve) => stream.write('', () => resolve())),
  };
}
