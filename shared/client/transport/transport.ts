/**
 * The transport interface of REST clients. It is implemented for HTTP/2 and HTTP/1.1, and by transports that choose among
 * others or measure them; tests have their own. A transport does not interpret bodies, and does not retry a request that
 * may have arrived.
 */
import { errorMessage } from '../../runtime/error-message';

/** The methods that API servers accept from clients. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One request; a server receives it at most once. */
export interface TransportRequest {
  readonly method: Method;
  /** Path and query. */
  readonly path: string;
  /** Names in lower case. Several values are sent as several header lines. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body?: Buffer;
  /** Aborts the request, also while the response body is read. */
  readonly signal?: AbortSignal;
}

/** A response with a body that is read as it arrives. */
export interface TransportResponse {
  readonly status: number;
  /** The value of a header, of several header lines joined by `, `; `undefined` when absent. `name` is in lower case. */
  header(name: string): string | undefined;
  /**
   * Iterate once. Leaving the loop early aborts the request. Throws {@link ConnectionError} when the response is
   * truncated.
   */
  readonly body: AsyncIterable<Buffer>;
}

/** Sends requests to one server, or to one of several that serve the same API. */
export interface Transport {
  /** Resolves with the response headers. Rejects with {@link ConnectionError} or the signal's reason. */
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Closes all connections and aborts their requests. */
  close(): void;
}

/** How far a failed request came. */
export interface RequestProgress {
  /** Whether the server may have received the request. */
  readonly wasSent: boolean;
  /** Whether the connection had been used before, so that the server may have closed it meanwhile. False by default. */
  readonly isReused?: boolean;
}

/** No complete response was received. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly wasSent: boolean;
  readonly isReused: boolean;

  constructor(message: string, { wasSent, isReused = false }: RequestProgress, options?: ErrorOptions) {
    super(message, options);
    this.wasSent = wasSent;
    this.isReused = isReused;
  }
}

/** Wraps an error of a connection as the cause of a {@link ConnectionError}; returns a ConnectionError unchanged. */
export function connectionError(error: unknown, progress: RequestProgress): ConnectionError {
  return error instanceof ConnectionError ? error : new ConnectionError(errorMessage(error), progress, { cause: error });
}
