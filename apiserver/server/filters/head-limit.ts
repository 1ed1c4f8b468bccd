/** How long the head of a request may be, whatever the protocol. The parsers' own bounds are wider, so that whoever goes beyond can be told. */
import { IncomingMessage } from 'node:http';
import { headersTooLarge, urlTooLong, type StatusError } from '../../../shared/api/errors/status';
import type { Incoming } from '../../endpoints/request/exchange';

/** URL and headers together, in bytes. */
export const MAX_HEAD_BYTES = 64 * 1024;

/** What is read of a head at all; a client that goes on gets 431 over HTTP/1.1 and loses its stream or connection over HTTP/2. */
export const MAX_PARSED_HEAD_BYTES = 2 * MAX_HEAD_BYTES;

/** 414 where the URL is the longer part, else 431; undefined = the head is short enough. */
export function headFault(request: Incoming): StatusError | undefined {
  const url = request.url?.length ?? 0;
  // Among the headers of HTTP/2 is the URL.
  let all = request instanceof IncomingMessage ? url : 0;
  for (const text of request.rawHeaders) all += text.length;
  if (all <= MAX_HEAD_BYTES) return undefined;
  return url > all - url ? urlTooLong(MAX_HEAD_BYTES) : headersTooLarge(MAX_HEAD_BYTES);
}
