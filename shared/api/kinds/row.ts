/** The type of a row of the kind table, and functions that build rows. */
import type { CustomVersion } from '../structural/version';
import type { GroupVersion, GroupVersionKind } from '../identity/identity';

export type Verb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch';

/** A subresource of a kind. */
export interface SubresourceRow {
  readonly name: string;
  readonly verbs: readonly Verb[];
  /** The kind of its body, when it is not the resource's own. */
  readonly kind?: KindRow;
  /** A successful request returns a Status instead of an object of the body's kind. */
  readonly returnsStatus?: true;
  /** The UID and resourceVersion of the body are preconditions on the object; other subresources ignore them. */
  readonly bodyHasPreconditions?: true;
  /**
   * The subresource connects to the node or endpoint behind the object: at its own path only, or also at any path below
   * it, which is passed on.
   */
  readonly connects?: 'exact-path' | 'with-subpaths';
  /** A GET that finds no object responds with NotFound for the subresource in this group, instead of for the object. */
  readonly notFoundGroup?: string;
}

/** The format of object names. The prefix of a generated name may be `.` or `..`, except for `whole-path-segment`. */
export type NameFormat = 'dns-subdomain' | 'dns-label' | 'dns-1035-label' | 'path-segment' | 'whole-path-segment';

/** A field by which lists and watches can be selected. */
export interface SelectableField {
  /** As in `fieldSelector`: `status.phase`. */
  readonly name: string;
  /**
   * Field path of the value, with dots. A list or an absent value counts as the empty string, unless `absent` is set.
   */
  readonly path: string;
  readonly absent?: string;
  /** The path that is used when there is no value at `path`. */
  readonly fallback?: string;
  /** The name of the field in the storage version, when it differs. */
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
 * How `metadata.generation` is maintained; it is not set for kinds without a rule. It starts at 1 and is then constant
 * (`fixed`), or increases with every change outside metadata and status (`counted`), for some kinds also with changes of
 * one metadata field. With `counted-from-none` it is unset until the first such change.
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
  /** See SubresourceRow. */
  readonly returnsStatus?: true;
  /** A version with the same schema that clients may send instead. */
  readonly alternativeVersion?: string;
  readonly verbs: readonly Verb[];
  readonly subresources?: readonly SubresourceRow[];
  /** The storage version, when it is another one; shared/api/conversion defines the conversion. */
  readonly storedAs?: GroupVersion;
  readonly deprecation?: Deprecation;
  /** The warning for requests in a custom version that its definition marks as deprecated. */
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
  /** The garbage collector's finalizers are never added. */
  readonly noGarbageCollection?: true;
  /** Finalizers without a domain are accepted. */
  readonly allowsUnqualifiedFinalizers?: true;
  /**
   * Fields of field selectors besides metadata.name and metadata.namespace. Their values are in the header of the
   * stored object.
   */
  readonly selectableFields?: readonly SelectableField[];
  /**
   * Error form of an unsupported field selector: `field label not supported: x`, or with the kind, or with version and
   * kind.
   */
  readonly fieldLabelErrorForm?: 'plain' | 'with-kind' | 'with-version';
  /** Stored objects expire some time (`--event-ttl`) after their last write. */
  readonly expires?: true;
}

const ALL_VERBS: readonly Verb[] = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/** The subresource of most kinds that writes only `status`. */
export const STATUS: SubresourceRow = { name: 'status', verbs: ['get', 'patch', 'update'] };

/** Selectable fields that are named by their paths. */
export const fieldsNamedByPath = (...names: string[]): readonly SelectableField[] => names.map((name) => ({ name, path: name }));

/** Members that are derived from the kind's name and group in most rows. */
type DerivedMembers = 'group' | 'version' | 'kind' | 'type' | 'resource' | 'singular' | 'namespaced' | 'verbs' | 'nameFormat';

/** Members of a row besides its names. */
export interface RowOptions extends Omit<KindRow, DerivedMembers>, Partial<Pick<KindRow, 'verbs' | 'nameFormat'>> {
  readonly scope?: 'cluster';
}

type RowFactory = (kind: string, resource: string, options?: RowOptions) => KindRow;

/**
 * Returns a function that builds the rows of one group version. `types` is the prefix of its types in the type tables
 * (`core.v1`). Kinds are namespaced unless `scope` is `cluster`.
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
