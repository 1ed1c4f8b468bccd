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
const MOST_LATER = 128;

const READING: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'head']);

export class LogSink implements Sink {
  readonly name = 'log';
  private waiting: AuditEvent[] = [];
  private timer: Timer | undefined;

  constructor(
    private readonly target: LineTarget,
    private readonly wording: Wording,
    private readonly strict: boolean,
    private readonly clock: Clock,
    private readonly lost: Lost,
  ) {}

  take(event: AuditEvent): boolean {
    this.waiting.push(event);
    if (this.strict) return this.flush();
    if (this.waiting.length >= MOST_LATER || (event.stage !== 'RequestReceived' && !READING.has(event.subject.verb))) this.flush();
    else this.timer ??= this.clock.after(LATER_MS, () => this.flush());
    return true;
  }

  close(): Promise<void> {
    this.flush();
    return this.target.close();
  }

  private flush(): boolean {
    const events = this.waiting;
    this.waiting = [];
    this.timer?.cancel();
    this.timer = undefined;
    let lines = '';
    let count = 0;
    for (const event of events) {
      const text = textWithin(this.wording, event);
      if (text === undefined) {
        this.lost(this.name, 1, TOO_LONG);
        continue;
      }
      lines += `${text}\n`;
      count += 1;
    }
    if (count === 0) return true;
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
      reader.write(lines);
    },
    close: () => Promise.resolve(),
  };
}
