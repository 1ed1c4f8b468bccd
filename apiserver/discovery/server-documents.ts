/**
 * The documents about the server itself: the index of paths and the version. They are indented for human readers, and not
 * cached. Which paths exist is left to the router.
 */
import { compareBytes, type JsonObject } from '../../shared/values/json';
import { notAcceptable } from '../../shared/api/errors/status';
import { JSON_MEDIA_TYPE } from '../../shared/names/dialect';
import { acceptClauses } from './accept';
import type { DocumentResponse } from './document-handler';
import { versionDocument, type BuildInfo } from './discovery-documents';

/** `paths` in any order. Ignores the Accept header. */
export function indexResponse(paths: readonly string[]): DocumentResponse {
  return indentedResponse({ paths: [...new Set(paths)].sort(compareBytes) });
}

/** Throws a StatusError (406) when the Accept header excludes JSON. */
export function versionResponse(build: BuildInfo, accept: string | undefined): DocumentResponse {
  if (acceptClauses(accept).some(({ encoding }) => encoding.type === 'json')) return indentedResponse(versionDocument(build));
  throw notAcceptable(`406: Not Acceptable\n\nAvailable representations: ${JSON_MEDIA_TYPE}`, {});
}

function indentedResponse(value: JsonObject): DocumentResponse {
  const headers = { 'content-type': JSON_MEDIA_TYPE, 'cache-control': 'no-cache, private' };
  return { status: 200, headers, body: Buffer.from(JSON.stringify(value, undefined, 2)) };
}
