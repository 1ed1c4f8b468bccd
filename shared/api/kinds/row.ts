/** What a row of the kind table says, and the short forms in which rows are written. Holds no row itself. */
import type { CustomVersion } from '../structural/version';
import type { GroupVersion, GroupVersionKind } from '../identity/identity';

export type Verb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch';

export interface SubresourceRow {
  readonly name: string;
  readonly verbs: readonly Verb[];
  /** The kind of its body when it is not the resource's own. */
  readonly kind?: KindRow;
  /** Success is told with a Status, not with an object of the body's kind. */
  readonly answersStatus?: true;
  /** uid and resourceVersion of the body are conditions on the object; elsewhere they do not count. */
  readonly bodyIsCondition?: true;
  /** It leads to a machine behind the object; `below` = also with a path of that machine's own. */
  readonly connects?: 'here' | 'below';
  /** A GET that finds nothing says so of the subresource, in this group, and not of the object. */
  readonly missedIn?: string;
}

/** How an object's name is checked. What stands before generated names may be `.` and `..`, but for whole segments. */
export type NameFormat = 'dns-subdomain' | 'dns-label' | 'dns-1035-label' | 'path-segment' | 'whole-path-segment';

export interface SelectableField {
  /** As in `fieldSelector`: `status.phase`. */
  readonly name: string;
  /** Where the value is found, in dots; a list or absent value counts as the empty string unless `absent` says otherwise. */
  readonly path: string;
  readonly absent?: string;
  /** Where it is looked for when there is nothing at `path`. */
  readonly fallback?: string;
  /** What the version that objects are stored in calls it, where that is another name. */
  readonly storedName?: string;
  /**
   * Watches that ask for one value of it are found by that value: for fields by which many watchers divide a kind's objects among themselves.
   * An indexed field has no `absent`.
   */
  readonly indexed?: true;
}

/** A version that is going away, or that nobody should use any more. Releases are numbered as in `1.29`. */
export interface Deprecation {
  readonly since: string;
  /** Absent = it stays. */
  readonly removed?: string;
  readonly replacement?: GroupVersionKind;
}

/**
 * How `metadata.generation` is kept; absent = not at all. It is 1 at first and then `fixed`, or one more at every change outside metadata and
 * status (`counted`), and for some kinds also of a member of the metadata. `counted-from-none` =
 * there is none before the first such change.
 */
export type GenerationRule = 'fixed' | 'counted' | 'counted-from-none' | 'counted-with-labels' | 'counted-with-annotations';

export interface KindRow {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Name in the type tables; a custom kind has none there. */
  readonly type: string;
  /** What describes a custom kind. */
  readonly custom?: CustomVersion;
  readonly resource: string;
  readonly singular: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly namespaced: boolean;
  /** Nothing of it is stored: it stands for an operation, or shows what is known otherwise. */
  readonly virtual?: true;
  /** See SubresourceRow. */
  readonly answersStatus?: true;
  /** A version of the same form, which clients may name in its place. */
  readonly alsoVersion?: string;
  readonly verbs: readonly Verb[];
  readonly subresources?: readonly SubresourceRow[];
  /** The version of this kind as which its objects are stored, when it is another one; how is said in shared/api/conversion. */
  readonly storedAs?: GroupVersion;
  readonly deprecation?: Deprecation;
  /** What requests for a custom version are told that its definition calls deprecated. */
  readonly deprecationWarning?: string;
  /** Key segment in the store when it is not the resource's name. */
  readonly segment?: string;
  readonly nameFormat: NameFormat;
  readonly generation?: GenerationRule;
  /** What the status endpoint leaves as it is, besides everything but metadata and status: the labels, or all of the metadata. */
  readonly statusKeeps?: 'labels' | 'metadata';
  /** PUT and patches without resourceVersion are refused. */
  readonly requiresResourceVersion?: true;
  /** Objects bear the names of namespaces, so system namespaces go by either spelling there too. */
  readonly nameIsNamespace?: true;
  /** PUT creates a missing object: always, or only when the sent object has no resourceVersion. */
  readonly createOnUpdate?: true | 'without-resource-version';
  /** Top-level members that the body of a POST or PUT must have, null allowed. Not checked for protobuf, which has no null. */
  readonly requiredMembers?: readonly string[];
  /** DELETE answers with the object instead of a Status; `unpublished` = OpenAPI does not say so. */
  readonly returnsDeletedObject?: true | 'unpublished';
  /** A DELETE that says nothing of dependents orphans them. */
  readonly orphansByDefault?: true;
  /** Never takes the garbage collector's finalizers. */
  readonly noGarbageCollection?: true;
  /** Finalizers need no domain. */
  readonly looseFinalizers?: true;
  /** Fields that selectors may use besides metadata.name and metadata.namespace; their values stand in the stored header. */
  readonly selectableFields?: readonly SelectableField[];
  /** An unsupported field selector is refused as a label that is not supported: `field label not supported: x`, or naming the kind as well. */
  readonly ownFieldLabels?: 'plain' | 'with-kind' | 'with-version';
  /** Stored objects expire a while (`--event-ttl`) after their last write. */
  readonly expires?: true;
}

const ALL: readonly Verb[] = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

export const STATUS: SubresourceRow = { name: 'status', verbs: ['get', 'patch', 'update'] };

/** Selectable fields whose names are their paths. */
export const same = (...names: string[]): readonly SelectableField[] => names.map((name) => ({ name, path: name }));

/** What follows from the kind's name and group in all rows but a few. */
type Derived = 'group' | 'version' | 'kind' | 'type' | 'resource' | 'singular' | 'namespaced' | 'verbs' | 'nameFormat';

/** What a row says of its kind beside its names. */
export interface RowOptions extends Omit<KindRow, Derived>, Partial<Pick<KindRow, 'verbs' | 'nameFormat'>> {
  readonly scope?: 'cluster';
}

/** A maker of rows for one group version; `types` = how its types begin in the type tables (`core.v1`). Kinds are namespaced unless they say otherwise. */
export function rowsOf(group: string, version: string, types: string): (kind: string, resource: string, options?: RowOptions) => KindRow {
  return (kind, resource, { scope, ...options } = {}) => ({
    group,
    version,
    kind,
    type: `${types}.${kind}`,
    resource,
    singular: kind.toLowerCase(),
    namespaced: scope === undefined,
    verbs: ALL,
    nameFormat: 'dns-subdomain',
    ...options,
  });
}

/** A kind that is nothing but the body of an operation: no resource bears its name. */
export function bodyOf(group: string, version: string, types: string, kind: string): KindRow {
  return rowsOf(group, version, types)(kind, '', { verbs: [], virtual: true });
}
