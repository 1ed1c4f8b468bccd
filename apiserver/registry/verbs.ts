/**
 * The interface of the registry to the endpoints: verbs on resources, independent of HTTP. Objects are in canonical
 * spelling, patches in the spelling of the client.
 *
 * The endpoints parse requests into these types and encode the results. All methods reject with StatusError
 * (shared/api/errors/status.ts); any other error is a bug and becomes a 500.
 */
import type { Fence } from '../../shared/api/identity/fencing';
import type { JsonObject } from '../../shared/values/json';
import type { NumberLiterals } from '../../shared/values/number-literals';
import type { KindRow } from '../../shared/api/kinds';
import type { Dialect } from '../../shared/names/dialect';
import type { ObjectKey } from '../../shared/api/identity/identity';
import type { Status, StatusError } from '../../shared/api/errors/status';
import type { UserInfo } from '../../shared/api/identity/user';
import type { MaybePromise } from '../../shared/runtime/maybe-promise';
import type { EventLoopSlot } from '../../shared/scheduling/yielding';
import type { CacheWatch, ChangeSink, Entry, SelectedField, StoredType } from '../cache/cache';
import type { Revision } from '../storage/store';
import type { TraceSpan } from '../tracing/span';

export type { UserInfo };

/** The request that a verb serves. */
export interface RequestContext extends EventLoopSlot {
  readonly user: UserInfo;
  /** Latest time of the response, in ms of Clock.monotonic. */
  readonly deadline: number;
  /** Fencing token of a leader: the write is rejected with 409 when the term is over. */
  readonly fence?: Fence | undefined;
  /** The user may not read the Lease of the fencing token: the write is rejected as if the term were over. */
  readonly isFenceHidden?: boolean;
  /**
   * Returns the 403 if the user may not create the object that an update or apply is about to create. Absent when it
   * is not checked.
   */
  readonly authorizeCreate?: (() => MaybePromise<StatusError | undefined>) | undefined;
  /**
   * To be awaited before long work; returns `undefined` when the work may start at once. Absent outside the request
   * scheduler.
   */
  acquireSlot?(): Promise<unknown> | undefined;
  /** Whether the audit log records the whole request object, not only its name and namespace. */
  readonly auditsRequestObject?: boolean;
  /** Records a patch that was not parsed before, as JSON; `undefined` when it is too long for the audit log. */
  logRequestPatch?(text: string | undefined): void;
  /** Adds an audit annotation, its name in canonical spelling. The first value of a name wins. */
  addAuditAnnotation?(name: string, value: string): void;
  /** Leaves the duration of `wait`, such as that of an admission webhook, out of the request's SLI. Absent without metrics. */
  excludeFromSli?<T>(wait: Promise<T>): Promise<T>;
  /** Measures how long `work` of the store takes. Absent when it is not measured. */
  trackStorageLatency?<T>(work: Promise<T>): Promise<T>;
  /**
   * Called when the request object has been decoded; `object` returns it with defaults in the storage version. Absent
   * when the audit log does not need it.
   */
  readonly logRequestObject?: ((row: KindRow, metadata: JsonObject, object: () => Entry) => void) | undefined;
  /** Span of the handler. Absent when the request is not traced. */
  readonly trace?: TraceSpan | undefined;
  /** Adds a `Warning` header. The endpoints remove duplicates and limit the total length. */
  warn(text: string): void;
}

/** A served resource with stored objects, one per (group, version, resource). */
export interface Resource {
  /** The row of the served version. */
  readonly row: KindRow;
  /** The row of the storage version, which for most kinds is `row`. */
  readonly hub: KindRow;
  readonly stored: StoredType;
}

/** A served resource without stored objects. */
export interface VirtualResource {
  readonly row: KindRow;
  readonly stored: undefined;
}

/** A resource with a path. `stored` distinguishes the two kinds. */
export type ServedResource = Resource | VirtualResource;

/** The objects that labelSelector and fieldSelector select. */
export interface Selection {
  /** False when only namespace and name restrict the selection. */
  readonly hasFilters: boolean;
  /** Set when the field selector requires `metadata.name=x`. */
  readonly name?: string;
  /** Set when the field selector requires `metadata.namespace=x`. */
  readonly namespace?: string;
  /** An indexed field for which the field selector requires a value. */
  readonly indexed?: SelectedField;
  /** Evaluates both selectors, name and namespace included. Pure; called for each candidate. */
  matches(entry: Entry): boolean;
}

/** The values of the parameter `resourceVersionMatch`. */
export type ResourceVersionMatch = 'Exact' | 'NotOlderThan';

