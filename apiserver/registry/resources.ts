/**
 * The served resources: those made once from the kind table, which the cache is told to hold, and those that definitions add while the server runs.
 * What the endpoints route to. Never knows a verb.
 */
import { apiVersionOf, groupResourceText, type GroupVersion, type GroupVersionKind } from '../../shared/api/identity/identity';
import { SERVED_KINDS, storedRowOf, type KindRow } from '../../shared/api/kinds';
import { canonicalGroup } from '../../shared/names/dialect';
import type { StoredType } from '../cache/cache';
import type { Resource, ServedResource } from './verbs';

export interface Resources {
  /** Of every built-in kind that is stored. */
  readonly all: readonly Resource[];
  /** The rows of all of them and of the virtual kinds. */
  readonly builtIn: readonly KindRow[];
  /** The same with the custom kinds; the same list until a definition changes what is served. */
  readonly rows: readonly KindRow[];
  /** Those of built-in kinds: one per key segment, whatever number of versions serve it. */
  readonly storedTypes: readonly StoredType[];
  /** `group` in either dialect. */
  find(group: string, version: string, resource: string): ServedResource | undefined;
  /** The resource that serves a kind; `group` in either dialect. */
  ofKind(gvk: GroupVersionKind): Resource | undefined;
  /** A resource for which the server itself has a use (`namespaces`, `leases.coordination.platform.io`); throws when it is not known. */
  require(resource: string): Resource;
  /** From here on what the definitions serve is served as well. */
  add(definitions: CustomKinds): void;
}

/** What the definitions of custom resources serve at present. */
export interface CustomKinds {
  readonly rows: readonly KindRow[];
  find(group: string, version: string, resource: string): Resource | undefined;
}

/** `known` = kinds that the server itself has a use for, whether or not they are served. */
export function buildResources(rows: readonly KindRow[] = SERVED_KINDS, known: readonly KindRow[] = []): Resources {
  const types = new Map<string, StoredType>();
  const resourceOf = (row: KindRow): Resource => {
    const hub = storedRowOf(row);
    return { row, hub, stored: storedType(hub, types) };
  };
  const all = rows.filter((row) => row.virtual !== true).map(resourceOf);
  const unserved = known.filter((row) => row.virtual !== true && !rows.includes(row)).map(resourceOf);
  const virtual = rows.filter((row) => row.virtual === true).map((row): ServedResource => ({ row, stored: undefined }));
  const byPath = new Map([...all, ...virtual].map((resource) => [pathKey(resource.row, resource.row.resource), resource]));
  const byKind = new Map(all.map((resource) => [pathKey(resource.row, resource.row.kind), resource]));
  const canonical = (gv: GroupVersion): GroupVersion => ({ group: canonicalGroup(gv.group), version: gv.version });
  let custom: CustomKinds = { rows: [], find: () => undefined };
  let together: { readonly added: readonly KindRow[]; readonly rows: readonly KindRow[] } = { added: custom.rows, rows };
  return {
    all,
    builtIn: rows,
    get rows() {
      if (together.added !== custom.rows) together = { added: custom.rows, rows: [...rows, ...custom.rows] };
      return together.rows;
    },
    storedTypes: [...types.values()],
    add: (definitions) => void (custom = definitions),
    find: (group, version, resource) =>
      byPath.get(pathKey(canonical({ group, version }), resource)) ?? custom.find(group, version, resource),
    ofKind: (gvk) => byKind.get(pathKey(canonical(gvk), gvk.kind)),
    require(resource) {
      const found = [...all, ...unserved].find((candidate) => groupResourceText(candidate.row) === resource);
      if (found === undefined) throw new Error(`the kind table has no row for ${resource}`);
      return found;
    },
  };
}

const pathKey = (gv: GroupVersion, name: string): string => `${apiVersionOf(gv)}/${name}`;

function storedType(row: KindRow, types: Map<string, StoredType>): StoredType {
  const segment = row.storageSegment ?? row.resource;
  const known = types.get(segment);
  if (known !== undefined) return known;
  const made: StoredType = { name: groupResourceText(row), segment, namespaced: row.namespaced };
  types.set(segment, made);
  return made;
}

/** An object's key below its type's segment. */
export function entryKey(key: { readonly namespace: string; readonly name: string }): string {
  return key.namespace === '' ? key.name : `${key.namespace}/${key.name}`;
}
