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

/** A served resource, one per (group, version, resource); created by registry/resources.ts. */
export interface Resource {
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

export type ServedResource = Resource | VirtualResource;

/** Objects selected by labelSelector and fieldSelector (registry/read/selection.ts). */
export interface Selection {
  /** False when only namespace and name restrict the selection. */
  readonly hasFilters: boolean;
  /** Set when the field selector requires `metadata.name=x`. */
  readonly name?: string;
  /** Set when the field selector requires `metadata.namespace=x`. */
  readonly namespace?: string;
  /** An indexed field for which the field selector requires a value. */
  readonly indexed?: SelectedField;
  matches(entry: Entry): boolean;
}

export type ResourceVersionMatch = 'Exact' | 'NotOlderThan';

export interface ListOptions {
  readonly selection: Selection;
  /** `undefined` when unset; 0 for "0". */
  readonly resourceVersion?: Revision;
  readonly resourceVersionMatch?: ResourceVersionMatch;
  /** Absent, zero or negative: no limit. */
  readonly limit?: number;
  readonly continue?: string;
}

/** One page of a list. `entries` is iterated once, while the response is written. */
export interface ListPage {
  readonly revision: Revision;
  readonly entries: Iterable<Entry>;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** A list as the endpoints encode it; `revision` is undefined for virtual resources. */
export type ResponsePage = Omit<ListPage, 'revision'> & { readonly revision: Revision | undefined };

export interface WatchOptions {
  readonly selection: Selection;
  readonly resourceVersion?: Revision;
  /** `undefined` when unset. Has been checked against the WatchList feature gate. */
  readonly sendInitialEvents?: boolean;
  readonly bookmarks: boolean;
}

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

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

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

export interface PatchBody {
  readonly type: PatchType;
  readonly bytes: Buffer;
  /** The dialect of the group names in the patch. */
  readonly dialect: Dialect;
}

/** Entries are in canonical spelling; the endpoints convert them to the dialect of the client. */
export interface WriteResult {
  readonly entry: Entry;
  readonly created: boolean;
}

/** DeleteOptions from body or query. The registry validates them. */
export interface DeleteOptions {
  readonly dryRun: boolean;
  readonly gracePeriodSeconds?: number;
  readonly orphanDependents?: boolean;
  readonly propagationPolicy?: string;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  /** Admission has already run, for example for an eviction. */
  readonly isAdmitted?: true;
}

export type DeleteResult =
  | { readonly type: 'object'; readonly entry: Entry; readonly code: 200 | 202 }
  | { readonly type: 'status'; readonly status: Status; readonly code: 200 };

/** The written part of an object; `undefined` for the main endpoint. */
export type Subresource = 'approval' | 'ephemeralcontainers' | 'finalize' | 'scale' | 'status' | undefined;

export interface Reader {
  /** `resourceVersion`: `undefined` for the most recent state, 0 for any, otherwise not older than it. */
  get(context: RequestContext, resource: Resource, key: ObjectKey, resourceVersion: Revision | undefined): Promise<Entry>;
  /** `namespace`: empty for all namespaces and for cluster-scoped resources. */
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

export interface Writer {
  /** Whether the endpoint should leave the body unparsed, because the write is offloaded. */
  defersParsing(resource: Resource, body: RawBody): boolean;
  /** Whether the endpoint should leave the patch unparsed, because the write is offloaded. */
  defersPatchParsing(patch: PatchBody): boolean;
  create(context: RequestContext, resource: Resource, namespace: string, body: ObjectBody, options: WriteOptions): Promise<WriteResult>;
  update(
    context: RequestContext,
    resource: Resource,
    key: ObjectKey,
    subresource: Subresource,
    body: ObjectBody,
    options: WriteOptions,
  ): Promise<WriteResult>;
  patch(
    context: RequestContext,
    resource: Resource,
    key: ObjectKey,
    subresource: Subresource,
    patch: PatchBody,
    options: PatchOptions,
  ): Promise<WriteResult>;
  /** Changes a stored object without the rules of its kind; see registry/write/steps/edit.ts. */
  edit(
    context: RequestContext,
    resource: Resource,
    key: ObjectKey,
    options: { readonly dryRun: boolean; readonly preconditions?: EditPreconditions },
    change: (object: JsonObject) => void,
  ): Promise<Entry>;
  /** See `writeComputedStatus` in registry/write/executor/writer.ts. */
  writeComputedStatus(
    context: RequestContext,
    resource: Resource,
    key: ObjectKey,
    computed: ComputedStatus,
    options: WriteOptions,
  ): Promise<void>;
  delete(context: RequestContext, resource: Resource, key: ObjectKey, options: DeleteOptions): Promise<DeleteResult>;
  deleteCollection(
    context: RequestContext,
    resource: Resource,
    namespace: string,
    list: ListOptions,
    options: DeleteOptions,
  ): Promise<ListPage>;
}
