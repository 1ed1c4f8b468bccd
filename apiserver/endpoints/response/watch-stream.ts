/**
 * Serves one watch to one client. Frames are created once per change and encoding and shared by all watchers; a
 * client that does not keep up is cut off. The cache decides which events a watch receives.
 */
import { ServerResponse } from 'node:http';
import { expired, internalError, type StatusError } from '../../../shared/api/errors/status';
import { JSON_MEDIA_TYPE } from '../../../shared/names/dialect';
import type { Clock, Timer } from '../../../shared/runtime/clock';
import type { BookmarkType, CacheWatch, Change, ChangeSink, Entry, WatchEnd, WatchEventType } from '../../cache/cache';
import type { Exchange } from '../request/exchange';
import type { WebSocket } from 'ws';
import { encodeChunk } from '../output/frame';
import { FrameOutput, type WaitObserver } from '../output/frame-output';
import type { OpenWatch, OpenWatchStreams } from './open-watches';
import { sharedFramesOf, type SharedFrames } from './shared-frames';
import type { Outbox } from '../output/outbox';
import type { Encoder, FramePosition } from '../representation/encoder';

/** More waiting bytes than this pause the initial state. */
const PAUSE_BYTES = 256 * 1024;

/** Counts events and bytes, and times how long they wait; implemented by the metrics. */
export interface WatchMeter extends WaitObserver {
  /** One frame of `bytes` was handed to the output. */
  sent(bytes: number): void;
  /** The watch was ended because the client did not keep up. */
  tooSlow(): void;
}

/** What one watch uses. */
export interface WatchStreamDependencies {
  readonly clock: Clock;
  /** Encodes the frames; shared with the other watches of the same kind and form. */
  readonly encoder: Encoder;
  /** Whether no event can be encoded in the requested form, so that the stream ends at the first event. */
  readonly endsAtFirstEvent: boolean;
  /** Counts the frames of this kind. */
  readonly meter: WatchMeter;
  /** Whether each event is a message of a WebSocket. */
  readonly isOverWebSocket: boolean;
  /** The stream adds itself when it opens, and removes itself when it ends. */
  readonly watches: OpenWatchStreams;
  /** Sends the frames. */
  readonly outbox: Outbox;
  /** The entry that a bookmark shows. */
  bookmarkEntry(revision: number, type: BookmarkType): Entry;
  /** Called with the bookmark that ends the initial state, if the client requested one. */
  onInitialEventsEnd(): void;
}

/** The WebSocket close code 1000. */
const NORMAL_CLOSURE = 1000;

/** How long before the end of the stream the last bookmark is sent. */
const LAST_BOOKMARK_MS = 2000;

/** The stream of one watch request, between the cache and the client. */
export class WatchStream implements ChangeSink, OpenWatch {
  private readonly shared: SharedFrames;
  private output: FrameOutput | undefined;
  private webSocket: WebSocket | undefined;
  private watch: CacheWatch | undefined;
  /** For the last bookmark, and after it for the end. */
  private timer: Timer | undefined;
  private nextPosition: FramePosition = 'first';
  private isEnded = false;

  constructor(
    private readonly exchange: Exchange,
    private readonly deps: WatchStreamDependencies,
  ) {
    this.shared = sharedFramesOf(deps.encoder);
  }

  /** Called when the watch has started: sends the head, and ends the stream after `durationMs`. */
  start(watch: CacheWatch, durationMs: number): void {
    this.watch = watch;
    // Without an output, a response means that the request was ended by its deadline or by the server.
    if (this.isEnded || this.exchange.hasResponded !== (this.output !== undefined)) {
      watch.close();
      return;
    }
    this.openOutput();
    if (this.wasEnded()) return;
    this.exchange.releaseHead();
    this.scheduleEnd(durationMs);
  }

  /** Sends one event. Its frame is taken from the change, or added to it for the other watches. */
  event(type: WatchEventType, entry: Entry, change: Change): void {
    if (this.isEnded) return;
    const { encoder, endsAtFirstEvent } = this.deps;
    if (endsAtFirstEvent) {
      this.expire();
      return;
    }
    const revision = type === 'DELETED' ? change.revision : entry.revision;
    if (this.nextPosition === 'first' && encoder.hasDistinctFirstFrame) {
      this.send(encodeChunk(encoder.frame(type, entry, revision, 'first')));
      return;
    }
    const key = this.shared.keys[type];
    const existing = change.frames.get(key);
    const frame = existing ?? encodeChunk(encoder.frame(type, entry, revision, 'later'));
    if (existing === undefined) change.frames.set(key, frame);
    this.send(frame);
  }

