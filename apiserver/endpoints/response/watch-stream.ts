/**
 * One watch on its way to one client: frames are made once per change and encoding and shared by all watchers, a client that does not
 * keep up is cut off, and everything else ends in order. Never decides which events a watcher sees.
 */
import { ServerResponse } from 'node:http';
import { expired, internalError } from '../../../shared/api/errors/status';
import type { Clock, Timer } from '../../../shared/runtime/clock';
import type { CacheWatch, Change, ChangeSink, Entry, WatchEnd, WatchEventType } from '../../cache/cache';
import type { Exchange } from '../request/exchange';
import type { WebSocket } from 'ws';
import { chunked } from '../output/frame';
import { FrameOutput } from '../output/frame-output';
import type { LiveWatch, LiveWatches } from './open-watches';
import type { Outbox } from '../output/outbox';
import type { Encoder } from '../representation/encoder';

/** Beyond this the initial state waits for the client. */
const PAUSE_BYTES = 256 * 1024;

/** Counts what was sent; see metrics. */
export interface WatchMeter {
  sent(bytes: number): void;
  /** Events have waited so long until they were handed to the client's connection. */
  waited(ms: number): void;
  /** The client did not keep up, and the watch has ended. */
  tooSlow(): void;
}

export interface WatchStreamParts {
  readonly clock: Clock;
  readonly encoder: Encoder;
  /** No event can be shown in the form that was asked for: the stream ends where the first would stand. */
  readonly showsNothing: boolean;
  readonly meter: WatchMeter;
  /** Each event is a message of its own. */
  readonly overWebSocket: boolean;
  readonly watches: LiveWatches;
  readonly outbox: Outbox;
  /** The entry that a bookmark shows. */
  bookmarkEntry(revision: number, endOfInitialEvents: boolean): Entry;
  /** All that there was at the beginning has been told. */
  whole(): void;
}

const JSON_TYPE = 'application/json';
/** A WebSocket's status for an end in order. */
const NORMAL_END = 1000;

/** A bookmark is sent so long before the stream's own end. */
const LAST_BOOKMARK_MS = 2000;

export class WatchStream implements ChangeSink, LiveWatch {
  private readonly keys: Readonly<Record<WatchEventType, string>>;
  private output: FrameOutput | undefined;
  private webSocket: WebSocket | undefined;
  private watch: CacheWatch | undefined;
  private timers: readonly Timer[] = [];
  private first = true;
  private ended = false;

  constructor(
    private readonly exchange: Exchange,
    private readonly parts: WatchStreamParts,
  ) {
    const { key } = parts.encoder;
    this.keys = { ADDED: `A${key}`, MODIFIED: `M${key}`, DELETED: `D${key}` };
  }

  /** The watch has started: the head goes out at once, and after `durationMs` the stream ends. */
  begin(watch: CacheWatch, durationMs: number): void {
    this.watch = watch;
    if (this.ended || this.exchange.answered !== (this.output !== undefined)) {
      watch.close();
      return;
    }
    this.opened();
    if (this.hasEnded()) return;
    const { clock } = this.parts;
    const end = clock.after(durationMs, () => this.expire());
    this.timers = durationMs > LAST_BOOKMARK_MS ? [end, clock.after(durationMs - LAST_BOOKMARK_MS, () => watch.bookmarkNow())] : [end];
  }

  event(type: WatchEventType, entry: Entry, change: Change): void {
    if (this.ended) return;
    const { encoder, showsNothing } = this.parts;
    if (showsNothing) {
      this.expire();
      return;
    }
    const shown = type === 'DELETED' ? change.revision : entry.revision;
    if (this.first && encoder.firstDiffers) {
      this.send(chunked(encoder.frame(type, entry, shown, true)));
      return;
    }
    const key = this.keys[type];
    let frame = change.frames.get(key);
    if (frame === undefined) {
      frame = chunked(encoder.frame(type, entry, shown, false));
      change.frames.set(key, frame);
    }
    this.send(frame);
  }

  bookmark(revision: number, endOfInitialEvents: boolean): void {
    if (this.ended) return;
    if (this.parts.showsNothing) {
      this.expire();
      return;
    }
    if (endOfInitialEvents) this.parts.whole();
    const entry = this.parts.bookmarkEntry(revision, endOfInitialEvents);
    this.send(chunked(this.parts.encoder.frame('BOOKMARK', entry, revision, this.first)));
  }

  end(reason: WatchEnd): void {
    if (this.ended) return;
    const { encoder } = this.parts;
    switch (reason.type) {
      case 'expired':
        this.send(chunked(encoder.errorFrame(expired(`too old resource version: ${reason.requested} (${reason.oldest})`).status)));
        break;
      case 'failed':
        this.send(chunked(encoder.errorFrame(internalError(reason.message).status)));
        break;
      case 'closed':
        break;
    }
    this.expire();
  }

  /** During the initial state: a promise when the client has enough to read for now. */
  ready(): Promise<void> | undefined {
    if (this.ended || this.output === undefined || this.output.waiting() <= PAUSE_BYTES) return undefined;
    return this.output.drained();
  }

  live(): void {
    this.exchange.begun();
  }

  expire(): void {
    if (this.ended) return;
    this.opened().flush();
    this.close();
    if (this.webSocket === undefined) this.exchange.output.end();
    else this.webSocket.close(NORMAL_END);
  }

  private send(frame: Buffer): void {
    const output = this.output ?? this.opened();
    this.first = false;
    this.parts.meter.sent(frame.length);
    if (!output.write(frame)) this.tooSlow();
  }

  /** A handshake that was no good ends it as well. */
  private hasEnded(): boolean {
    return this.ended;
  }

  /** Sends the head, once. */
  private opened(): FrameOutput {
    if (this.output !== undefined) return this.output;
    const { exchange, parts } = this;
    parts.watches.add(this);
    if (parts.overWebSocket) return this.openedWebSocket();
    exchange.head(200, { 'Content-Type': streamType(parts.encoder.contentType) });
    if (exchange.output instanceof ServerResponse) exchange.output.flushHeaders();
    exchange.output.once('close', () => this.close());
    this.output = FrameOutput.to(exchange.output, parts.outbox, (ms) => parts.meter.waited(ms));
    return this.output;
  }

  /** A client whose handshake is no good is told so, and its watch has ended before it began. */
  private openedWebSocket(): FrameOutput {
    const { exchange, parts } = this;
    const { webSocket, carrier } = exchange.openWebSocket('told');
    this.webSocket = webSocket;
    this.output = FrameOutput.toWebSocket(carrier, parts.outbox, parts.encoder.contentType === JSON_TYPE, (ms) => parts.meter.waited(ms));
    carrier.once('close', () => this.close());
    if (webSocket === undefined) this.close();
    return this.output;
  }

  private tooSlow(): void {
    this.parts.meter.tooSlow();
    this.close();
    if (this.webSocket === undefined) this.exchange.abort();
    else this.webSocket.terminate();
  }

  private close(): void {
    if (this.ended) return;
    this.ended = true;
    for (const timer of this.timers) timer.cancel();
    this.watch?.close();
    this.parts.watches.delete(this);
    this.exchange.finish();
  }
}

/** JSON streams keep the plain type. */
function streamType(contentType: string): string {
  return contentType === JSON_TYPE ? contentType : `${contentType};stream=watch`;
}
