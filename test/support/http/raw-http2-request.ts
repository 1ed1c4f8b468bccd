/** One HTTP/2 request as raw frames, for headers that no client library sends. */
import { connect } from 'node:tls';
import { connectionPreface, END_STREAM, FRAME, headersFrame, rawFrame, FRAME_HEAD_BYTES } from './raw-http2';

/** The request, as frames of stream 1. */
export interface RawHttp2Request {
  /** The headers in their order, pseudo-headers included. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /**
   * Payloads of DATA frames. The last one ends the stream unless there are trailers; the head ends it when there are
   * neither.
   */
  readonly data: readonly string[];
  readonly trailers?: RawHttp2Request['headers'];
}

function encodeRequest({ headers, data, trailers }: RawHttp2Request): Buffer {
  const frames = [headersFrame(1, headers, data.length === 0 && trailers === undefined)];
  for (const [index, text] of data.entries()) {
    const isLast = index === data.length - 1 && trailers === undefined;
    frames.push(rawFrame(FRAME.data, isLast ? END_STREAM : 0, 1, Buffer.from(text, 'latin1')));
  }
  if (trailers !== undefined) frames.push(headersFrame(1, trailers));
  return Buffer.concat([connectionPreface(), ...frames]);
}

/**
 * Sends the request on a connection of its own, which ends with the response. Resolves with the body of the response as
 * far as it arrived; it is '' or incomplete when the server resets the stream or the connection fails.
 */
export function sendRawHttp2Request(port: number, request: RawHttp2Request): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ALPNProtocols: ['h2'] });
  let received: Buffer = Buffer.alloc(0);
  let data = '';
  return new Promise((resolve) => {
    socket.once('secureConnect', () => socket.write(encodeRequest(request)));
    socket.on('error', () => undefined);
    socket.once('close', () => resolve(data));
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= FRAME_HEAD_BYTES) {
        const length = received.readUIntBE(0, 3);
        if (received.length < FRAME_HEAD_BYTES + length) return;
        const type = received.readUInt8(3);
        const flags = received.readUInt8(4);
        if (type === FRAME.data) data += received.subarray(FRAME_HEAD_BYTES, FRAME_HEAD_BYTES + length).toString();
        received = received.subarray(FRAME_HEAD_BYTES + length);
        const isEnd = (type === FRAME.data || type === FRAME.headers) && (flags & END_STREAM) !== 0;
        if (isEnd || type === FRAME.reset || type === FRAME.goaway) socket.destroy();
      }
    });
  });
}
