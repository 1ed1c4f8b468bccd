/**
 * The stages of startup and shutdown, set by start-server.ts, shutdown.ts and (when startup fails) listening.ts only, and
 * the response to requests that are rejected during shutdown.
 */
import { sendText } from '../../endpoints/response/send-response';
import type { Exchange } from '../../endpoints/request/exchange';
import type { StartCheck } from '../../health/start-checks';

/** The stage of one server. A flag that is set is never reset. */
export class ServerState {
  /** The completed startup checks, by their names in health checks. */
  readonly started = new Set<StartCheck>();
  /** The objects that the server itself needs exist. */
  isBootstrapped = false;
  /** /readyz fails. */
  isStopping = false;
  /** New requests are rejected. */
  isRefusingRequests = false;

  /** Whether rejected requests are to be repeated: 429 instead of 503. */
  readonly sendRetryAfter: boolean;

  constructor({ sendRetryAfter }: { readonly sendRetryAfter: boolean }) {
    this.sendRetryAfter = sendRetryAfter;
  }
}

/** Rejects a request because the server shuts down. */
export function sendShuttingDown(exchange: Exchange, { sendRetryAfter }: Pick<ServerState, 'sendRetryAfter'>): void {
  if (sendRetryAfter) sendText(exchange, 429, 'The apiserver is shutting down, please try again later.\n', { 'Retry-After': '5' });
  else sendText(exchange, 503, 'apiserver is shutting down\n', { 'Retry-After': '1' });
}
