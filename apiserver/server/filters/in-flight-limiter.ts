/** How many requests are being worked on, by kind; more than the limits are turned away. 0 = no limit. */
import type { Exchange } from '../../endpoints/request/exchange';

export interface InFlightLimits {
  readonly readOnly: number;
  readonly mutating: number;
}

const READ_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

export class InFlight {
  readOnly = 0;
  mutating = 0;

  constructor(private readonly limits: InFlightLimits) {}

  /** False when there is no room; otherwise the place is given back when the exchange has finished. */
  enter(exchange: Exchange): boolean {
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
