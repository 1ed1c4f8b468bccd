/**
 * Encodes a message of a WebSocket server as one frame, unmasked as RFC 6455 requires of servers. Frames of a client
 * are read elsewhere, by the package ws.
 */

/** First bytes of a frame: the last one of its message, and the opcode. */
const TEXT = 0x81;
const BINARY = 0x82;
/** The greatest length of a message that fits into the second byte. */
const MAX_SHORT_LENGTH = 125;
/** The value of the second byte that announces a length in the next two bytes. */
const TWO_BYTES = 126;
/** The value of the second byte that announces a length in the next eight bytes. */
const EIGHT_BYTES = 127;

/** The frame of a text message. The message must be valid UTF-8. */
export const textFrame = (message: Buffer): Buffer => framed(TEXT, message);
/** The frame of a binary message. */
export const binaryFrame = (message: Buffer): Buffer => framed(BINARY, message);

function framed(firstByte: number, message: Buffer): Buffer {
  const { length } = message;
  const head = headLength(length);
  const frame = Buffer.allocUnsafeSlow(head + length);
  frame[0] = firstByte;
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

function headLength(messageLength: number): 2 | 4 | 10 {
  if (messageLength <= MAX_SHORT_LENGTH) return 2;
  return messageLength <= 0xffff ? 4 : 10;
}
