/**
 * The interface between the router and the OpenAPI documents. Requests and responses of other documents
 * (apiserver/discovery/document-handler.ts) have all members of these, so the router treats both alike.
 */

/** A request for a document, without its method. */
export interface OpenApiRequest {
  /** Decoded path without query. */
  readonly path: string;
  /** The raw query without `?`. */
  readonly query: string;
  readonly accept: string | undefined;
  readonly ifNoneMatch: string | undefined;
  /** Whether the client accepts a gzip-encoded body. */
  readonly acceptsGzip?: boolean;
}

/** A whole response; headers that all responses have are added by the router. */
export interface OpenApiResponse {
  readonly status: number;
  /** Names in lower case; a list is one header line per value. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer;
}

/** The OpenAPI documents of a server. */
export interface OpenApiDocuments {
  /** Responds to `/openapi/v2`, `/openapi/v3` and paths below the latter; `undefined` for any other path. */
  handle(request: OpenApiRequest): Promise<OpenApiResponse> | undefined;
}
