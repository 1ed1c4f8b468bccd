/** What the server says of itself outside of its groups: which paths there are, and which release it is. For people, so indented. */
import { compareBytes, type JsonObject } from '../../shared/values/json';
import { notAcceptable } from '../../shared/api/errors/status';
import { JSON_MEDIA_TYPE } from '../../shared/names/dialect';
import { acceptClauses } from './accept';
import type { DocumentAnswer } from './document-handler';
import { versionDocument, type BuildInfo } from './discovery-documents';

/** `paths` in any order. Whatever is accepted, it is answered. */
export function indexDocument(paths: readonly string[]): DocumentAnswer {
  return indented({ paths: [...new Set(paths)].sort(compareBytes) });
}

/** Throws 406. */
export function versionAnswer(build: BuildInfo, accept: string | undefined): DocumentAnswer {
  if (acceptClauses(accept).some(({ encoding }) => encoding.type === 'json')) return indented(versionDocument(build));
  throw notAcceptable(`406: Not Acceptable\n\nAvailable representations: ${JSON_MEDIA_TYPE}`, {});
}

function indented(value: JsonObject): DocumentAnswer {
  const headers = { 'content-type': JSON_MEDIA_TYPE, 'cache-control': 'no-cache, private' };
  return { status: 200, headers, body: Buffer.from(JSON.stringify(value, undefined, 2)) };
}
