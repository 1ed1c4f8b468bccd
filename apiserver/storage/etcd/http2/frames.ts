/**
 * Frames of HTTP/2 (RFC 9113 §4, §6): encodes them and splits received bytes into them. Streams are left to session.ts.
 */

export const FrameType = {
  data: 0,
  headers: 1,
  resetStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const Flag = { endStream: 0x1, ack: 0x1, endHeaders: 0x4, padded: 0x8, priority: 0x20 } as const;

export const Setting = { headerTableSize: 1, enablePush: 2, maxStreams: 3, initialWindow: 4, maxFrame: 5 } as const;

export const CONNECTION_PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
export const FRAME_HEADER_BYTES = 9;
/** Limits that apply until SETTINGS changes them. */
export const DEFAULT_MAX_FRAME = 16_384;
export const DEFAULT_WINDOW = 65_535;

const NO_PAYLOAD = Buffer.alloc(0);

export function writeFrameHeader(target: Buffer, at: number, length: number, type: number, flags: number, stream: number): void {
  target.writeUIntBE(length, at, 3);
  target[at + 3] = type;
  target[at + 4] = flags;
  target.writeUInt32BE(stream, at + 5);
}

export function encodeFrame(type: number, flags: number, stream: number, payload: Buffer = NO_PAYLOAD): Buffer {
  const bytes = Buffer.allocUnsafe(FRAME_HEADER_BYTES + payload.length);
  writeFrameHeader(bytes, 0, payload.length, type, flags, stream);
  bytes.set(payload, FRAME_HEADER_BYTES);
  return bytes;
}

/** A frame header, for a payload that is written separately. */
export function encodeFrameHeader(type: number, flags: number, stream: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(FRAME_HEADER_BYTES);
  writeFrameHeader(bytes, 0, length, type, flags, stream);
  return bytes;
}

/** A frame with one 32-bit number as payload: WINDOW_UPDATE, RST_STREAM. */
export function encodeUint32Frame(type: number, stream: number, value: number): Buffer {
  const payload = Buffer.allocUnsafe(4);
  payload.writeUInt32BE(value);
  return encodeFrame(type, 0, stream, payload);
}

export function encodeSettingsFrame(settings: readonly (readonly [setting: number, value: number])[]): Buffer {
  const payload = Buffer.allocUnsafe(6 * settings.length);
  settings.forEach(([setting, value], index) => {
    payload.writeUInt16BE(setting, 6 * index);
    payload.writeUInt32BE(value, 6 * index + 2);
  });
  return encodeFrame(FrameType.settings, 0, 0, payload);
}

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  /** A view of the received chunk. */
  readonly payload: Buffer;
}

/** Calls `onFrame` for each complete frame. Throws {@link OversizedFrameError}. */
export class FrameReader {
  /** An incomplete frame header, or the incomplete payload that belongs to `head`. */
  private partial: Buffer | undefined;
  private filled = 0;
  private header: Buffer | undefined;

  constructor(private readonly onFrame: (frame: Frame) => void) {}

  feed(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.partial === undefined && this.header === undefined) {
        const frameBytes = chunk.length - at >= FRAME_HEADER_BYTES ? FRAME_HEADER_BYTES + payloadLength(chunk, at) : Infinity;
        if (at + frameBytes <= chunk.length) {
          this.deliver(chunk, at, chunk.subarray(at + FRAME_HEADER_BYTES, at + frameBytes));
          at += frameBytes;
          continue;
        }
        this.startPartial(FRAME_HEADER_BYTES);
      }
      at += this.fill(chunk, at);
    }
  }

  private startPartial(size: number): void {
    this.partial = Buffer.allocUnsafe(size);
    this.filled = 0;
  }

  /** Returns the number of bytes consumed. */
  private fill(chunk: Buffer, at: number): number {
    const { partial } = this;
    if (partial === undefined) return 0;
    const consumed = chunk.copy(partial, this.filled, at);
    this.filled += consumed;
    if (this.filled < partial.length) return consumed;
    const { header } = this;
    this.partial = undefined;
    this.header = undefined;
    if (header !== undefined) this.deliver(header, 0, partial);
    else if (payloadLength(partial, 0) === 0) this.deliver(partial, 0, NO_PAYLOAD);
    else {
      this.startPartial(payloadLength(partial, 0));
      this.header = partial;
    }
    return consumed;
  }

  private deliver(bytes: Buffer, at: number, payload: Buffer): void {
    this.onFrame({ type: bytes[at + 3] ?? 0, flags: bytes[at + 4] ?? 0, stream: bytes.readUInt32BE(at + 5) & 0x7fff_ffff, payload });
  }
}

export class OversizedFrameError extends Error {}

function payloadLength(bytes: Buffer, at: number): number {
  const length = bytes.readUIntBE(at, 3);
  if (length > DEFAULT_MAX_FRAME) throw new OversizedFrameError(`a frame of ${length} bytes exceeds the maximum frame size`);
  return length;
}

/** The payload of a DATA or HEADERS frame without padding and priority; undefined when it is malformed. */
export function contentOfFrame({ flags, payload, type }: Frame): Buffer | undefined {
  let start = 0;
  let padding = 0;
  if ((flags & Flag.padded) !== 0) {
    padding = payload[0] ?? 0;
    start = 1;
  }
  if (type === FrameType.headers && (flags & Flag.priority) !== 0) start += 5;
  const end = payload.length - padding;
  return start <= end ? payload.subarray(start, end) : undefined;
}
