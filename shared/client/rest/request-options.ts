/** The options of requests by verb, and the types of lists and patches. */
import type { JsonObject, JsonPrimitive } from '../../values/json';
import type { ApiObject } from './api-object';

export interface RequestOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

/** Selectors of a list, watch or deletion, as texts. */
export interface Selectors {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

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

export interface DeleteOptions extends RequestOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** Of a write that can also go to a subresource, such as `status`. */
export interface SubresourceOptions extends RequestOptions {
  readonly subresource?: string;
}

export interface ApplyOptions extends SubresourceOptions {
  readonly fieldManager: string;
  /** Whether fields are taken over from other managers; otherwise they are conflicts. True by default. */
  readonly force?: boolean;
}

export interface DeleteCollectionOptions extends DeleteOptions, Selectors {
  readonly limit?: number;
}

export type PatchType = 'merge' | 'json';

/** A JSON merge patch of a type: changed members, and null for removed ones. Lists are replaced as a whole. */
export type MergePatch<T> = T extends JsonPrimitive | readonly unknown[]
  ? T
  : string extends keyof T
    ? Record<string, T[keyof T] | null>
    : { [Member in keyof T]?: MergePatch<Exclude<T[Member], undefined>> | null };
