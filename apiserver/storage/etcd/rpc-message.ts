/** Encodes requests to etcd in one buffer with gRPC's message prefix. Fields are written with the WireWriter of protobuf. */
import { WireWriter } from '../../../shared/serialization/protobuf/wire';

/** Bytes of gRPC's message prefix: a compression flag (0) and four bytes for the length. */
export const MESSAGE_PREFIX_BYTES = 5;

const EMPTY_PREFIX = Buffer.alloc(MESSAGE_PREFIX_BYTES);

/** An encoded request with its prefix, so that a value of a megabyte is not copied again for five bytes. */
export class RpcMessage {
  constructor(readonly framed: Buffer) {}

  /** The message without the prefix. */
  get bytes(): Buffer {
    return this.framed.subarray(MESSAGE_PREFIX_BYTES);
  }
}

/** Used by {@link encodeRpcMessage} only, which does not call itself. */
const buffer = new WireWriter();

/** Encodes one message; `write` writes its fields and encodes no other message. */
export function encodeRpcMessage(write: (writer: WireWriter) => void): RpcMessage {
  buffer.reset().copy(EMPTY_PREFIX, 0, MESSAGE_PREFIX_BYTES);
  write(buffer);
  const framed = Buffer.from(buffer.finish());
  framed.writeUInt32BE(framed.length - MESSAGE_PREFIX_BYTES, 1);
  return new RpcMessage(framed);
}
