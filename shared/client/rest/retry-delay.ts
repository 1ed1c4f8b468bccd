/**
 * Decides whether and when a failed request is sent again. A request is repeated when the server has not processed it,
 * and a GET also when its response was lost. The caller (request-sender.ts) keeps the deadline and the back-off of the
 * request, and handles 401.
 */
import type { BackOff } from '../back-off';
import { ConnectionError, type Method } from '../transport/transport';
import { ApiError } from './api-error';

/** Upper bound for the delay that Retry-After requests, so that a server cannot stop a client for long. */
const MAX_RETRY_DELAY_MS = 30_000;

/**
 * Milliseconds before the next attempt; `undefined` when the request must not be retried. A rejection is retried when it
 * is 429, or 503 with Retry-After.
 */
export function retryDelay(error: unknown, method: Method, backOff: BackOff): number | undefined {
  if (error instanceof ConnectionError) return !error.wasSent || method === 'GET' ? backOff.next() : undefined;
  if (!(error instanceof ApiError)) return undefined;
  if (error.code !== 429 && (error.code !== 503 || error.retryAfterSeconds === undefined)) return undefined;
  return Math.min(Math.max((error.retryAfterSeconds ?? 0) * 1000, backOff.next()), MAX_RETRY_DELAY_MS);
}
