/**
 * Sends requests within the send windows of the connection and of each stream (RFC 9113 §5.2). A body that exceeds them
 * is sent in parts; short bodies never wait behind longer ones.
 */
import {
  DEFAULT_MAX_FRAME,
  DEFAULT_WINDOW,
  encodeFrame,
  encodeFrameHeader,
  Flag,
  FRAME_HEADER_BYTES,
  FrameType,
  writeFrameHeader,
} from './frames';

/**
 * Bodies of up to this many bytes are short. They do not wait behind longer bodies, because those leave
 * {@link RESERVED_FOR_SHORT} bytes of the connection's send window unused.
 */
export const MAX_SHORT_BODY = 4 << 10;
/** Bytes of the connection's window that long bodies leave to short requests. */
const RESERVED_FOR_SHORT = 4 << 10;
const EMPTY_BODY = Buffer.alloc(0);

/** A request on an open stream. */
export interface OutgoingStream {
  /** The stream's identifier. */
  readonly stream: number;
  /** Whether the body has at most {@link MAX_SHORT_BODY} bytes. */
  readonly isShort: boolean;
  /** The unsent part of the body. */
  unsent: Buffer;
  /** The send window of the stream in bytes; negative after the server has reduced it. */
  window: number;
}

/** The sending side of one connection. */
export class StreamSender {
  /** The send window of the connection. */
  window = DEFAULT_WINDOW;
  maxFrame = DEFAULT_MAX_FRAME;
  /** Number of open requests with a body that exceeds the send window. */
  private blockedCount = 0;

  constructor(
    /** In the order of the calls; kept up to date by the session. */
    private readonly openRequests: readonly OutgoingStream[],
    private readonly write: (bytes: Buffer) => void,
  ) {}

  get isBlocked(): boolean {
    return this.blockedCount > 0;
  }

  /** Sends the headers and as much of the body as possible of a request that has just been opened. */
  start(request: OutgoingStream, headers: Buffer): void {
    if (request.unsent.length <= this.sendableBytes(request)) {
      this.window -= request.unsent.length;
      this.write(encodeRequest(request.stream, headers, request.unsent));
      request.unsent = EMPTY_BODY;
    } else {
      this.write(encodeFrame(FrameType.headers, Flag.endHeaders, request.stream, headers));
      this.blockedCount += 1;
      this.sendBodies();
    }
  }

  /** Must be called once when a request is no longer open, whether or not its body was sent. */
  remove({ unsent }: OutgoingStream): void {
    if (unsent.length > 0) this.blockedCount -= 1;
  }

  /** Sends as much as the send windows allow: short bodies first, then in the order of the calls. */
  sendBodies(): void {
    if (!this.isBlocked) return;
    this.sendBodiesOf(this.openRequests.filter(({ isShort }) => isShort));
    this.sendBodiesOf(this.openRequests);
  }

  private sendBodiesOf(requests: readonly OutgoingStream[]): void {
    for (const request of requests) {
      for (let size = this.sendableBytes(request); request.unsent.length > 0 && size > 0; size = this.sendableBytes(request)) {
        const chunk = request.unsent.subarray(0, size);
        request.unsent = request.unsent.subarray(chunk.length);
        request.window -= chunk.length;
        this.window -= chunk.length;
        const isLast = request.unsent.length === 0;
        if (isLast) this.blockedCount -= 1;
        // A separate write: the body is not copied behind the frame header.
        this.write(encodeFrameHeader(FrameType.data, isLast ? Flag.endStream : 0, request.stream, chunk.length));
        this.write(chunk);
      }
    }
  }

  /** Number of body bytes that may be sent now, in one frame. */
  private sendableBytes({ window, isShort }: OutgoingStream): number {
    return Math.min(window, isShort ? this.window : this.window - RESERVED_FOR_SHORT, this.maxFrame);
  }
}

/** Headers and body in one buffer, so that they are sent in one write. */
function encodeRequest(stream: number, headers: Buffer, body: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(2 * FRAME_HEADER_BYTES + headers.length + body.length);
  const bodyStart = FRAME_HEADER_BYTES + headers.length;
  writeFrameHeader(bytes, 0, headers.length, FrameType.headers, Flag.endHeaders, stream);
  bytes.set(headers, FRAME_HEADER_BYTES);
  writeFrameHeader(bytes, bodyStart, body.length, FrameType.data, Flag.endStream, stream);
  bytes.set(body, bodyStart + FRAME_HEADER_BYTES);
  return bytes;
}
