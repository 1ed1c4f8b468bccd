/** A transport that reports the status code and latency of every request, and leaves the request to another transport. */
import type { Clock } from '../../runtime/clock';
import type { Method, Transport, TransportRequest, TransportResponse } from './transport';

/** How a request ended, for metrics. */
export interface RequestOutcome {
  /** Host and port of the server. */
  readonly host: string;
  readonly method: Method;
  /** HTTP status; 0 when no response was received. */
  readonly code: number;
  /** Milliseconds to the response headers. */
  readonly ms: number;
}

/** Called once for each request, when its response headers have arrived or it has failed. */
export type RequestMeter = (outcome: RequestOutcome) => void;

/** Measures the requests that `inner` sends. */
export class MeteredTransport implements Transport {
  constructor(
    private readonly inner: Transport,
    /** {@link RequestOutcome.host}. */
    private readonly host: string,
    private readonly meter: RequestMeter,
    private readonly clock: Clock,
  ) {}

  async send(request: TransportRequest): Promise<TransportResponse> {
    const started = this.clock.monotonic();
    let code = 0;
    try {
      const response = await this.inner.send(request);
      code = response.status;
      return response;
    } finally {
      this.meter({ host: this.host, method: request.method, code, ms: this.clock.monotonic() - started });
    }
  }

  close(): void {
    this.inner.close();
  }
}
