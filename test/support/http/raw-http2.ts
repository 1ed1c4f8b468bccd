/**
 * HTTP/2 frames as bytes, for clients that send what no library sends: HEADERS and RST_STREAM of a stream in one write,
 * or frames out of order.
 */

/** Types of frames (RFC 9113, section 6). */
export const FRAME = { data: 0, headers: 1, reset: 3, settings: 4, goaway: 7, windowUpdate: 8 } as const;
/** Flags of frames (RFC 9113, section 6.2). */
export const END_STREAM = 1;
const END_HEADERS = 4;
/** Error codes of RST_STREAM and GOAWAY (RFC 9113, section 7). */
export const ERROR_CODE = { none: 0, internal: 2, cancel: 8, enhanceYourCalm: 11 } as const;
/** The identifier of SETTINGS_INITIAL_WINDOW_SIZE (RFC 9113, section 6.5.2). */
const INITIAL_WINDOW_SIZE = 4;
/** The bytes of length, type, flags and stream (RFC 9113, section 4.1). */
export const FRAME_HEAD_BYTES = 9;

/** The start of every connection: the preface and empty settings. */
export const connectionPreface = (): Buffer =>
  Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), rawFrame(FRAME.settings, 0, 0)]);

/** Checks nothing: the caller may combine any type, flags and payload. */
export function rawFrame(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(FRAME_HEAD_BYTES);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** The pseudo-headers of a request. */
export const pseudoHeaders = (method: string, path: string): readonly (readonly [name: string, value: string])[] => [
  [':method', method],
  [':scheme', 'https'],
  [':path', path],
  [':authority', 'x'],
];

/** Headers as literals without compression or indexing; names and values shorter than 16 KiB. */
export function headersFrame(stream: number, headers: readonly (readonly [string, string])[], endsStream = true): Buffer {
  const literals = headers.flatMap(([name, value]) => [Buffer.of(0), literal(name), literal(value)]);
  return rawFrame(FRAME.headers, END_HEADERS | (endsStream ? END_STREAM : 0), stream, Buffer.concat(literals));
}

/** RST_STREAM with an {@link ERROR_CODE}. */
export const resetFrame = (stream: number, code: number): Buffer => rawFrame(FRAME.reset, 0, stream, uint32Bytes(code));

/** The client's setting of how many bytes of each response may be sent before it grants more. */
export const streamWindow = (bytes: number): Buffer =>
  rawFrame(FRAME.settings, 0, 0, Buffer.concat([Buffer.of(0, INITIAL_WINDOW_SIZE), uint32Bytes(bytes)]));

/** WINDOW_UPDATE; stream 0 stands for the connection. 0 bytes are a protocol error. */
export const windowUpdate = (stream: number, bytes: number): Buffer => rawFrame(FRAME.windowUpdate, 0, stream, uint32Bytes(bytes));

/** The types of the frames in `bytes`, also of a last one that has only its head complete. */
export function frameTypes(bytes: Buffer): readonly number[] {
  const types: number[] = [];
  for (let offset = 0; offset + FRAME_HEAD_BYTES <= bytes.length; offset += FRAME_HEAD_BYTES + bytes.readUIntBE(offset, 3))
    types.push(bytes[offset + 3] ?? -1);
  return types;
}

/**
 * A string without Huffman coding (RFC 7541, section 5.2). A length of 127 or more continues in bytes of seven bits, the
 * lowest ones first; all but the last have the highest bit set.
 */
function literal(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  if (bytes.length < 127) return Buffer.concat([Buffer.of(bytes.length), bytes]);
  const remainder = bytes.length - 127;
  const continuation = remainder < 128 ? [remainder] : [(remainder & 127) | 128, remainder >> 7];
  return Buffer.concat([Buffer.of(127, ...continuation), bytes]);
}

/** Big-endian. */
export function uint32Bytes(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
