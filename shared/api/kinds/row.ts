/** The type of a row of the kind table (index.ts), and functions that build rows. */
import type { CustomVersion } from '../structural/version';
import type { GroupVersion, GroupVersionKind } from '../identity/identity';

export type Verb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch';

/** A subresource of a kind. */
export interface SubresourceRow {
  readonly name: string;
  readonly verbs: readonly Verb[];
  /** The kind of the bodies of requests and responses, when it is not that of the resource. */
  readonly kind?: KindRow;
  /** A successful request returns a Status instead of an object of the body's kind. */
  readonly returnsStatus?: true;
  /**
   * The UID and resourceVersion in the body are preconditions on the object. Without this member they are ignored when
   * the body has a kind of its own.
   */
  readonly bodyHasPreconditions?: true;
  /**
   * The subresource connects to the node or endpoint behind the object: at its own path only, or also at any path below
   * it, which is passed on.
   */
  readonly connects?: 'exact-path' | 'with-subpaths';
  /** A GET that finds no object responds with NotFound for the subresource in this group, instead of for the object. */
  readonly notFoundGroup?: string;
}

/**
 * The format of object names. `path-segment` and `whole-path-segment` differ in the prefix of a generated name, which
 * may be `.` or `..` for the former only.
 */
export type NameFormat = 'dns-subdomain' | 'dns-label' | 'dns-1035-label' | 'path-segment' | 'whole-path-segment';

/** A field by which lists and watches can be selected. */
export interface SelectableField {
  /** As in `fieldSelector`: `status.phase`. */
  readonly name: string;
  /** Field path of the value in the stored object: `status.phase`. */
  readonly path: string;
  /** What an absent value or a list counts as, such as `false` for an absent boolean; by default the empty string. */
  readonly absent?: string;
  /** The path that is used when there is no value at `path`. */
  readonly fallback?: string;
  /** The `name` of the same field in the row of the storage version, when it is another one. */
  readonly storedName?: string;
  /**
   * Lists and watches that select one value of this field are indexed by that value: for fields by which many clients
   * partition the objects of a kind. An indexed field has no `absent`.
   */
  readonly indexed?: true;
}

/** A deprecated version, which may be removed in a later release. Releases are written as `1.29`. */
export interface Deprecation {
  readonly since: string;
  /** Absent when no removal is planned. */
  readonly removed?: string;
  readonly replacement?: GroupVersionKind;
}

/**
 * How `metadata.generation` is maintained. Kinds without a rule have no generation.
 * - `fixed`: it is 1.
 * - `counted`: it starts at 1 and increases with every change outside metadata and status;
 * - `counted-from-none`: as `counted`, but unset until the first such change;
 * - `counted-with-labels`, `counted-with-annotations`: as `counted`, and with every change of this metadata field.
 */
export type GenerationRule = 'fixed' | 'counted' | 'counted-from-none' | 'counted-with-labels' | 'counted-with-annotations';

