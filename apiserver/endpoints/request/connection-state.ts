/**
 * Changes the state of the connection or stream that carries a response, around the limits of Node's HTTP: how it is
 * read, when it is closed, and that it accepts no further requests.
 */
import { constants, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { afterReading } from './after-reading';

/**
 * Makes Node read an HTTP/1.1 connection through its socket instead of directly. While a response waits for its client,
 * Node pauses the parser of the connection. Over TLS, a parser that reads directly still receives data of the next
 * request, and Node closes the connection; a socket can be paused. A `data` listener, even a temporary one, has that
 * effect. It costs each request more, so it is used only for responses that are long enough to wait.
 */
export function readThroughSocket(socket: Socket | null): void {
  const noop = (): void => undefined;
  socket?.on('data', noop);
  socket?.off('data', noop);
}

/**
 * Closes the stream after its response is written. A stream that is closed earlier waits for its client; if it is
 * destroyed meanwhile, Node removes it without a reset, and once the client grants it a window, Node's HTTP/2 library
 * requests the rest of the response in an endless loop.
 */
export function closeAfterWrite(stream: ServerHttp2Stream): void {
  const close = (): void => afterReading(() => stream.close(constants.NGHTTP2_NO_ERROR));
  if (stream.writableFinished) close();
  else stream.once('finish', close);
}

/**
 * Sends GOAWAY with the last stream that this server processes. Node accepts no later streams after GOAWAY, and the
 * client must know this in order to retry on another connection instead of waiting.
 */
export function sendGoaway({ session }: ServerHttp2Stream): void {
  if (session !== undefined && !session.destroyed) session.goaway(constants.NGHTTP2_NO_ERROR);
}
