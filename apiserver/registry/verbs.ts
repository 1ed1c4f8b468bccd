/**
 * What the registry offers to the endpoints: verbs on resources, in canonical spelling but for patches, free of HTTP.
 *
 * Endpoints parse the request into these types and encode what comes back; the registry decides everything in between.
 * All methods reject with StatusError (shared/api/errors/status.ts); anything else is a fault of ours and becomes a 500.
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

/** What every verb knows about its request. */
export interface RequestContext extends EventLoopSlot {
  readonly user: UserInfo;
  /** When the request must have been answered, in ms of Clock.monotonic. */
  readonly deadline: number;
  /** The term of leadership on which a write rests: it is refused with 409 when the term is over. */
  readonly fence?: Fence | undefined;
  /** Set when the user may not read the Lease of the fence: the write is refused as if the term were over. */
  readonly isFenceHidden?: boolean;
  /** What a user is told who may not create the object that an update or apply is about to create; absent = nobody asks. */
  readonly creationRefusal?: (() => MaybePromise<StatusError | undefined>) | undefined;
  /** To be called before a lot of work: `undefined` when it may start at once. Absent where no other request runs. */
  acquireSlot?(): Promise<unknown> | undefined;
  /** Whether all that was sent is to be recorded, and not only what it says of its place. */
  readonly keepsSent?: boolean;
  /** Told a patch that was left unread, as JSON; undefined = it is too long to be recorded. */
  sentPatch?(text: string | undefined): void;
  /** Adds an annotation to what is recorded of the request, its name in canonical spelling. What was said first stands. */
  annotate?(name: string, value: string): void;
  /** Takes note of how long `work` of the store is waited for. Absent = nobody does. */
  timed?<T>(work: Promise<T>): Promise<T>;
  /** What was sent has been decoded; `object` makes it as one that could be stored, with its defaults. Absent = nobody records it. */
  readonly sent?: ((row: KindRow, metadata: JsonObject, object: () => Entry) => void) | undefined;
  /** What its handler does, in its trace. Absent = it is in none that is kept. */
  readonly trace?: TraceSpan | undefined;
  /** Adds a `Warning` header. Texts are de-duplicated and bounded by the endpoint layer. */
  warn(text: string): void;
}

/** A served resource: its row and where it is stored. One per (group, version, resource); made by registry/resources.ts. */
export interface Resource {
  readonly row: KindRow;
  /** The row of the version that its objects are stored in: `row` itself, but for a few. */
  readonly hub: KindRow;
  readonly stored: StoredType;
}

/** A served resource of which nothing is stored. */
export interface VirtualResource {
  readonly row: KindRow;
  readonly stored: undefined;
}

/** Whatever a path can name. */
export type ServedResource = Resource | VirtualResource;

/** Decides whether an object is in a selection; built from labelSelector and fieldSelector (registry/read/selection.ts). */
export interface Selection {
  /** False when nothing but the place (namespace, name) restricts the selection. */
  readonly filters: boolean;
  /** Set when the field selector pins `metadata.name=x`. */
  readonly name?: string;
  /** Set when the field selector pins `metadata.namespace=x`. */
  readonly namespace?: string;
  /** A stored field with the value that the field selector pins, where the kind has it indexed. */
  readonly indexed?: SelectedField;
  matches(entry: Entry): boolean;
}

export type VersionMatch = 'Exact' | 'NotOlderThan';

export interface ListOptions {
  readonly selection: Selection;
  /** undefined = unset; 0 = "0". */
  readonly resourceVersion?: Revision;
  readonly resourceVersionMatch?: VersionMatch;
  /** Absent, zero or negative = all. */
  readonly limit?: number;
  readonly continue?: string;
}

/** One page. `entries` is walked once, lazily, while it is being written. */
export interface ListPage {
  readonly revision: Revision;
  readonly entries: Iterable<Entry>;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** What is sent as a list; `revision` undefined = of what is not stored. */
export type ShownPage = Omit<ListPage, 'revision'> & { readonly revision: Revision | undefined };

export interface WatchOptions {
  readonly selection: Selection;
  readonly resourceVersion?: Revision;
  /** undefined = the parameter was absent. Already checked against the WatchList gate. */
  readonly sendInitialEvents?: boolean;
  readonly bookmarks: boolean;
}

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldValidation: FieldValidation;
  /** The name that managed fields are recorded under. */
  readonly fieldManager: string;
  /** What of them the request itself has said. */
  readonly given?: { readonly fieldManager?: string; readonly fieldValidation?: string };
  /** The value of If-Match, unquoted: a precondition on resourceVersion. */
  readonly ifMatch?: string;
}

