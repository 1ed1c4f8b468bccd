/**
 * The served resources: built-in ones from the kind table, and custom ones that are added while the server runs. The
 * endpoints route requests to them.
 */
import { apiVersionOf, groupResourceText, type GroupVersion, type GroupVersionKind } from '../../shared/api/identity/identity';
import { SERVED_KINDS, storedRowOf, type KindRow } from '../../shared/api/kinds';
import { canonicalGroup } from '../../shared/names/dialect';
import type { StoredType } from '../cache/cache';
import type { Resource, ServedResource } from './verbs';

/** The resources of a server at present. Custom ones change with their definitions, built-in ones never. */
export interface Resources {
  /** Every built-in kind that is served and stored. */
  readonly builtInResources: readonly Resource[];
  /** Rows of all built-in kinds, virtual ones included. */
  readonly builtInRows: readonly KindRow[];
  /** Built-in and custom kinds. The array is the same until a definition changes what is served. */
  readonly rows: readonly KindRow[];
  /**
   * The types of built-in kinds, including kinds that the server uses without serving them. One type per key segment,
   * however many versions serve it.
   */
  readonly storedTypes: readonly StoredType[];
  /** The resource at a path; `undefined` when none is served. `group` in either dialect. */
  find(group: string, version: string, resource: string): ServedResource | undefined;
  /** The resource of a built-in kind; `undefined` when it is not served or not stored. `group` in either dialect. */
  findByKind(gvk: GroupVersionKind): Resource | undefined;
  /**
   * A resource that the server itself uses (`namespaces`, `leases.coordination.platform.io`). Throws when it is
   * unknown.
   */
  require(resource: string): Resource;
  /** Also serves the kinds of custom resource definitions. Called once: `definitions` always has the present kinds. */
  addCustomKinds(definitions: CustomKinds): void;
}

/** The kinds that custom resource definitions serve at present. */
export interface CustomKinds {
  /** A new array whenever a definition changes. */
  readonly rows: readonly KindRow[];
  /** `group` in either dialect. */
  find(group: string, version: string, resource: string): Resource | undefined;
}

/**
 * The resources of built-in kinds. `internalKinds`: kinds that the server uses itself, whether or not they are served;
 * only {@link Resources.require} finds them.
 */
export function buildResources(rows: readonly KindRow[] = SERVED_KINDS, internalKinds: readonly KindRow[] = []): Resources {
  const types = new Map<string, StoredType>();
  const resourceOf = (row: KindRow): Resource => {
    const hub = storedRowOf(row);
    return { row, hub, stored: storedTypeOf(hub, types) };
  };
  const builtInResources = rows.filter((row) => row.virtual !== true).map(resourceOf);
  const unserved = internalKinds.filter((row) => row.virtual !== true && !rows.includes(row)).map(resourceOf);
  const virtual = rows.filter((row) => row.virtual === true).map((row): ServedResource => ({ row, stored: undefined }));
  const byPath = new Map(
    [...builtInResources, ...virtual].map((resource) => [versionedName(resource.row, resource.row.resource), resource]),
  );
  const byKind = new Map(builtInResources.map((resource) => [versionedName(resource.row, resource.row.kind), resource]));
  const canonical = (gv: GroupVersion): GroupVersion => ({ group: canonicalGroup(gv.group), version: gv.version });
  let custom: CustomKinds = { rows: [], find: () => undefined };
  // Combined once for each state of the definitions, because callers cache what they derive from the array.
  let combined: { readonly customRows: readonly KindRow[]; readonly rows: readonly KindRow[] } = { customRows: custom.rows, rows };
  return {
    builtInResources,
    builtInRows: rows,
    get rows() {
      if (combined.customRows !== custom.rows) combined = { customRows: custom.rows, rows: [...rows, ...custom.rows] };
      return combined.rows;
    },
    storedTypes: [...types.values()],
    addCustomKinds(definitions) {
      custom = definitions;
    },
    find: (group, version, resource) =>
      byPath.get(versionedName(canonical({ group, version }), resource)) ?? custom.find(group, version, resource),
    findByKind: (gvk) => byKind.get(versionedName(canonical(gvk), gvk.kind)),
    require(resource) {
      const match = [...builtInResources, ...unserved].find((candidate) => groupResourceText(candidate.row) === resource);
      if (match === undefined) throw new Error(`the kind table has no row for ${resource}`);
      return match;
    },
  };
}

/** `apps/v1/deployments` or `apps/v1/Deployment`. */
const versionedName = (gv: GroupVersion, name: string): string => `${apiVersionOf(gv)}/${name}`;

/** The type of the row's key segment. `types`: by key segment; a new type is added. */
function storedTypeOf(row: KindRow, types: Map<string, StoredType>): StoredType {
  const segment = row.storageSegment ?? row.resource;
  const existing = types.get(segment);
  if (existing !== undefined) return existing;
  const indexedFields = (row.selectableFields ?? []).filter(({ indexed }) => indexed).map(({ name, storedName }) => storedName ?? name);
  const type: StoredType = {
    name: groupResourceText(row),
    segment,
    namespaced: row.namespaced,
    ...(indexedFields.length === 0 ? {} : { indexedFields }),
  };
  types.set(segment, type);
  return type;
}

/** The key of an object below the segment of its type. */
export function entryKey(key: { readonly namespace: string; readonly name: string }): string {
  return key.namespace === '' ? key.name : `${key.namespace}/${key.name}`;
}
