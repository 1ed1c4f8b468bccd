/** HTTP/2's frames (RFC 9113 §4, §6): made, and found in what a connection brings. Knows nothing of streams. */

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

export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
export const FRAME_HEAD = 9;
/** What either side takes when nothing else was agreed. */
export const DEFAULT_MAX_FRAME = 16_384;
export const DEFAULT_WINDOW = 65_535;

const NO_PAYLOAD = Buffer.alloc(0);

export function writeHead(target: Buffer, at: number, length: number, type: number, flags: number, stream: number): void {
  target.writeUIntBE(length, at, 3);
  target[at + 3] = type;
  target[at + 4] = flags;
  target.writeUInt32BE(stream, at + 5);
}

export function frame(type: number, flags: number, stream: number, payload: Buffer = NO_PAYLOAD): Buffer {
  const bytes = Buffer.allocUnsafe(FRAME_HEAD + payload.length);
  writeHead(bytes, 0, payload.length, type, flags, stream);
  bytes.set(payload, FRAME_HEAD);
  return bytes;
}

/** Of a frame whose payload is written after it. */
export function frameHead(type: number, flags: number, stream: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(FRAME_HEAD);
  writeHead(bytes, 0, length, type, flags, stream);
  return bytes;
}

/** A frame that holds one number: WINDOW_UPDATE, RST_STREAM. */
export function numberFrame(type: number, stream: number, value: number): Buffer {
  const payload = Buffer.allocUnsafe(4);
  payload.writeUInt32BE(value);
  return frame(type, 0, stream, payload);
}

export function settingsFrame(settings: readonly (readonly [setting: number, value: number])[]): Buffer {
  const payload = Buffer.allocUnsafe(6 * settings.length);
  settings.forEach(([setting, value], index) => {
    payload.writeUInt16BE(setting, 6 * index);
    payload.writeUInt32BE(value, 6 * index + 2);
  });
  return frame(FrameType.settings, 0, 0, payload);
}

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  /** A view of what the connection brought. */
  readonly payload: Buffer;
}

/** Throws {@link OversizedFrame}. */
export class FrameReader {
  /** A head that has not come whole, or the payload that belongs to `head`. */
  private partial: Buffer | undefined;
  private filled = 0;
  private head: Buffer | undefined;

  constructor(private readonly take: (frame: Frame) => void) {}

  feed(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.partial === undefined && this.head === undefined) {
        const whole = chunk.length - at >= FRAME_HEAD ? FRAME_HEAD + payloadLength(chunk, at) : Infinity;
        if (at + whole <= chunk.length) {
          this.deliver(chunk, at, chunk.subarray(at + FRAME_HEAD, at + whole));
          at += whole;
          continue;
        }
        this.begin(FRAME_HEAD);
      }
      at += this.fill(chunk, at);
    }
  }

  private begin(size: number): void {
    this.partial = Buffer.allocUnsafe(size);
    this.filled = 0;
  }

  /** Returns how much was taken. */
  private fill(chunk: Buffer, at: number): number {
    const { partial } = this;
    if (partial === undefined) return 0;
    const taken = chunk.copy(partial, this.filled, at);
    this.filled += taken;
    if (this.filled < partial.length) return taken;
    const { head } = this;
    this.partial = undefined;
    this.head = undefined;
    if (head !== undefined) this.deliver(head, 0, partial);
    else if (payloadLength(partial, 0) === 0) this.deliver(partial, 0, NO_PAYLOAD);
    else {
      this.begin(payloadLength(partial, 0));
      this.head = partial;
    }
    return taken;
  }

  private deliver(bytes: Buffer, at: number, payload: Buffer): void {
    this.take({ type: bytes[at + 3] ?? 0, flags: bytes[at + 4] ?? 0, stream: bytes.readUInt32BE(at + 5) & 0x7fff_ffff, payload });
  }
}

export class OversizedFrame extends Error {}

function payloadLength(bytes: Buffer, at: number): number {
  const length = bytes.readUIntBE(at, 3);
  if (length > DEFAULT_MAX_FRAME) throw new OversizedFrame(`a frame of ${length} bytes is longer than was agreed`);
  return length;
}

/** The payload of a DATA or HEADERS frame without padding and priority; undefined when it is malformed. */
export function contentOf({ flags, payload, type }: Frame): Buffer | undefined {
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
