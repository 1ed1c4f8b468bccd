/** How far the server has come on its way up and down, set by start-server.ts and shutdown.ts only, and the answer to requests that a stopping server refuses. */
import { sendText } from '../../endpoints/answer/respond';
import type { Exchange } from '../../endpoints/request/exchange';
import type { StartCheck } from '../../health/start-checks';

export class ServerState {
  /** The steps of the start that are complete, as health checks name them. */
  readonly started = new Set<StartCheck>();
  /** What the server itself needs exists. */
  bootstrapped = false;
  /** /readyz fails from here on. */
  stopping = false;
  /** New requests are turned away. */
  refusing = false;

  constructor(readonly sendRetryAfter: boolean) {}
}

/** Refuses a request because the server stops. */
export function sendStopping(exchange: Exchange, { sendRetryAfter }: Pick<ServerState, 'sendRetryAfter'>): void {
  if (sendRetryAfter) sendText(exchange, 429, 'The apiserver is shutting down, please try again later.\n', { 'Retry-After': '5' });
  else sendText(exchange, 503, 'apiserver is shutting down\n', { 'Retry-After': '1' });
}
