/**
 * Frames of HTTP/2 (RFC 9113 §4, §6): encodes them and splits received bytes into them. Streams are left to session.ts.
 */

/** Types of frames (RFC 9113 §6); others, such as PRIORITY (2), are ignored. */
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

/** Flags of frames. `endStream` belongs to DATA and HEADERS, `ack` to SETTINGS and PING. */
export const Flag = { endStream: 0x1, ack: 0x1, endHeaders: 0x4, padded: 0x8, priority: 0x20 } as const;

/** Identifiers of settings (RFC 9113 §6.5.2). */
export const Setting = { headerTableSize: 1, enablePush: 2, maxStreams: 3, initialWindow: 4, maxFrame: 5 } as const;

/** The first bytes of a client (RFC 9113 §3.4); its SETTINGS frame follows. */
export const CONNECTION_PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
/** Length of the header of every frame (RFC 9113, section 4.1). */
export const FRAME_HEADER_BYTES = 9;
/** Maximum payload until SETTINGS changes it (RFC 9113 §4.2). */
export const DEFAULT_MAX_FRAME = 16_384;
/** Initial flow-control window in bytes (RFC 9113 §6.9.2). */
export const DEFAULT_WINDOW = 65_535;

const NO_PAYLOAD = Buffer.alloc(0);
/** A stream identifier without its reserved bit. */
const STREAM_MASK = 0x7fff_ffff;
/** Length of the priority fields in a HEADERS frame. */
const PRIORITY_BYTES = 5;

/** Offsets in a frame header, which starts with the length of the payload in three bytes. */
const LENGTH_BYTES = 3;
const TYPE_OFFSET = 3;
const FLAGS_OFFSET = 4;
const STREAM_OFFSET = 5;

/** Writes a frame header at `start`; `length` is the size of the payload. */
export function writeFrameHeader(target: Buffer, start: number, length: number, type: number, flags: number, stream: number): void {
  target.writeUIntBE(length, start, LENGTH_BYTES);
  target[start + TYPE_OFFSET] = type;
  target[start + FLAGS_OFFSET] = flags;
  target.writeUInt32BE(stream, start + STREAM_OFFSET);
}

/** A whole frame. */
export function encodeFrame(type: number, flags: number, stream: number, payload: Buffer = NO_PAYLOAD): Buffer {
  const bytes = Buffer.allocUnsafe(FRAME_HEADER_BYTES + payload.length);
  writeFrameHeader(bytes, 0, payload.length, type, flags, stream);
  bytes.set(payload, FRAME_HEADER_BYTES);
  return bytes;
}

/** A frame header, for a payload of `length` bytes that is written separately. */
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

type SettingValue = readonly [setting: number, value: number];

/** A setting is its identifier in two bytes and its value in four. */
const SETTING_BYTES = 6;
const SETTING_VALUE_OFFSET = 2;

/** The SETTINGS frame of a client's connection preface. */
export function encodeSettingsFrame(settings: readonly SettingValue[]): Buffer {
  const payload = Buffer.allocUnsafe(SETTING_BYTES * settings.length);
  settings.forEach(([setting, value], index) => {
    payload.writeUInt16BE(setting, SETTING_BYTES * index);
    payload.writeUInt32BE(value, SETTING_BYTES * index + SETTING_VALUE_OFFSET);
  });
  return encodeFrame(FrameType.settings, 0, 0, payload);
}

/** The settings in the payload of a SETTINGS frame, in order. */
export function settingsOfFrame(payload: Buffer): readonly SettingValue[] {
  const settings: SettingValue[] = [];
  for (let start = 0; start + SETTING_BYTES <= payload.length; start += SETTING_BYTES)
    settings.push([payload.readUInt16BE(start), payload.readUInt32BE(start + SETTING_VALUE_OFFSET)]);
  return settings;
}

/** A received frame. */
export interface Frame {
  readonly type: number;
  readonly flags: number;
  /** 0: the frame concerns the connection. */
  readonly stream: number;
  /** A view of the received chunk, or of a copy when the frame spans chunks. */
  readonly payload: Buffer;
}

/** Splits received bytes into frames and calls `onFrame` for each complete one. */
export class FrameReader {
  /** The frame header that is being received, or, once `header` is set, the payload. Undefined between two frames. */
  private partial: Buffer | undefined;
  /** Bytes of `partial` that have been received. */
  private filled = 0;
  /** The complete header of the frame of which the payload is being received. */
  private header: Buffer | undefined;

  constructor(private readonly onFrame: (frame: Frame) => void) {}

  /**
   * Takes the next received bytes, which may begin and end anywhere in a frame. Throws {@link OversizedFrameError} for a
   * frame of more than {@link DEFAULT_MAX_FRAME} bytes.
   */
  feed(chunk: Buffer): void {
    let start = 0;
    while (start < chunk.length) {
      if (this.partial === undefined && this.header === undefined) {
        // A frame that lies in the chunk as a whole is not copied.
        const frameBytes = chunk.length - start >= FRAME_HEADER_BYTES ? FRAME_HEADER_BYTES + payloadLength(chunk, start) : Infinity;
        if (start + frameBytes <= chunk.length) {
          this.deliver(chunk, start, chunk.subarray(start + FRAME_HEADER_BYTES, start + frameBytes));
          start += frameBytes;
          continue;
        }
        this.startPartial(FRAME_HEADER_BYTES);
      }
      start += this.fill(chunk, start);
    }
  }

  private startPartial(size: number): void {
    this.partial = Buffer.allocUnsafe(size);
    this.filled = 0;
  }

  /** Continues the partial header or payload. Returns the number of bytes consumed. */
  private fill(chunk: Buffer, start: number): number {
    const { partial } = this;
    if (partial === undefined) return 0;
    const consumed = chunk.copy(partial, this.filled, start);
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

  /** `header` has the frame's header at `start`. */
  private deliver(header: Buffer, start: number, payload: Buffer): void {
    this.onFrame({
      type: header[start + TYPE_OFFSET] ?? 0,
      flags: header[start + FLAGS_OFFSET] ?? 0,
      stream: header.readUInt32BE(start + STREAM_OFFSET) & STREAM_MASK,
      payload,
    });
  }
}

/** A frame over the size that this client accepts; the connection must be closed. */
export class OversizedFrameError extends Error {}

function payloadLength(bytes: Buffer, start: number): number {
  const length = bytes.readUIntBE(start, LENGTH_BYTES);
  if (length > DEFAULT_MAX_FRAME) throw new OversizedFrameError(`a frame of ${length} bytes exceeds the maximum frame size`);
  return length;
}

/** The payload of a DATA or HEADERS frame without padding and priority; undefined when it is malformed. */
export function contentOfFrame({ flags, payload, type }: Frame): Buffer | undefined {
  const isPadded = (flags & Flag.padded) !== 0;
  const padding = isPadded ? (payload[0] ?? 0) : 0;
  let start = isPadded ? 1 : 0;
  if (type === FrameType.headers && (flags & Flag.priority) !== 0) start += PRIORITY_BYTES;
  const end = payload.length - padding;
  return start <= end ? payload.subarray(start, end) : undefined;
}
