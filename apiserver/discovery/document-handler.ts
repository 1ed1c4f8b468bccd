/**
 * The interface of discovery and OpenAPI towards the router: the relevant parts of a request in, a complete response
 * out. Handlers neither authenticate, authorize nor compress, and read no body. The router rejects unknown paths.
 */

export interface DocumentRequest {
  /** Decoded path without query: `/apis/coordination.platform.io/v1`. */
  readonly path: string;
  /** The raw query without `?`; '' when there is none. */
  readonly query: string;
  readonly accept: string | undefined;
  readonly ifNoneMatch: string | undefined;
  /** JSON is indented, by the rules for all responses. */
  readonly pretty: boolean;
  /** Whether the client accepts a body compressed with gzip, which the headers of the response then declare. */
  readonly acceptsGzip?: boolean;
}

export interface DocumentResponse {
  readonly status: number;
  /** Names in lower case; no content-length. A list is sent as one header line per value. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Empty for 304, 301, 406 and 404 of OpenAPI; the caller omits it for HEAD. */
  readonly body: Buffer;
}

export interface DocumentHandler {
  /**
   * `undefined` for unknown paths, groups and versions. Throws StatusError (406) when upstream responds with a Status.
   */
  handle(request: DocumentRequest): DocumentResponse | Promise<DocumentResponse> | undefined;
}
