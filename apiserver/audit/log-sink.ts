/**
 * Events as lines, into a file or to somebody who reads them. The events of one turn of the event loop are written together at its end; who wants to
 * know that they are written before the request begins (`strict`) has each written at once.
 */
import type { Writable } from 'node:stream';
import type { AuditEvent } from './event';
import type { LogFile } from './log-file';
import { textWithin, TOO_LONG, type Lost, type Sink, type Wording } from './sink';

/** What takes lines: throws where it cannot. */
export type LineTarget = Pick<LogFile, 'append' | 'close'>;

const LONGEST_TURN = 1024 * 1024;

export class LogSink implements Sink {
  readonly name = 'log';
  private lines = '';
  private count = 0;

  constructor(
    private readonly target: LineTarget,
    private readonly wording: Wording,
    private readonly strict: boolean,
    private readonly lost: Lost,
  ) {}

  take(event: AuditEvent): boolean {
    const text = textWithin(this.wording, event);
    if (text === undefined) {
      this.lost(this.name, 1, TOO_LONG);
      return true;
    }
    if (this.count === 0 && !this.strict) setImmediate(() => this.flush());
    this.lines += `${text}\n`;
    this.count += 1;
    return this.strict || this.lines.length > LONGEST_TURN ? this.flush() || !this.strict : true;
  }

  close(): Promise<void> {
    this.flush();
    return this.target.close();
  }

  private flush(): boolean {
    const { lines, count } = this;
    if (count === 0) return true;
    this.lines = '';
    this.count = 0;
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