/** The parameters of a list. Combinations that upstream refuses have been rejected before. */
export interface ListOptions {
  readonly selection: Selection;
  /** `undefined` when unset; 0 for "0". */
  readonly resourceVersion?: Revision;
  readonly resourceVersionMatch?: ResourceVersionMatch;
  /** Absent, zero or negative: no limit. */
  readonly limit?: number;
  /** The token of the page before, not validated yet. */
  readonly continue?: string;
}

/** One page of a list. `entries` is iterated once, while the response is written. */
export interface ListPage {
  /** The revision of the state that the page shows, on all pages of a list. */
  readonly revision: Revision;
  readonly entries: Iterable<Entry>;
  /** The token of the next page; absent on the last one. */
  readonly continue?: string;
  /** Number of objects on later pages; absent on the last one, and when a selector makes it unknown. */
  readonly remainingItemCount?: number;
}

/** A list as the endpoints encode it; `revision` is undefined for virtual resources. */
export type ResponsePage = Omit<ListPage, 'revision'> & { readonly revision: Revision | undefined };

/** The parameters of a watch. Its duration is up to the endpoints. */
export interface WatchOptions {
  readonly selection: Selection;
  /** `undefined` when unset; 0 for "0". */
  readonly resourceVersion?: Revision;
  /** `undefined` when unset. Has been checked against the WatchList feature gate. */
  readonly sendInitialEvents?: boolean;
  /** The parameter `allowWatchBookmarks`. */
  readonly bookmarks: boolean;
}

/** How unknown and duplicate fields of a body are treated: dropped silently, dropped with warnings, or refused with 400. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** The options of a create, update or patch. */
export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldValidation: FieldValidation;
  /** Manager name for managedFields. */
  readonly fieldManager: string;
  /** The options that the request states explicitly, for admission. */
  readonly statedOptions?: { readonly fieldManager?: string; readonly fieldValidation?: string };
  /** The unquoted value of If-Match: a precondition on resourceVersion. */
  readonly ifMatch?: string;
}

/** `force`: an apply takes over fields that other managers own. */
export type PatchOptions = WriteOptions & { readonly force?: boolean };

/** The encoding of a request body. */
export type BodyFormat = 'json' | 'yaml' | 'protobuf';

/** An unparsed request body. */
export interface RawBody {
  readonly bytes: Buffer;
  readonly format: BodyFormat;
}

/** The body of a POST or PUT. The body of an offloaded write is parsed in the worker thread. */
export type ObjectBody = ParsedBody | { readonly raw: RawBody; readonly value?: undefined };

/** A parsed body: plain JSON, and what strict field validation needs. Not decoded; in the dialect of the client. */
export interface ParsedBody {
  /** The body it was parsed from; absent for objects of the server itself. */
  readonly raw?: RawBody;
  /** The body as parsed, with kind and apiVersion if it has them. */
  readonly value: JsonObject;
  /**
   * Duplicate members: paths for JSON (`spec.type`), whole lines for YAML (`line 5: key "type" already set in map`).
   */
  readonly duplicates: readonly string[];
  readonly format: BodyFormat;
  /** Literals of numbers that the parsed value does not preserve; see NumberLiterals. */
  readonly literals?: NumberLiterals | undefined;
  /** The JSON text if it has duplicates: it determines the order in which errors are reported. */
  readonly text?: string | undefined;
}

/** The media types of patches: RFC 6902, RFC 7386, strategic merge patch, server-side apply. */
export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

/** An unparsed patch or applied configuration. */
export interface PatchBody {
  readonly type: PatchType;
  readonly bytes: Buffer;
  /** The dialect of the group names in the patch. */
  readonly dialect: Dialect;
}

/** The object after a write, in canonical spelling; the endpoints convert it to the dialect of the client. */
export interface WriteResult {
  /**
   * In the storage version; for a kind with a conversion webhook, in the version of the request. In a dry run it is not
   * stored.
   */
  readonly entry: Entry;
  /** Whether the object did not exist before. */
  readonly created: boolean;
}

/** DeleteOptions from body or query. The registry validates them; absent members are unset. */
export interface DeleteOptions {
  readonly dryRun: boolean;
  readonly gracePeriodSeconds?: number;
  /** Deprecated in favour of the policy; both together are refused. */
  readonly orphanDependents?: boolean;
  readonly propagationPolicy?: string;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  /** Admission has already run, for example for an eviction. */
  readonly isAdmitted?: true;
}

/**
 * The response to a DELETE: the object as it is marked or was removed, or a Status for kinds that return one. `code`:
 * the HTTP status.
 */
