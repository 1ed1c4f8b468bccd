/**
 * What the router needs of OpenAPI. It fits what the router needs of every document (apiserver/discovery/document-handler.ts), of which it uses less.
 */

export interface OpenApiRequest {
  /** Decoded, without query. */
  readonly path: string;
  /** The raw query without `?`. */
  readonly query: string;
  readonly accept: string | undefined;
  readonly ifNoneMatch: string | undefined;
  /** The client takes a body that is compressed with gzip. */
  readonly acceptsGzip?: boolean;
}

export interface OpenApiAnswer {
  readonly status: number;
  /** Names in lower case; a list is one header line per value. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer;
}

export interface OpenApiDocuments {
  /** Answers `/openapi/v2`, `/openapi/v3` and what is below that; undefined for every other path. Any method is as good as GET. */
  handle(request: OpenApiRequest): Promise<OpenApiAnswer> | undefined;
}
