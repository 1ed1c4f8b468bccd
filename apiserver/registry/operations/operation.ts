/**
 * Operations: POST requests with a body that is not stored, such as bindings, evictions, tokens and reviews. The
 * endpoints parse the body, operations.ts decodes and admits it, and a handler per operation performs it. Independent
 * of HTTP, like registry/verbs.ts.
 */
import type { ObjectKey } from '../../../shared/api/identity/identity';
import type { JsonObject } from '../../../shared/values/json';
import type { KindRow, SubresourceRow } from '../../../shared/api/kinds';
import type { Entry } from '../../cache/cache';
import type { ParsedBody, RequestContext, ServedResource, WriteOptions } from '../verbs';

/** A decoded and admitted request. */
export interface OperationRequest {
  readonly context: RequestContext;
  /** The virtual resource, or the parent of the subresource. */
  readonly resource: ServedResource;
  /** From the path: `name` is empty for virtual resources, `namespace` for cluster-scoped ones. */
  readonly key: ObjectKey;
  /**
   * The body: decoded, canonical, with defaults, managedFields and the namespace of the path. The handler may change
   * it and return it.
   */
  readonly object: JsonObject;
  readonly options: WriteOptions;
}

/**
 * Resolves with the response object, of the body's kind; it is ignored when the row has `returnsStatus`. Rejects with
 * StatusError.
 */
export type OperationHandler = (request: OperationRequest) => Promise<JsonObject>;

/** Keys are paths: `bindings`, `tokenreviews.authentication.platform.io`, `pods/eviction`, `serviceaccounts/token`. */
export type OperationTable = Readonly<Record<string, OperationHandler>>;

/** The resource of an operation, and its subresource if it is one. */
export interface OperationTarget {
  readonly resource: ServedResource;
  readonly subresource: SubresourceRow | undefined;
}

/** The operations of a server, for the endpoints. */
export interface Operations {
  /** Runs admission for CONNECT with these options, an object of {@link bodyRowOf}'s kind. Rejects with StatusError. */
  admitConnection(context: RequestContext, target: OperationTarget, key: ObjectKey, options: JsonObject): Promise<void>;
  /** Resolves with the response as an entry of {@link bodyRowOf}'s kind. */
  run(context: RequestContext, target: OperationTarget, key: ObjectKey, body: ParsedBody, options: WriteOptions): Promise<Entry>;
}

/** The kind of the operation's body. */
export function bodyRowOf({ resource, subresource }: OperationTarget): KindRow {
  return subresource?.kind ?? resource.row;
}
