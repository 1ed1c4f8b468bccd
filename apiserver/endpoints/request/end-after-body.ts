/**
 * The end of an answer over HTTP/1.1 to a client that may still be sending its body. A connection that is closed while bytes come is reset, and many a client then sees a
 * broken connection in the place of its answer. Keeps nothing of what comes.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../../shared/runtime/clock';

/** As long as upstream's server. */
export const LINGER_MS = 500;
/** What is sent beyond these is not read any more. */
const MOST_BYTES = 8 * 1024 * 1024;

/** Ends the reply, all of which has been written, when the body is over, or some time later: what comes until then is thrown away. */
export function endAfterBody(output: ServerResponse, input: IncomingMessage, clock: Clock): void {
  let left = MOST_BYTES;
  const drop = (chunk: Buffer): void => {
    left -= chunk.length;
    if (left < 0) input.pause();
  };
  const end = (): void => {
    timer.cancel();
    input.off('data', drop).off('end', end).off('close', end);
    output.end();
  };
  const timer = clock.after(LINGER_MS, end);
  if (input.complete) return end();
  input.on('data', drop).on('end', end).on('close', end);
}
