/**
 * What HTTP/1.1 connections answer to bytes that Node's parser does not take for a request: its own bare answers, but for a head that is far too long,
 * and for a well-formed request with a method that the parser has no name for, which is answered as any other method that a resource does not take.
 * Nobody is authenticated here, so nothing is told about the resource. The connection ends either way, but not at once: whoever still sends would hear of a
 * broken connection instead.
 */
import { METHODS } from 'node:http';
import type { Duplex } from 'node:stream';
import { stringifyJson } from '../../../shared/values/json';
import { headersTooLarge, methodNotAllowedOnRoute, type StatusError } from '../../../shared/api/errors/status';
import { JSON_MEDIA_TYPE } from '../../../shared/names/dialect';
import type { Clock } from '../../../shared/runtime/clock';
import { statusJson } from '../../endpoints/representation/status-json';
import { LINGER_MS } from '../../endpoints/request/linger';
import { MAX_HEAD_BYTES } from '../filters/head-limit';
import { isAnswering, speaksHttp1 } from './http1-socket';

const ANSWERS: ReadonlyMap<string, string> = new Map([
  ['HPE_HEADER_OVERFLOW', withStatus('431 Request Header Fields Too Large', headersTooLarge(MAX_HEAD_BYTES))],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', bare('413 Payload Too Large')],
]);
const TIMED_OUT = bare('408 Request Timeout');
const BAD_REQUEST = bare('400 Bad Request');
const METHOD_NOT_ALLOWED = withStatus('405 Method Not Allowed', methodNotAllowedOnRoute());

/**
 * Handles the `clientError` events of a listener. Node's HTTP/2 server also emits this event for failed TLS handshakes, whose sockets must not be written to: the handshake
 * may still complete, and a write that is pending when the HTTP/2 session takes over the socket aborts the process.
 */
export function unreadableAnswerer(clock: Clock): (error: Error, socket: Duplex) => void {
  // Whatever such a connection sends afterwards cannot be read either, and is thrown away.
  const answered = new WeakSet<Duplex>();
  return (error, socket) => {
    if (answered.has(socket)) return;
    if (!socket.writable || !speaksHttp1(socket) || isAnswering(socket)) {
      socket.destroy();
      return;
    }
    answered.add(socket);
    // Nothing is wrong with what came so far, so the parser would still take the rest for a request.
    if (codeOf(error) === 'ERR_HTTP_REQUEST_TIMEOUT') {
      socket.end(TIMED_OUT, () => socket.destroy());
      return;
    }
    socket.write(isStrangeMethod(error) ? METHOD_NOT_ALLOWED : (ANSWERS.get(codeOf(error)) ?? BAD_REQUEST));
    const end = clock.after(LINGER_MS, () => socket.destroy());
    socket.on('end', () => socket.end()).on('close', () => end.cancel());
  };
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

const REQUEST_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) [!-~]+ HTTP\/1\.[01]\r\n/;
const LONGEST_LINE = 16 * 1024;

/** The parser stops inside the method, so the line is looked for in what arrived with it. */
function isStrangeMethod(error: Error): boolean {
  if (codeOf(error) !== 'HPE_INVALID_METHOD' || !('rawPacket' in error) || !(error.rawPacket instanceof Buffer)) return false;
  const method = REQUEST_LINE.exec(error.rawPacket.toString('latin1', 0, LONGEST_LINE))?.[1];
  // Another request may stand before the one that cannot be read.
  return method !== undefined && !METHODS.includes(method);
}

function bare(line: string): string {
  return `HTTP/1.1 ${line}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
}

function withStatus(line: string, { status }: StatusError): string {
  const body = `${stringifyJson(statusJson(status, 'platform'))}\n`;
  const head = [
    `HTTP/1.1 ${line}`,
    'Cache-Control: no-cache, private',
    `Content-Type: ${JSON_MEDIA_TYPE}`,
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
