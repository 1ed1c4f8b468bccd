/**
 * How requests travel: what a REST client needs of a connection, and no more. One implementation speaks HTTP/2, one HTTP/1.1, one
 * chooses among several servers; tests bring their own. A transport never looks into bodies and never repeats a request that may have
 * arrived.
 */
import { errorMessage } from '../../runtime/error-message';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface TransportRequest {
  readonly method: Method;
  /** Path and query. */
  readonly path: string;
  /** Names in lower case. One with several values is sent in as many lines. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body?: Buffer;
  /** Ends the request, also while its answer's body is read. */
  readonly signal?: AbortSignal;
}

export interface TransportResponse {
  readonly status: number;
  /** `name` in lower case. */
  header(name: string): string | undefined;
  /** Read it once: to the end, or leave the loop early, which ends the request. Throws {@link ConnectionError} when it is cut off. */
  readonly body: AsyncIterable<Buffer>;
}

export interface Transport {
  /** Resolves with the head of the answer. Rejects with {@link ConnectionError}, or with the signal's reason. */
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Ends all connections and what still runs on them. */
  close(): void;
}

/** There is no answer, or not all of it. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';

  constructor(
    message: string,
    /** False = the server has certainly not seen the request. */
    readonly sent: boolean,
    options?: ErrorOptions,
    /** The connection had been used before: the server may have ended it meanwhile. */
    readonly reused = false,
  ) {
    super(message, options);
  }
}

export function connectionError(error: unknown, sent: boolean, reused = false): ConnectionError {
  if (error instanceof ConnectionError) return error;
  return new ConnectionError(errorMessage(error), sent, { cause: error }, reused);
}
