/**
 * Ends an HTTP/1.1 response to a client that may still be sending its body. When a connection is closed while data
 * arrives, it is reset, and many clients then report a broken connection instead of the response. Discards the body.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../../shared/runtime/clock';

/** How long to wait for the rest of the body: the same as in Go's HTTP server. */
export const LINGER_MS = 500;
/** How much of the body is read and discarded; further bytes stay unread. */
const MAX_DISCARDED_BYTES = 8 * 1024 * 1024;

/** Ends the completely written response when the body has been received, or after a time-out. The body is discarded. */
export function endAfterBody(output: ServerResponse, input: IncomingMessage, clock: Clock): void {
  let remaining = MAX_DISCARDED_BYTES;
  const discard = (chunk: Buffer): void => {
    remaining -= chunk.length;
    if (remaining < 0) input.pause();
  };
  const end = (): void => {
    timer.cancel();
    input.off('data', discard).off('end', end).off('close', end);
    output.end();
  };
  const timer = clock.after(LINGER_MS, end);
  if (input.complete) return end();
  input.on('data', discard).on('end', end).on('close', end);
}
