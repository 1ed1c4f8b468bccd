/**
 * Limits the requests in flight, separately for read-only and mutating requests, and counts them for metrics. Which
 * requests are limited is up to the filter.
 */
import type { Exchange } from '../../endpoints/request/exchange';

/** Maximum numbers of requests in flight; 0: unlimited. */
export interface InFlightLimits {
  readonly readOnly: number;
  readonly mutating: number;
}

const READ_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The requests of a server that are being served. */
export class InFlightLimiter {
  /** Numbers of requests in flight. */
  readOnly = 0;
  mutating = 0;

  constructor(private readonly limits: InFlightLimits) {}

  /** Returns false when the limit is reached. Otherwise the request is counted until its exchange has finished. */
  tryEnter(exchange: Exchange): boolean {
    if (READ_METHODS.has(exchange.method)) {
      if (this.limits.readOnly > 0 && this.readOnly >= this.limits.readOnly) return false;
      this.readOnly += 1;
      exchange.whenFinished(() => (this.readOnly -= 1));
    } else {
      if (this.limits.mutating > 0 && this.mutating >= this.limits.mutating) return false;
      this.mutating += 1;
      exchange.whenFinished(() => (this.mutating -= 1));
    }
    return true;
  }
}
