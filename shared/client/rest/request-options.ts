/** The options of requests by verb, and the types of lists and patches. */
import type { JsonObject, JsonPrimitive } from '../../values/json';
import type { ApiObject } from './api-object';

/** Options of every request. */
export interface RequestOptions {
  /** Aborts the request and its retries; they then reject. */
  readonly signal?: AbortSignal;
  /** Time limit of the request with its retries; by default that of the client. */
  readonly timeoutMs?: number;
}

/** Selectors of a list, watch or deletion, as texts. */
export interface Selectors {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/**
 * Options of a list. `limit`: objects of a page, without a limit by default. `continue`: the token of the previous
 * page.
 */
export interface ListOptions extends Selectors, RequestOptions {
  readonly limit?: number;
  readonly continue?: string;
  /** Request protobuf if the kind has an encoding. */
  readonly protobuf?: boolean;
}

/** One page of a collection. */
export interface ObjectList<Body extends JsonObject = JsonObject> {
  readonly resourceVersion: string;
  /** Set when further pages exist. */
  readonly continue: string | undefined;
  readonly items: readonly ApiObject<Body>[];
  /** Length of the response body. */
  readonly bytes: number;
}

/** Options of a watch. */
export interface WatchOptions extends Selectors {
  /**
   * Watch events after this version, or `present`: a streaming list, which sends an event for each existing object and
   * a bookmark, and then changes.
   */
  readonly from: { readonly resourceVersion: string } | 'present';
  /** The server ends the watch after this time. */
  readonly timeoutSeconds: number;
  readonly signal?: AbortSignal;
  /** Request protobuf if the kind has an encoding. */
  readonly protobuf?: boolean;
}

/** Options of a deletion. Preconditions that do not hold are refused with 409. */
export interface DeleteOptions extends RequestOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** Of a write that can also go to a subresource, such as `status`. */
export interface SubresourceOptions extends RequestOptions {
  readonly subresource?: string;
}

/** Options of server-side apply. */
export interface ApplyOptions extends SubresourceOptions {
  readonly fieldManager: string;
  /** Whether fields are taken over from other managers; otherwise they are conflicts. True by default. */
  readonly force?: boolean;
}

/** Options of the deletion of all selected objects. */
export interface DeleteCollectionOptions extends DeleteOptions, Selectors {
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
