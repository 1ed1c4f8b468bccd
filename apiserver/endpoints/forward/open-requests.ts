/**
 * Counts the open requests to each backend and limits them, so that a backend that responds slowly or never occupies a
 * bounded number of sockets, and other backends stay reachable. Opens no connections itself.
 */
import { tooManyRequests } from '../../../shared/api/errors/status';

/** Maximum numbers of open requests. */
export interface OpenRequestLimits {
  /** To one address and port. */
  readonly perBackend: number;
  readonly total: number;
}

/**
 * A thousand requests to one backend, such as log streams of a kubelet, are unusual; the total bounds memory and
 * sockets.
 */
export const DEFAULT_OPEN_REQUEST_LIMITS: OpenRequestLimits = { perBackend: 1_000, total: 10_000 };
/** `Retry-After` of rejected requests. */
const RETRY_AFTER_SECONDS = 1;

/** The open requests of a server to all backends. */
export class OpenRequests {
  private readonly counts = new Map<string, number>();
  private total = 0;

  constructor(private readonly limits: OpenRequestLimits) {}

  /**
   * Returns a function that releases the request; further calls of it have no effect. Throws 429 when a limit is
   * reached. `host` is an address with its port.
   */
  acquire(host: string): () => void {
    const count = this.counts.get(host) ?? 0;
    if (count >= this.limits.perBackend) throw tooManyRequests(`too many open requests to ${host}`, RETRY_AFTER_SECONDS);
    if (this.total >= this.limits.total) throw tooManyRequests('too many open requests to backends', RETRY_AFTER_SECONDS);
    this.counts.set(host, count + 1);
    this.total += 1;
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.release(host);
    };
  }

  private release(host: string): void {
    this.total -= 1;
    const count = (this.counts.get(host) ?? 0) - 1;
    if (count > 0) this.counts.set(host, count);
    else this.counts.delete(host);
  }
}