export type DeleteResult =
  | { readonly type: 'object'; readonly entry: Entry; readonly code: 200 | 202 }
  | { readonly type: 'status'; readonly status: Status; readonly code: 200 };

/** The written part of an object; `undefined` for the main endpoint. */
export type Subresource = 'approval' | 'ephemeralcontainers' | 'finalize' | 'scale' | 'status' | undefined;

/** Reads of stored objects. A read without a resourceVersion sees every write that was committed before it started. */
export interface Reader {
  /**
   * `resourceVersion`: `undefined` for the most recent state, 0 for any, otherwise not older than it. Resolves with the
   * stored entry; that of a kind with a conversion webhook is converted to the version of the resource. Rejects with 404,
   * or with 504 when the state is not available in time.
   */
  get(context: RequestContext, resource: Resource, key: ObjectKey, resourceVersion: Revision | undefined): Promise<Entry>;
  /**
   * Resolves with one page of the objects that the selection matches, in the order of their keys. `namespace`: empty for
   * all namespaces and for cluster-scoped resources. Rejects with 410 when the state is compacted.
   */
  list(context: RequestContext, resource: Resource, namespace: string, options: ListOptions): Promise<ListPage>;
  /** Resolves when the watch has started. Rejects with errors before the stream; later errors reach the sink. */
  watch(context: RequestContext, resource: Resource, namespace: string, options: WatchOptions, sink: ChangeSink): Promise<CacheWatch>;
}

/** Preconditions of an edit; empty and absent values are ignored. */
export interface EditPreconditions {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

/** A status that the server itself has computed. */
export interface ComputedStatus {
  /** Revision of the object from which the status was computed; any other revision is a conflict. */
  readonly revision: Revision;
  readonly status: JsonObject;
}

/**
 * Writes of stored objects, in one transaction for each (a DELETE may need two). A write that conflicts with another is
 * tried again on the new state, unless a precondition fails. In a dry run everything but the transaction happens.
 */
export interface Writer {
  /** Whether the endpoint should leave the body unparsed, because the write is offloaded. */
  defersParsing(resource: Resource, body: RawBody): boolean;
  /** Whether the endpoint should leave the patch unparsed, because the write is offloaded. */
  defersPatchParsing(patch: PatchBody): boolean;
  /** Rejects with 409 when the name exists. The name comes from the body, or is generated from its `generateName`. */
  create(context: RequestContext, resource: Resource, namespace: string, body: ObjectBody, options: WriteOptions): Promise<WriteResult>;
  /**
   * Replaces the part of the object that `subresource` writes. Creates an absent object for kinds that allow it; rejects
   * with 404 otherwise, and with 409 when the resourceVersion in the body is outdated.
   */
  update(
    context: RequestContext,
    resource: Resource,
    key: ObjectKey,
    subresource: Subresource,
    body: ObjectBody,
    options: WriteOptions,
  ): Promise<WriteResult>;
  /** Applies a patch to the stored object, or a configuration by server-side apply, which may create the object. */
  patch(
    context: RequestContext,
    resource: Resource,
    key: ObjectKey,
    subresource: Subresource,
    patch: PatchBody,
    options: PatchOptions,
  ): Promise<WriteResult>;
  /**
   * Changes a stored object for the server itself (a binding, a condition of an eviction), without admission and the
   * rules of its kind. `change` edits the object in place or throws a StatusError; it is called again when another write
   * conflicts.
   */
  edit(
    context: RequestContext,
    resource: Resource,
    key: ObjectKey,
    options: { readonly dryRun: boolean; readonly preconditions?: EditPreconditions },
    change: (object: JsonObject) => void,
  ): Promise<Entry>;
  /** Writes a status that a controller of this server has computed. Rejects with 409 at any other revision of the object. */
  writeComputedStatus(
    context: RequestContext,
    resource: Resource,
    key: ObjectKey,
    computed: ComputedStatus,
    options: WriteOptions,
  ): Promise<void>;
  /**
   * Removes the object, or only marks it as terminating when finalizers or a grace period require it. Rejects with 404,
   * and with 409 when a precondition fails.
   */
  delete(context: RequestContext, resource: Resource, key: ObjectKey, options: DeleteOptions): Promise<DeleteResult>;
  /** Deletes the objects of one list and resolves with that list. Stops at the first failure other than 404. */
  deleteCollection(
    context: RequestContext,
    resource: Resource,
    namespace: string,
    list: ListOptions,
    options: DeleteOptions,
  ): Promise<ListPage>;
}
