/**
 * Events as lines, into a file or to somebody who reads them. What a request has changed is written when the request ends; what others have read is
 * written with it, or a moment later. Who wants to know that a request is recorded before it begins (`strict`) has each event written at once.
 */
import type { Writable } from 'node:stream';
import type { Clock, Timer } from '../../shared/runtime/clock';
import type { AuditEvent } from './event';
import type { LogFile } from './log-file';
import { LineBuffer } from './line-buffer';
import { TOO_LONG, writeWithin, type Lost, type Sink, type Wording } from './sink';

/** What takes lines: throws where it cannot. */
export type LineTarget = Pick<LogFile, 'append' | 'close'>;

/** What is read is written at most so much later, because each writing costs as much as many lines. */
const LATER_MS = 10;
/** No more of them wait. */
const PAGE_BYTES = 128 * 1024;
/** More of the buffer is free than most lines take. */
const FULL_BYTES = PAGE_BYTES - 8 * 1024;

const BREAK = 0x0a;

const READING: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'head']);

export class LogSink implements Sink {
  readonly name = 'log';
  /** Lines that wait, as bytes, so that nothing of their requests is kept. */
  private readonly buffer = new LineBuffer(PAGE_BYTES);
  private count = 0;
  private timer: Timer | undefined;

  constructor(
    private readonly target: LineTarget,
    private readonly wording: Wording,
    private readonly strict: boolean,
    private readonly clock: Clock,
    private readonly lost: Lost,
  ) {}

  take(event: AuditEvent): boolean {
    if (!writeWithin(this.buffer, this.wording, event)) {
      this.lost(this.name, 1, TOO_LONG);
      return true;
    }
    this.buffer.byte(BREAK);
    this.count += 1;
    if (this.strict) return this.flush();
    const isOver = event.stage !== 'RequestReceived' && !READING.has(event.subject.verb);
    if (isOver || this.buffer.length > FULL_BYTES) this.flush();
    else this.timer ??= this.clock.after(LATER_MS, () => this.flush());
    return true;
  }

  close(): Promise<void> {
    this.flush();
    return this.target.close();
  }

  private flush(): boolean {
    const { count, buffer } = this;
    this.timer?.cancel();
    this.timer = undefined;
    this.count = 0;
    if (count === 0) return true;
    try {
      this.target.append(buffer.written);
      return true;
    } catch (error) {
      this.lost(this.name, count, error);
      return false;
    } finally {
      buffer.empty();
    }
  }
}

/** Characters that may wait for a reader. */
const MOST_WAITING = 16 * 1024 * 1024;

/** A reader who may be slow, or gone: then lines are lost, and nobody waits. */
export function readerTarget(reader: Writable): LineTarget {
  let fault: Error | undefined;
  reader.on('error', (error) => (fault = error));
  return {
    append(lines) {
      if (fault !== undefined) throw fault;
      if (reader.writableLength > MOST_WAITING) throw new Error('nobody reads the lines before');
      // The memory is used again.
      reader.write(Buffer.from(lines));
    },
    // Whoever ends the process does not wait for ever.
    close: () => new Promise((resolve) => reader.write('', () => resolve())),
  };
}
