/**
 * Assembles the header blocks of a connection from HEADERS and CONTINUATION frames (RFC 9113 §4.3) and decodes them.
 * Which call a block belongs to is left to session.ts.
 */
import { contentOfFrame, Flag, FrameType, type Frame } from './frames';
import { decodeResponseHeaders, type ResponseHeaders } from './headers';
import { ProtocolError } from './protocol-error';

/** Maximum size of a header block that is split over CONTINUATION frames. */
const MAX_HEADER_BLOCK = 64 * 1024;

/** The headers or trailers of one stream. */
export interface ReceivedHeaders {
  readonly stream: number;
  readonly headers: ResponseHeaders;
  /** Whether nothing follows on the stream. */
  readonly endsStream: boolean;
}

/** The header blocks of one connection. */
export class HeaderBlocks {
  /** A block that the next frame must continue. */
  private partial: { readonly stream: number; readonly endsStream: boolean; readonly bytes: Buffer } | undefined;
  private recentHeaders: { readonly block: Buffer; readonly headers: ResponseHeaders }[] = [];

  /** Throws {@link ProtocolError} when `frame`, of any type, may not follow the last one. */
  checkSequence({ type, stream }: Frame): void {
    if (this.partial !== undefined && (type !== FrameType.continuation || stream !== this.partial.stream))
      throw new ProtocolError('a header block was not continued');
  }

  /** Adds a HEADERS or CONTINUATION frame. Returns the headers once their block is complete. */
  add(frame: Frame): ReceivedHeaders | undefined {
    const { partial } = this;
    const isFirst = frame.type === FrameType.headers;
    const content = isFirst ? contentOfFrame(frame) : frame.payload;
    if (content === undefined || (partial === undefined && !isFirst)) throw new ProtocolError('a header block cannot be decoded');
    const bytes = partial === undefined ? content : Buffer.concat([partial.bytes, content]);
    if (bytes.length > MAX_HEADER_BLOCK) throw new ProtocolError('a header block is too long');
    const { stream } = frame;
    const endsStream = partial?.endsStream ?? (frame.flags & Flag.endStream) !== 0;
    const isComplete = (frame.flags & Flag.endHeaders) !== 0;
    this.partial = isComplete ? undefined : { stream, endsStream, bytes };
    return isComplete ? { stream, headers: this.decode(bytes), endsStream } : undefined;
  }

  /** Decodes a block. Caches the last two, because nearly all responses have the same headers and the same trailers. */
  private decode(block: Buffer): ResponseHeaders {
    for (const recent of this.recentHeaders) if (recent.block.equals(block)) return recent.headers;
    const headers = decodeResponseHeaders(block);
    this.recentHeaders = [{ block: Buffer.from(block), headers }, ...this.recentHeaders.slice(0, 1)];
    return headers;
  }
}
