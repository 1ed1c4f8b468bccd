/**
 * The kind table: what is served, under which names, with which general rules. A kind is a row; behaviour follows from it.
 * Field structure lies in the generated type tables that `type` refers to; what no table can say is in the kind's strategy
 * (apiserver/kinds). Never holds code.
 */
import { CORE } from './core';
import { GOVERNANCE } from './governance';
import { MACHINES } from './machines';
import { NETWORKING } from './networking';
import { OPERATIONS } from './operations';
import { OPTIONAL } from './optional';
import type { KindRow } from './row';
import { WORKLOADS } from './workloads';

export { SCALE } from './operations';
export type { Deprecation, GenerationRule, KindRow, NameFormat, SelectableField, SubresourceRow, Verb } from './row';

/** The kinds whose objects are stored. Of the versions of a kind, the one that objects are stored in comes first. */
export const KINDS: readonly KindRow[] = [...CORE, ...WORKLOADS, ...NETWORKING, ...MACHINES, ...GOVERNANCE];

/** Everything that has a path unless a flag says otherwise: these kinds and the virtual ones. */
export const SERVED_KINDS: readonly KindRow[] = [...KINDS, ...OPERATIONS];

/** What has a path only when a flag says so. */
export const OPTIONAL_KINDS: readonly KindRow[] = OPTIONAL;

/** Every version that objects can be stored in or converted to, whether or not it is served. */
export const KNOWN_KINDS: readonly KindRow[] = [...KINDS, ...OPTIONAL.filter(({ virtual }) => virtual !== true)];

/** The row of the version that a row's objects are stored in. */
export function storedRowOf(row: KindRow): KindRow {
  const { storedAs } = row;
  if (storedAs === undefined) return row;
  const stored = KNOWN_KINDS.find(
    ({ group, version, kind }) => group === storedAs.group && version === storedAs.version && kind === row.kind,
  );
  if (stored === undefined) throw new Error(`the kind table has no row for what ${row.type} is stored as`);
  return stored;
}
