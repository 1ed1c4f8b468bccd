/**
 * The kind table: which kinds are served, under which names, with which general rules. Each kind is a row of data. The
 * fields are in the generated type tables, which `type` refers to; rules that a table cannot express are in the
 * strategy of the kind (apiserver/kinds).
 */
import { CORE_KINDS } from './core';
import { GOVERNANCE_KINDS } from './governance';
import { NODE_AND_STORAGE_KINDS } from './node-and-storage';
import { NETWORKING_KINDS } from './networking';
import { VIRTUAL_KINDS } from './virtual';
import { OPTIONAL_VERSIONS } from './optional';
import type { KindRow } from './row';
import { WORKLOAD_KINDS } from './workloads';

export { SCALE } from './virtual';
export type { Deprecation, GenerationRule, KindRow, NameFormat, SelectableField, SubresourceRow, Verb } from './row';

/**
 * The kinds that are stored and always served. Of the versions of a kind, the storage version comes
 * first.
 */
export const STORED_KINDS: readonly KindRow[] = [
  ...CORE_KINDS,
  ...WORKLOAD_KINDS,
  ...NETWORKING_KINDS,
  ...NODE_AND_STORAGE_KINDS,
  ...GOVERNANCE_KINDS,
];

/** Every kind that is served by default: the stored kinds and the virtual ones. */
export const SERVED_KINDS: readonly KindRow[] = [...STORED_KINDS, ...VIRTUAL_KINDS];

/** Versions that are served only when a flag enables them. */
export const OPTIONAL_KINDS: readonly KindRow[] = OPTIONAL_VERSIONS;

/** Every version that objects can be stored in or converted to, whether or not it is served. */
export const KNOWN_KINDS: readonly KindRow[] = [...STORED_KINDS, ...OPTIONAL_VERSIONS.filter(({ virtual }) => virtual !== true)];

/** The row of the storage version of a row's kind. */
export function storedRowOf(row: KindRow): KindRow {
  const { storedAs } = row;
  if (storedAs === undefined) return row;
  const stored = KNOWN_KINDS.find(
    ({ group, version, kind }) => group === storedAs.group && version === storedAs.version && kind === row.kind,
  );
  if (stored === undefined) throw new Error(`the kind table has no row for the storage version of ${row.type}`);
  return stored;
}
