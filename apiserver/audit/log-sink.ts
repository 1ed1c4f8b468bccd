/**
 * Events as lines, into a file or to somebody who reads them. What a request has changed is written when the request ends; what others have read is
 * written with it, or a moment later. Who wants to know that a request is recorded before it begins (`strict`) has each event written at once.
 */
import type { Writable } from 'node:stream';
import type { Clock, Timer } from '../../shared/runtime/clock';
import type { AuditEvent } from './event';
import type { LogFile } from './log-file';
import { textWithin, TOO_LONG, type Lost, type Sink, type Wording } from './sink';

/** What takes lines: throws where it cannot. */
export type LineTarget = Pick<LogFile, 'append' | 'close'>;

/** What is read is written at most so much later, because each writing costs as much as many lines. */
const LATER_MS = 10;
const PAGE_BYTES = 128 * 1024;
const MOST_BYTES_A_CHARACTER = 3;

const READING: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'head']);

export class LogSink implements Sink {
  readonly name = 'log';
  /** Lines that wait, as bytes, so that nothing of their requests is kept. */
  private readonly page = Buffer.allocUnsafeSlow(PAGE_BYTES);
  private filled = 0;
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
    const text = textWithin(this.wording, event);
    if (text === undefined) {
      this.lost(this.name, 1, TOO_LONG);
      return true;
    }
    const safe = this.add(`${text}\n`);
    if (this.strict) return this.flush() && safe;
    if (event.stage !== 'RequestReceived' && !READING.has(event.subject.verb)) this.flush();
    else if (this.count > 0) this.timer ??= this.clock.after(LATER_MS, () => this.flush());
    return true;
  }

  close(): Promise<void> {
    this.flush();
    return this.target.close();
  }

  private add(line: string): boolean {
    const most = line.length * MOST_BYTES_A_CHARACTER;
    if (most > PAGE_BYTES - this.filled) this.flush();
    if (most > PAGE_BYTES) return this.append(Buffer.from(line), 1);
    this.filled += this.page.write(line, this.filled);
    this.count += 1;
    return true;
  }

  private flush(): boolean {
    const { count, filled } = this;
    this.timer?.cancel();
    this.timer = undefined;
    if (count === 0) return true;
    this.count = 0;
    this.filled = 0;
    return this.append(this.page.subarray(0, filled), count);
  }

  private append(lines: Buffer, count: number): boolean {
    try {
      this.target.append(lines);
      return true;
    } catch (error) {
      this.lost(this.name, count, error);
      return false;
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