  /** Sends a bookmark with a revision. */
  bookmark(revision: number, type: BookmarkType): void {
    if (this.isEnded) return;
    if (this.deps.endsAtFirstEvent) {
      this.expire();
      return;
    }
    if (type === 'end-of-initial-events') this.deps.onInitialEventsEnd();
    const encode = (): Buffer => this.encodeBookmark(revision, type);
    this.send(this.isSharedBookmark(type) ? this.shared.bookmark(revision, encode) : encode());
  }

  private isSharedBookmark(type: BookmarkType): boolean {
    return type === 'progress' && (this.nextPosition === 'later' || !this.deps.encoder.hasDistinctFirstFrame);
  }

  private encodeBookmark(revision: number, type: BookmarkType): Buffer {
    const { deps } = this;
    return encodeChunk(deps.encoder.frame('BOOKMARK', deps.bookmarkEntry(revision, type), revision, this.nextPosition));
  }

  /** Ends the stream: the watch of the cache has ended. The client receives an ERROR event unless the reason is `closed`. */
  end(reason: WatchEnd): void {
    if (this.isEnded) return;
    switch (reason.type) {
      case 'expired':
        this.sendError(expired(`too old resource version: ${reason.requested} (${reason.oldest})`));
        break;
      case 'failed':
        this.sendError(internalError(reason.message));
        break;
      case 'closed':
        break;
    }
    this.expire();
  }

  /** A promise when the client has enough to read for now, resolved when it has read that. Paces the initial state. */
  whenWritable(): Promise<void> | undefined {
    if (this.isEnded || this.output === undefined || this.output.waitingBytes() <= PAUSE_BYTES) return undefined;
    return this.output.whenDrained();
  }

  /** Notifies flow control that the initial state has been sent, so that it releases the seats of the request. */
  onLive(): void {
    this.exchange.signalInitialized();
  }

  /** Ends the stream as if its time-out had passed. Waiting frames are sent first. */
  expire(): void {
    if (this.isEnded) return;
    this.openOutput().flush();
    this.close();
    if (this.webSocket === undefined) this.exchange.output.end();
    else this.webSocket.close(NORMAL_CLOSURE);
  }

  /** A stream that is long enough ends with a bookmark, from which the client can continue. */
  private scheduleEnd(durationMs: number): void {
    const untilBookmark = durationMs - LAST_BOOKMARK_MS;
    if (untilBookmark > 0) this.timer = this.deps.clock.after(untilBookmark, () => this.sendLastBookmark());
    else this.expireAfter(durationMs);
  }

  private sendLastBookmark(): void {
    this.expireAfter(LAST_BOOKMARK_MS);
    this.watch?.sendBookmark();
  }

  private expireAfter(ms: number): void {
    this.timer = this.deps.clock.after(ms, () => this.expire());
  }

  private sendError({ status }: StatusError): void {
    this.send(encodeChunk(this.deps.encoder.errorFrame(status)));
  }

  private send(frame: Buffer): void {
    const output = this.output ?? this.openOutput();
    this.nextPosition = 'later';
    this.deps.meter.sent(frame.length);
    if (!output.write(frame)) this.abortSlowClient();
  }

  /** A method, because TypeScript does not see that opening the output may end the watch (a failed handshake). */
  private wasEnded(): boolean {
    return this.isEnded;
  }

  /** Sends the head, once. */
  private openOutput(): FrameOutput {
    if (this.output !== undefined) return this.output;
    const { exchange, deps } = this;
    deps.watches.add(this);
    if (deps.isOverWebSocket) return this.openWebSocketOutput();
    exchange.sendHead(200, { 'Content-Type': streamType(deps.encoder.contentType) });
    if (exchange.output instanceof ServerResponse) exchange.output.flushHeaders();
    exchange.output.on('close', () => this.close());
    this.output = FrameOutput.forResponse(exchange.output, deps.outbox, deps.meter);
    return this.output;
  }

  /** A client with an invalid handshake receives an error, and the watch ends before it starts. */
  private openWebSocketOutput(): FrameOutput {
    const { exchange, deps } = this;
    const { webSocket, carrier } = exchange.openWebSocket('events');
    this.webSocket = webSocket;
    const message = deps.encoder.contentType === JSON_MEDIA_TYPE ? 'text' : 'binary';
    this.output = FrameOutput.forWebSocket(carrier, deps.outbox, message, deps.meter);
    carrier.on('close', () => this.close());
    if (webSocket === undefined) this.close();
    return this.output;
  }

  private abortSlowClient(): void {
    this.deps.meter.tooSlow();
    this.close();
    if (this.webSocket === undefined) this.exchange.abort();
    else this.webSocket.terminate();
  }

  private close(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.timer?.cancel();
    this.watch?.close();
    this.deps.watches.delete(this);
    this.exchange.finish();
  }
}

/** JSON streams have the plain media type. */
function streamType(contentType: string): string {
  return contentType === JSON_MEDIA_TYPE ? contentType : `${contentType};stream=watch`;
}
