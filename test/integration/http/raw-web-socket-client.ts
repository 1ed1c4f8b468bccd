/**
 * A WebSocket client over an upgraded connection that records the frames of the server. Tests use it where the package
 * ws refuses the handshake: a subprotocol with a slash, or a server that selects none. Reads unfragmented frames.
 */
import type { Duplex } from 'node:stream';

/** Opcodes of frames (RFC 6455, 5.2). */
const OPCODES = { text: 1, bytes: 2, close: 8 } as const;
/** The bits of the first byte: the final fragment, and the opcode. */
const FINAL_FRAGMENT = 0x80;
const OPCODE_BITS = 0x0f;
/** In the second byte of a client's frame: a mask follows. A mask of zeros changes nothing. */
const MASKED = 0x80;
const ZERO_MASK = Buffer.alloc(4);
/** Size of the extended payload length in bytes, by the 7-bit length in the second byte. */
const EXTENDED_LENGTH_BYTES: ReadonlyMap<number, number> = new Map([
  [126, 2],
  [127, 8],
]);
/** Characters of a frame that are recorded. */
const RECORDED_LENGTH = 20;

export class RawWebSocketClient {
  /** Frames as `<opcode> <first characters>`, and `closed <status>` for a close frame. */
  readonly frames: string[] = [];
  /** The length of all messages together. */
  receivedBytes = 0;
  private pending = Buffer.alloc(0);

  /** `head`: the bytes that arrived with the response to the upgrade. */
  constructor(
    readonly socket: Duplex,
    head: Buffer,
  ) {
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => this.receive(bytes));
    this.receive(head);
  }

  /** Sends a frame with fewer than 126 characters of Latin-1. */
  send(type: keyof typeof OPCODES, content: string): void {
    const payload = Buffer.from(content, 'latin1');
    const header = Buffer.from([FINAL_FRAGMENT | OPCODES[type], MASKED | payload.length]);
    this.socket.write(Buffer.concat([header, ZERO_MASK, payload]));
  }

  private receive(bytes: Buffer): void {
    this.pending = Buffer.concat([this.pending, bytes]);
    for (let frame = this.nextFrame(); frame !== undefined; frame = this.nextFrame()) this.record(frame);
  }

  /** Removes the first frame from the pending bytes; `undefined` until it is complete. */
  private nextFrame(): { readonly opcode: number; readonly payload: Buffer } | undefined {
    const [firstByte, shortLength] = this.pending;
    if (firstByte === undefined || shortLength === undefined) return undefined;
    const payloadStart = 2 + (EXTENDED_LENGTH_BYTES.get(shortLength) ?? 0);
    if (this.pending.length < payloadStart) return undefined;
    const length = payloadStart === 2 ? shortLength : Number(`0x${this.pending.toString('hex', 2, payloadStart)}`);
    const end = payloadStart + length;
    if (this.pending.length < end) return undefined;
    const payload = this.pending.subarray(payloadStart, end);
    this.pending = this.pending.subarray(end);
    return { opcode: firstByte & OPCODE_BITS, payload };
  }

  private record({ opcode, payload }: { readonly opcode: number; readonly payload: Buffer }): void {
    if (opcode === OPCODES.close) {
      this.frames.push(`closed ${payload.readUInt16BE()}`);
      return;
    }
    this.receivedBytes += payload.length;
    this.frames.push(`${opcode} ${payload.toString('latin1', 0, RECORDED_LENGTH)}`);
  }
}
