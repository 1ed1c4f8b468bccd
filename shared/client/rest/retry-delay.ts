/**
 * Decides whether and when a failed request is sent again: when the server cannot have processed it, and a read also
 * when its response was lost. The caller keeps the deadline and the back-off of the request.
 */
import type { BackOff } from '../back-off';
import { ConnectionError, type Method } from '../transport/transport';
import { ApiError } from './api-error';

/** Upper bound for the delay that Retry-After requests, so that a server cannot stop a client for long. */
const MAX_RETRY_DELAY_MS = 30_000;

/** Milliseconds before the next attempt; undefined when the request must not be retried. */
export function retryDelay(error: unknown, method: Method, backOff: BackOff): number | undefined {
  if (error instanceof ConnectionError) return !error.wasSent || method === 'GET' ? backOff.next() : undefined;
  if (!(error instanceof ApiError)) return undefined;
  if (error.code !== 429 && (error.code !== 503 || error.retryAfterSeconds === undefined)) return undefined;
  return Math.min(Math.max((error.retryAfterSeconds ?? 0) * 1000, backOff.next()), MAX_RETRY_DELAY_MS);
}
