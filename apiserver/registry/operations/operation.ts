/**
 * Operations: what a client asks for by creating an object that is never stored – a binding, an eviction, a token, a review. Endpoints parse the
 * body, operations.ts decodes and checks it, and the operation's function does what it says. Free of HTTP, like registry/verbs.ts.
 */
import type { ObjectKey } from '../../../shared/api/identity/identity';
import type { JsonObject } from '../../../shared/values/json';
import type { KindRow, SubresourceRow } from '../../../shared/api/kinds';
import type { Entry } from '../../cache/cache';
import type { ParsedBody, RequestContext, ServedResource, WriteOptions } from '../verbs';

/** An operation that has come as far as its own rules. */
export interface OperationRequest {
  readonly context: RequestContext;
  /** The virtual resource, or the one below which the operation is. */
  readonly resource: ServedResource;
  /** `name` is the path's: '' where the operation is a virtual resource. A namespace is '' for cluster-scoped ones. */
  readonly key: ObjectKey;
  /** The body, decoded, canonical, with defaults and managedFields, its namespace that of the path. The function may change it and answer with it. */
  readonly object: JsonObject;
  readonly options: WriteOptions;
}

/** Resolves with what is answered: an object of the body's kind; of no account where the row says `returnsStatus`. Rejects with StatusError. */
export type OperationHandler = (request: OperationRequest) => Promise<JsonObject>;

/** By path: `bindings`, `tokenreviews.authentication.platform.io`, `pods/eviction`, `serviceaccounts/token`. */
export type OperationTable = Readonly<Record<string, OperationHandler>>;

/** A row of the kind table that stands for an operation, and the subresource when it is one. */
export interface OperationPlace {
  readonly resource: ServedResource;
  readonly subresource: SubresourceRow | undefined;
}

export interface Operations {
  /** Whether somebody may be connected who asks with these options, of {@link bodyRow}'s kind. Rejects with StatusError. */
  admitConnection(context: RequestContext, place: OperationPlace, key: ObjectKey, options: JsonObject): Promise<void>;
  /** The answer as an entry of {@link bodyRow}'s kind. */
  run(context: RequestContext, place: OperationPlace, key: ObjectKey, body: ParsedBody, options: WriteOptions): Promise<Entry>;
}

/** The kind of an operation's body. */
export function bodyRow({ resource, subresource }: OperationPlace): KindRow {
  return subresource?.kind ?? resource.row;
}
