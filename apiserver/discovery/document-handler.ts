/**
 * What the router needs of discovery and OpenAPI: a request's few relevant parts in, a complete answer out.
 *
 * What it never does: authenticate, authorise, compress, or read a body. Paths that it does not know are the router's to refuse.
 */

export interface DocumentRequest {
  /** Decoded path without query: `/apis/coordination.platform.io/v1`. */
  readonly path: string;
  /** The raw query without `?`; '' when there is none. */
  readonly query: string;
  readonly accept: string | undefined;
  readonly ifNoneMatch: string | undefined;
  /** JSON is to be indented, by the rules that hold for every answer. */
  readonly pretty: boolean;
  /** The client takes a body that is compressed with gzip; who has it so says so in its headers. */
  readonly acceptsGzip?: boolean;
}

export interface DocumentAnswer {
  readonly status: number;
  /** Names in lower case; no content-length. A list is sent as one header line per value. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Empty for 304, 301, 406 and 404 of OpenAPI; the caller leaves it out for HEAD. */
  readonly body: Buffer;
}

export interface Documents {
  /**
   * Undefined for paths of others, and for groups and versions that are not served. Throws StatusError (406) where upstream answers with a Status.
   */
  handle(request: DocumentRequest): DocumentAnswer | Promise<DocumentAnswer> | undefined;
}