export type BodyFormat = 'json' | 'yaml' | 'protobuf';

/** A body as it was sent. */
export interface SentBody {
  readonly bytes: Buffer;
  readonly format: BodyFormat;
}

/** The body of a POST or PUT. What is offloaded is parsed in the worker thread. */
export type ObjectBody = ParsedBody | { readonly sent: SentBody; readonly value?: undefined };

/** A body as parsed: plain JSON plus what strict decoding found on the way. Dialect not yet converted. */
export interface ParsedBody {
  /** What it was parsed from; absent where nobody has sent it. */
  readonly sent?: SentBody;
  readonly value: JsonObject;
  /** Duplicate members: paths for JSON (`spec.type`), whole lines for YAML (`line 5: key "type" already set in map`). */
  readonly duplicates: readonly string[];
  readonly format: BodyFormat;
  /** Spellings of numbers that their values do not show; see NumberLiterals. */
  readonly literals?: NumberLiterals;
  /** The JSON text where it has duplicates: tells in which order they and unknown members are named. */
  readonly text?: string;
}

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

export interface PatchBody {
  readonly type: PatchType;
  readonly bytes: Buffer;
  /** In which it spells the names of groups, and is shown them. */
  readonly dialect: Dialect;
}

/** The dialect's names appear only at the edges, so an entry is enough to answer with. */
export interface WriteResult {
  readonly entry: Entry;
  readonly created: boolean;
}

/** As in DeleteOptions, from the body or the query; validated by the registry. */
export interface DeleteOptions {
  readonly dryRun: boolean;
  readonly gracePeriodSeconds?: number;
  readonly orphanDependents?: boolean;
  readonly propagationPolicy?: string;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  /** What leads to the deletion has been admitted. */
  readonly isAdmitted?: true;
}

export type DeleteResult =
  | { readonly type: 'object'; readonly entry: Entry; readonly code: 200 | 202 }
  | { readonly type: 'status'; readonly status: Status; readonly code: 200 };

/** What is written besides the object itself. */
export type Subresource = 'approval' | 'ephemeralcontainers' | 'finalize' | 'scale' | 'status' | undefined;

export interface Reader {
  /** `resourceVersion`: undefined = most recent, 0 = any, else not older than. */
  get(context: RequestContext, resource: Resource, key: ObjectKey, resourceVersion: Revision | undefined): Promise<Entry>;
  /** `namespace` '' = all namespaces, or a cluster-scoped resource. */
  list(context: RequestContext, resource: Resource, namespace: string, options: ListOptions): Promise<ListPage>;
  /** Resolves once the watch has begun; errors before the stream are rejected, later ones reach the sink. */
  watch(context: RequestContext, resource: Resource, namespace: string, options: WatchOptions, sink: ChangeSink): Promise<CacheWatch>;
}

/** What must hold of the stored object for an edit; '' and absent count as nothing. */
export interface EditPreconditions {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

/** A status that the server itself has worked out. */
export interface OwnStatus {
  /** Of the state that it was worked out for; in another one it is refused as a conflict. */
  readonly revision: Revision;
  readonly status: JsonObject;
}

export interface Writer {
  /** Whether a body is to be left unparsed, because the write is offloaded. */
  defers(resource: Resource, body: SentBody): boolean;
  /** Whether a patch is. */
  defersPatch(patch: PatchBody): boolean;
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
    options: WriteOptions & { readonly force?: boolean },
  ): Promise<WriteResult>;
  /** Changes a stored object past the rules of its kind: see registry/write/steps/edit.ts. */
  edit(
    context: RequestContext,
    resource: Resource,
    key: ObjectKey,
    options: { readonly dryRun: boolean; readonly preconditions?: EditPreconditions },
    change: (object: JsonObject) => void,
  ): Promise<Entry>;
  /** See `writeOwnStatus` in registry/write/executor/writes.ts. */
  ownStatus(context: RequestContext, resource: Resource, key: ObjectKey, own: OwnStatus, options: WriteOptions): Promise<void>;
  delete(context: RequestContext, resource: Resource, key: ObjectKey, options: DeleteOptions): Promise<DeleteResult>;
  deleteCollection(
    context: RequestContext,
    resource: Resource,
    namespace: string,
    list: ListOptions,
    options: DeleteOptions,
  ): Promise<ListPage>;
}
