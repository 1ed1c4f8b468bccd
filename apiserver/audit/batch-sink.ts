/**
 * Events in batches: they wait until there are enough of them or the first has waited long enough, and go out one batch after the other, no faster than
 * is allowed. How many may wait is bounded; what comes then is lost and counted.
 */
import { TokenBucket } from '../../shared/client/rate-limit';
import type { Clock, Timer } from '../../shared/runtime/clock';
import type { AuditEvent } from './event';
import { LineBuffer } from './line-buffer';
import { TOO_LONG, writeWithin, type Lost, type Sink, type SinkName, type Wording } from './sink';

export interface BatchOptions {
  /** Events that may wait. */
  readonly bufferSize: number;
  readonly maxSize: number;
  readonly maxWaitMs: number;
  /** Batches a second; undefined = any number. */
  readonly throttle: { readonly perSecond: number; readonly burst: number } | undefined;
  /** Bytes of a batch; undefined = any number. */
  readonly maxBytes: number | undefined;
}

/** Rejects where the batch is lost. `last` = the server goes down, and there is no time to try again. */
export type Deliver = (events: readonly string[], last: () => boolean) => Promise<void>;

export interface BatchParts {
  readonly name: SinkName;
  readonly options: BatchOptions;
  readonly wording: Wording;
  readonly clock: Clock;
  readonly deliver: Deliver;
  readonly lost: Lost;
  /** Called when all has been delivered. */
  readonly ended: () => Promise<void>;
}

/** Characters that may wait, whatever the number of events. */
const MOST_WAITING = 64 * 1024 * 1024;

export class BatchSink implements Sink {
  readonly name: SinkName;
  private readonly buffer = new LineBuffer();
  private waiting: string[] = [];
  private characters = 0;
  private timer: Timer | undefined;
  private sending: Promise<void> | undefined;
  private closing = false;
  private readonly bucket: TokenBucket | undefined;

  constructor(private readonly parts: BatchParts) {
    const { throttle } = parts.options;
    this.name = parts.name;
    this.bucket = throttle === undefined ? undefined : new TokenBucket(parts.clock, throttle.perSecond, throttle.burst);
  }

  take(event: AuditEvent): boolean {
    const { options, wording, lost } = this.parts;
    this.buffer.empty();
    const text = writeWithin(this.buffer, wording, event) ? this.buffer.written.toString() : undefined;
    if (text === undefined) lost(this.name, 1, TOO_LONG);
    else if (this.waiting.length >= options.bufferSize || this.characters + text.length > MOST_WAITING) lost(this.name, 1, FULL);
    else {
      this.waiting.push(text);
      this.characters += text.length;
      this.schedule();
    }
    return true;
  }

  async close(): Promise<void> {
    this.closing = true;
    this.timer?.cancel();
    await this.sending;
    await this.send();
    await this.parts.ended();
  }

  private schedule(): void {
    if (this.sending !== undefined || this.closing) return;
    const { options, clock } = this.parts;
    if (this.waiting.length >= options.maxSize) {
      this.timer?.cancel();
      this.begin();
    } else if (this.timer === undefined && this.waiting.length > 0) {
      this.timer = clock.after(options.maxWaitMs, () => this.begin());
    }
  }

  private begin(): void {
    this.timer = undefined;
    this.sending = this.send().finally(() => {
      this.sending = undefined;
      this.schedule();
    });
  }

  /** What waits now. What comes meanwhile goes along where it fills a batch. */
  private async send(): Promise<void> {
    const { options, clock, deliver, lost } = this.parts;
    do {
      const batch = this.next();
      if (batch.length === 0) return;
      const delay = this.closing ? 0 : (this.bucket?.reserve() ?? 0);
      if (delay > 0) await clock.sleep(delay);
      try {
        await deliver(batch, () => this.closing);
      } catch (error) {
        lost(this.name, batch.length, error);
      }
    } while (this.closing || this.waiting.length >= options.maxSize);
  }

  private next(): readonly string[] {
    const { maxSize, maxBytes } = this.parts.options;
    let count = 0;
    let bytes = 0;
    for (const text of this.waiting) {
      bytes += maxBytes === undefined ? 0 : Buffer.byteLength(text);
      if (count === maxSize || (count > 0 && maxBytes !== undefined && bytes > maxBytes)) break;
      count += 1;
    }
    const batch = this.waiting.slice(0, count);
    this.waiting = this.waiting.slice(count);
    for (const text of batch) this.characters -= text.length;
    return batch;
  }
}

const FULL = new Error('too many events wait');
