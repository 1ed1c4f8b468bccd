/**
 * The interface of discovery and OpenAPI towards the router: the relevant parts of a request in, a complete response
 * out. Handlers do not authenticate or authorize, and read no body. A handler may return a body that it has compressed
 * already; the router compresses the others and rejects unknown paths.
 */

/** A GET or HEAD of a document. */
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

/** A whole response. Bodies are shared by requests and must not be modified. */
export interface DocumentResponse {
  readonly status: number;
  /** Names in lower case; no content-length. A list is sent as one header line per value. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Empty for 301 and 304, and for the 404 and 406 of OpenAPI. The router omits it for HEAD. */
  readonly body: Buffer;
}

/** Responds to the documents at some paths. */
export interface DocumentHandler {
  /**
   * `undefined` for unknown paths, groups and versions. Throws StatusError (406) where the body of a 406 is a
   * Status; OpenAPI returns an empty 406 instead.
   */
  handle(request: DocumentRequest): DocumentResponse | Promise<DocumentResponse> | undefined;
}
