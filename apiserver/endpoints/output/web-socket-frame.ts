/** Encodes a message of a WebSocket server as one frame, unmasked as RFC 6455 requires of servers. */

const TEXT = 0x81;
const BINARY = 0x82;
const SHORT = 125;
const TWO_BYTES = 126;
const EIGHT_BYTES = 127;

export const textFrame = (message: Buffer): Buffer => framed(TEXT, message);
export const binaryFrame = (message: Buffer): Buffer => framed(BINARY, message);

function framed(first: number, message: Buffer): Buffer {
  const { length } = message;
  const head = length <= SHORT ? 2 : length <= 0xffff ? 4 : 10;
  const frame = Buffer.allocUnsafeSlow(head + length);
  frame[0] = first;
  if (head === 2) frame[1] = length;
  else if (head === 4) {
    frame[1] = TWO_BYTES;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = EIGHT_BYTES;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  message.copy(frame, head);
  return frame;
}
