/** The options of requests by verb, and the types of lists and patches. */
import type { JsonObject, JsonPrimitive } from '../../values/json';
import type { ApiObject } from './api-object';

/** Options of every request. */
export interface RequestOptions {
  /** Aborts the request and its retries; they then reject. */
  readonly signal?: AbortSignal;
  /** Time limit of the request with its retries; by default that of the client. Milliseconds. */
  readonly timeoutMs?: number;
}

/** Selectors of a list, watch or deletion, as texts. */
export interface Selectors {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** Options of a list. */
export interface ListOptions extends Selectors, RequestOptions {
  /** Maximum number of objects in the page; by default all objects are in one page. */
  readonly limit?: number;
  /** The token of the previous page; absent for the first page. */
  readonly continue?: string;
  /** Whether to accept protobuf, which servers send for kinds that have an encoding. */
  readonly protobuf?: boolean;
}

/** One page of a collection. */
export interface ObjectList<Body extends JsonObject = JsonObject> {
  readonly resourceVersion: string;
  /** The token of the next page; `undefined` on the last page. */
  readonly continue: string | undefined;
  readonly items: readonly ApiObject<Body>[];
  /** Length of the response body on the wire. */
  readonly bytes: number;
}

/** Options of a watch. */
export interface WatchOptions extends Selectors {
  /**
   * A resource version, after which events are sent, or `present` for a streaming list: an event for each existing object,
   * then a bookmark, then changes.
   */
  readonly from: { readonly resourceVersion: string } | 'present';
  /** The server ends the watch after this time. */
  readonly timeoutSeconds: number;
  readonly signal?: AbortSignal;
  /** Whether to accept protobuf, which servers send for kinds that have an encoding. */
  readonly protobuf?: boolean;
}

/** Options of a deletion. Preconditions that do not hold are refused with 409. */
export interface DeleteOptions extends RequestOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** Options of a write that can also go to a subresource, such as `status`. */
export interface SubresourceOptions extends RequestOptions {
  readonly subresource?: string;
}

/** Options of server-side apply. */
export interface ApplyOptions extends SubresourceOptions {
  readonly fieldManager: string;
  /** Whether to take conflicting fields from their managers; without it they are a conflict. True by default. */
  readonly force?: boolean;
}

/** Options of the deletion of all selected objects. */
export interface DeleteCollectionOptions extends DeleteOptions, Selectors {
  /** Maximum number of objects to delete; all by default. */
  readonly limit?: number;
}

/** A JSON merge patch (RFC 7386) or a JSON patch (RFC 6902). */
export type PatchType = 'merge' | 'json';

/** A JSON merge patch of a type: changed members, and null for removed ones. Lists are replaced as a whole. */
export type MergePatch<T> = T extends JsonPrimitive | readonly unknown[]
  ? T
  : string extends keyof T
    ? Record<string, T[keyof T] | null>
    : { [Member in keyof T]?: MergePatch<Exclude<T[Member], undefined>> | null };
