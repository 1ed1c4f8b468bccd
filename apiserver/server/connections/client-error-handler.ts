/**
 * Responds to HTTP/1.1 input that Node's parser rejects, with Node's own bare responses except for two cases: a head
 * that is too long, and a well-formed request with a method that the parser does not know, which receives the 405 of
 * an unsupported method. No client is authenticated here, so the 405 reveals nothing about the resource.
 */
import { METHODS } from 'node:http';
import type { Duplex } from 'node:stream';
import { stringifyJson } from '../../../shared/values/json';
import { headersTooLarge, methodNotAllowedOnRoute, type StatusError } from '../../../shared/api/errors/status';
import { JSON_MEDIA_TYPE } from '../../../shared/names/dialect';
import type { Clock } from '../../../shared/runtime/clock';
import { statusJson } from '../../endpoints/representation/status-json';
import { LINGER_MS } from '../../endpoints/request/end-after-body';
import { MAX_HEAD_BYTES } from '../filters/head-limit';
import { isResponding, speaksHttp1 } from './http1-socket';

const RESPONSE_BY_CODE: ReadonlyMap<string, string> = new Map([
  ['HPE_HEADER_OVERFLOW', statusResponse('431 Request Header Fields Too Large', headersTooLarge(MAX_HEAD_BYTES))],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', emptyResponse('413 Payload Too Large')],
]);
const TIMED_OUT = emptyResponse('408 Request Timeout');
const BAD_REQUEST = emptyResponse('400 Bad Request');
const METHOD_NOT_ALLOWED = statusResponse('405 Method Not Allowed', methodNotAllowedOnRoute());

/**
 * Handles the `clientError` events of a listener. Node's HTTP/2 server also emits this event for failed TLS
 * handshakes. Their sockets must not be written to: the handshake may still complete, and a write that is pending
 * when the HTTP/2 session takes over the socket aborts the process.
 */
export function createClientErrorHandler(clock: Clock): (error: Error, socket: Duplex) => void {
  // Further errors on these sockets are ignored: input after the rejected one cannot be parsed either.
  const respondedSockets = new WeakSet<Duplex>();
  return (error, socket) => {
    if (respondedSockets.has(socket)) return;
    if (!socket.writable || !speaksHttp1(socket) || isResponding(socket)) {
      socket.destroy();
      return;
    }
    respondedSockets.add(socket);
    // The input so far is valid, so the parser would still accept the rest as a request.
    if (codeOf(error) === 'ERR_HTTP_REQUEST_TIMEOUT') {
      socket.end(TIMED_OUT, () => socket.destroy());
      return;
    }
    socket.write(isUnknownMethod(error) ? METHOD_NOT_ALLOWED : (RESPONSE_BY_CODE.get(codeOf(error)) ?? BAD_REQUEST));
    // A client that is still sending would see a reset instead of the response, so the connection is closed later.
    const end = clock.after(LINGER_MS, () => socket.destroy());
    socket.on('end', () => socket.end()).on('close', () => end.cancel());
  };
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** `PURGE /api/v1/pods HTTP/1.1` and a line break, with the method as its group. */
const REQUEST_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) [!-~]+ HTTP\/1\.[01]\r\n/;
/** Bytes of the rejected packet that are searched for a request line. */
const MAX_LINE_LENGTH = 16 * 1024;

/** The parser stops inside the method, so the request line is read from the packet that contained it. */
function isUnknownMethod(error: Error): boolean {
  if (codeOf(error) !== 'HPE_INVALID_METHOD' || !('rawPacket' in error) || !(error.rawPacket instanceof Buffer)) return false;
  const method = REQUEST_LINE.exec(error.rawPacket.toString('latin1', 0, MAX_LINE_LENGTH))?.[1];
  // The packet may begin with an earlier, valid request. Its method is known, and the rejected one is not inspected.
  return method !== undefined && !METHODS.includes(method);
}

function emptyResponse(statusLine: string): string {
  return `HTTP/1.1 ${statusLine}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
}

function statusResponse(statusLine: string, { status }: StatusError): string {
  const body = `${stringifyJson(statusJson(status, 'platform'))}\n`;
  const head = [
    `HTTP/1.1 ${statusLine}`,
    'Cache-Control: no-cache, private',
    `Content-Type: ${JSON_MEDIA_TYPE}`,
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
