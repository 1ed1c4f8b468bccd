/**
 * Limits the size of a request's head for all protocols. The limits of the parsers are higher, so that the client
 * receives an error response.
 */
import { IncomingMessage } from 'node:http';
import { headersTooLarge, urlTooLong, type StatusError } from '../../../shared/api/errors/status';
import type { Incoming } from '../../endpoints/request/exchange';

/** URL and headers together, in bytes. */
export const MAX_HEAD_BYTES = 64 * 1024;

/**
 * The limit of the parsers. Beyond it a client receives 431 over HTTP/1.1 and loses its stream or connection over
 * HTTP/2.
 */
export const MAX_PARSED_HEAD_BYTES = 2 * MAX_HEAD_BYTES;

/** The error 414 when the URL is the longer part, otherwise 431; `undefined` when the head is within the limit. */
export function checkHeadLimit(request: Incoming): StatusError | undefined {
  const urlBytes = request.url?.length ?? 0;
  // Over HTTP/2 the URL is one of the headers, `:path`.
  let headBytes = request instanceof IncomingMessage ? urlBytes : 0;
  for (const text of request.rawHeaders) headBytes += text.length;
  if (headBytes <= MAX_HEAD_BYTES) return undefined;
  return urlBytes > headBytes - urlBytes ? urlTooLong(MAX_HEAD_BYTES) : headersTooLarge(MAX_HEAD_BYTES);
}
