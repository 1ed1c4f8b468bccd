/**
 * Encodes the options of requests: query parameters of selectors, the options of a DELETE, and bodies with their media
 * types. Serializing and sending them is left to request-sender.ts.
 */
import type { JsonObject, JsonValue } from '../../values/json';
import type { DeleteOptions, PatchType, RequestOptions, Selectors } from './request-options';

/** A body before serialization. */
export interface RequestBody {
  /** The Content-Type header. */
  readonly type: string;
  readonly value: JsonValue;
}

/** The Content-Type of each type of patch. */
export const PATCH_MEDIA_TYPES: Readonly<Record<PatchType, string>> = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
};

/** The Content-Type of server-side apply. The body is JSON, which is valid YAML. */
export const APPLY_MEDIA_TYPE = 'application/apply-patch+yaml';

/** The query parameters of selectors; absent ones are omitted. */
export function selectorQuery({ labelSelector, fieldSelector }: Selectors): URLSearchParams {
  const query = new URLSearchParams();
  if (labelSelector !== undefined) query.set('labelSelector', labelSelector);
  if (fieldSelector !== undefined) query.set('fieldSelector', fieldSelector);
  return query;
}

/** The query with its question mark; `''` without parameters. */
export function queryString(query: URLSearchParams): string {
  return query.size === 0 ? '' : `?${query.toString()}`;
}

/** Selects from the options of a verb those that every request has. */
export function requestOptions({ signal, timeoutMs }: RequestOptions): RequestOptions {
  return { ...(signal === undefined ? {} : { signal }), ...(timeoutMs === undefined ? {} : { timeoutMs }) };
}

/** The body of a POST or PUT. */
export function jsonBody(value: JsonValue): RequestBody {
  return { type: 'application/json', value };
}

/** The body of a DELETE. */
export function deleteBody({ gracePeriodSeconds, propagationPolicy, preconditions }: DeleteOptions): JsonObject {
  return {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(preconditions === undefined ? {} : { preconditions: { ...preconditions } }),
  };
}