/** A kind in one version, as data. Rows are immutable. */
export interface KindRow {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Name in the type tables. Custom kinds are not in the tables. */
  readonly type: string;
  /** The definition of a custom kind. */
  readonly custom?: CustomVersion;
  readonly resource: string;
  readonly singular: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly namespaced: boolean;
  /** Objects are not stored: the kind is an operation, or its objects are computed. */
  readonly virtual?: true;
  /** A successful create returns a Status instead of an object of the kind. */
  readonly returnsStatus?: true;
  /** Another version of the group that a client may name in the body; it has the same fields. */
  readonly alternativeVersion?: string;
  readonly verbs: readonly Verb[];
  readonly subresources?: readonly SubresourceRow[];
  /** The storage version, when it is another one; shared/api/conversion defines the conversion. */
  readonly storedAs?: GroupVersion;
  readonly deprecation?: Deprecation;
  /** The warning for requests in a custom version that its CustomResourceDefinition marks as deprecated. */
  readonly deprecationWarning?: string;
  /** Key segment in the store, when it is not the resource name. */
  readonly storageSegment?: string;
  readonly nameFormat: NameFormat;
  readonly generation?: GenerationRule;
  /**
   * What an update of the status subresource preserves besides all fields other than metadata and status: the labels,
   * or the whole metadata.
   */
  readonly statusUpdateKeeps?: 'labels' | 'metadata';
  /** PUT and PATCH without resourceVersion are rejected. */
  readonly requiresResourceVersion?: true;
  /** Object names are namespace names, so the system namespaces are accepted in either spelling. */
  readonly nameIsNamespace?: true;
  /** PUT creates a missing object: always, or only when the object in the request has no resourceVersion. */
  readonly allowsCreateOnUpdate?: true | 'without-resource-version';
  /**
   * Top-level fields that the body of a POST or PUT must have, null allowed. Not checked for protobuf, which has no
   * null.
   */
  readonly requiredMembers?: readonly string[];
  /**
   * DELETE responds with the object instead of a Status; with `unpublished`, the OpenAPI document does not declare this.
   */
  readonly returnsDeletedObject?: true | 'unpublished';
  /** A DELETE without propagation policy orphans the dependents. */
  readonly orphansByDefault?: true;
  /** A DELETE leaves the finalizers of the garbage collector (`orphan`, `foregroundDeletion`) as they are. */
  readonly noGarbageCollection?: true;
  /** Finalizers without a domain are accepted. */
  readonly allowsUnqualifiedFinalizers?: true;
  /**
   * Fields of field selectors besides metadata.name and metadata.namespace. Their values are stored beside each object
   * (apiserver/registry/object/stored-object.ts), so that a selector is evaluated without parsing the object.
   */
  readonly selectableFields?: readonly SelectableField[];
  /**
   * The error of an unsupported field selector:
   * - `plain`: `field label not supported: x`;
   * - `with-kind`: `field label "x" not supported for Job`;
   * - `with-version`: `field label not supported for apps/v1, Kind=Job: x`;
   * - absent: a list of the fields that every kind supports.
   */
  readonly fieldLabelErrorForm?: 'plain' | 'with-kind' | 'with-version';
  /** Stored objects expire some time (`--event-ttl`) after their last write. */
  readonly expires?: true;
}

const ALL_VERBS: readonly Verb[] = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/** The subresource of most kinds that writes only `status`. */
export const STATUS: SubresourceRow = { name: 'status', verbs: ['get', 'patch', 'update'] };

/** Selectable fields that have their paths as names. */
export const fieldsNamedByPath = (...names: string[]): readonly SelectableField[] => names.map((name) => ({ name, path: name }));

/** Members of a row that {@link rowFactory} sets. */
type DerivedMembers = 'group' | 'version' | 'kind' | 'type' | 'resource' | 'singular' | 'namespaced' | 'verbs' | 'nameFormat';

/** The other members of a row, and replacements of the default verbs and name format. */
export interface RowOptions extends Omit<KindRow, DerivedMembers>, Partial<Pick<KindRow, 'verbs' | 'nameFormat'>> {
  /** Without it the kind is namespaced. */
  readonly scope?: 'cluster';
}

type RowFactory = (kind: string, resource: string, options?: RowOptions) => KindRow;

/**
 * Returns a function that builds the rows of one group version. `types` is the prefix of its types in the type tables
 * (`core.v1`). By default a kind is namespaced, has all verbs, and its objects are named by DNS subdomains.
 */
export function rowFactory(group: string, version: string, types: string): RowFactory {
  return (kind, resource, { scope, ...options } = {}) => ({
    group,
    version,
    kind,
    type: `${types}.${kind}`,
    resource,
    singular: kind.toLowerCase(),
    namespaced: scope === undefined,
    verbs: ALL_VERBS,
    nameFormat: 'dns-subdomain',
    ...options,
  });
}

/** A kind that is only the body of an operation and has no resource name. */
export function bodyKind(rowOf: RowFactory, kind: string): KindRow {
  return rowOf(kind, '', { verbs: [], virtual: true });
}
