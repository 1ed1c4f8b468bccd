/**
 * Sends events in batches: a batch is sent when it is full or its first event has waited long enough, one batch after
 * the other, within a rate limit. The buffer is bounded; events over its limit are lost and counted.
 */
import { TokenBucket } from '../../shared/client/rate-limiter';
import type { Clock, Timer } from '../../shared/runtime/clock';
import type { AuditEvent } from './event';
import { LineBuffer } from './line-buffer';
import { EVENT_TOO_LONG, writeEncoded, type OnEventsLost, type AuditBackend, type BackendName, type EventEncoding } from './audit-backend';

/** When batches are sent, and how much is buffered. */
export interface BatchOptions {
  /** Maximum number of buffered events. */
  readonly bufferSize: number;
  /** Maximum number of events per batch. */
  readonly maxSize: number;
  /** How long the first event of a batch waits for others. */
  readonly maxWaitMs: number;
  /** Rate limit in batches per second; `undefined` for no limit. */
  readonly throttle: { readonly perSecond: number; readonly burst: number } | undefined;
  /** Maximum bytes per batch; `undefined` for no limit. */
  readonly maxBytes: number | undefined;
}

/** Sends a batch; rejects when it is lost. `isShuttingDown` means that there is no time for retries. */
export type DeliverBatch = (events: readonly string[], isShuttingDown: () => boolean) => Promise<void>;

/** How batches are sent, and where losses are reported. */
export interface BatchBackendOptions {
  readonly name: BackendName;
  readonly batching: BatchOptions;
  readonly encoding: EventEncoding;
  readonly clock: Clock;
  readonly deliver: DeliverBatch;
  readonly onEventsLost: OnEventsLost;
  /** Called when all batches have been delivered. */
  readonly onClosed: () => Promise<void>;
}

/** Maximum number of buffered characters, in addition to {@link BatchOptions.bufferSize}. */
const MAX_BUFFERED_CHARACTERS = 64 * 1024 * 1024;

const BUFFER_FULL = new Error('too many events are waiting');

/** A backend that sends batches. Never rejects a request: an event that the buffer cannot hold is lost. */
export class BatchBackend implements AuditBackend {
  readonly name: BackendName;
  /** Holds the event that is being encoded. */
  private readonly buffer = new LineBuffer();
  /** Encoded events that wait for their batch. */
  private pendingEvents: string[] = [];
  private pendingCharacters = 0;
  /** Fires when the first pending event has waited long enough. */
  private timer: Timer | undefined;
  /** Resolves when the batches in flight have been delivered or lost; `undefined` while none is sent. */
  private sending: Promise<void> | undefined;
  private isClosing = false;
  private readonly bucket: TokenBucket | undefined;

  constructor(private readonly options: BatchBackendOptions) {
    const { throttle } = options.batching;
    this.name = options.name;
    this.bucket = throttle === undefined ? undefined : new TokenBucket(options.clock, throttle.perSecond, throttle.burst);
  }

  processEvent(event: AuditEvent): boolean {
    const { batching, encoding, onEventsLost } = this.options;
    this.buffer.clear();
    if (!writeEncoded(this.buffer, encoding, event)) {
      onEventsLost(this.name, 1, EVENT_TOO_LONG);
      return true;
    }
    const text = this.buffer.written.toString();
    const isFull = this.pendingEvents.length >= batching.bufferSize || this.pendingCharacters + text.length > MAX_BUFFERED_CHARACTERS;
    if (isFull) {
      onEventsLost(this.name, 1, BUFFER_FULL);
      return true;
    }
    this.pendingEvents.push(text);
    this.pendingCharacters += text.length;
    this.schedule();
    return true;
  }

  async close(): Promise<void> {
    this.isClosing = true;
    this.timer?.cancel();
    await this.sending;
    await this.send();
    await this.options.onClosed();
  }

  /** Sends a batch now when one is full, or when its first event has waited long enough. */
  private schedule(): void {
    if (this.sending !== undefined || this.isClosing) return;
    const { batching, clock } = this.options;
    if (this.pendingEvents.length >= batching.maxSize) {
      this.timer?.cancel();
      this.startSending();
    } else if (this.timer === undefined && this.pendingEvents.length > 0) {
      this.timer = clock.after(batching.maxWaitMs, () => this.startSending());
    }
  }

  private startSending(): void {
    this.timer = undefined;
    this.sending = this.send().finally(() => {
      this.sending = undefined;
      this.schedule();
    });
  }

  /** Sends batches, one after the other, while the pending events fill one; on close until none is left. */
  private async send(): Promise<void> {
    const { batching, clock, deliver, onEventsLost } = this.options;
    do {
      const batch = this.takeBatch();
      if (batch.length === 0) return;
      const delayMs = this.isClosing ? 0 : (this.bucket?.reserve() ?? 0);
      if (delayMs > 0) await clock.sleep(delayMs);
      try {
        await deliver(batch, () => this.isClosing);
      } catch (error) {
        onEventsLost(this.name, batch.length, error);
      }
    } while (this.isClosing || this.pendingEvents.length >= batching.maxSize);
  }

  /** Removes the next batch from the buffer. It has at least one event, even when that exceeds the limit in bytes. */
  private takeBatch(): readonly string[] {
    const { maxSize, maxBytes } = this.options.batching;
    let count = 0;
    let bytes = 0;
    for (const text of this.pendingEvents) {
      bytes += maxBytes === undefined ? 0 : Buffer.byteLength(text);
      const exceedsBytes = maxBytes !== undefined && bytes > maxBytes;
      if (count === maxSize || (count > 0 && exceedsBytes)) break;
      count += 1;
    }
    const batch = this.pendingEvents.slice(0, count);
    this.pendingEvents = this.pendingEvents.slice(count);
    for (const text of batch) this.pendingCharacters -= text.length;
    return batch;
  }
}
