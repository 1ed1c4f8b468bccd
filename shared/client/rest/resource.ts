/** What a client has to know of a resource to address it; from the kind table, or from a server's discovery. */
import { SERVED_KINDS, type KindRow } from '../../api/kinds';
import { groupIn, type Dialect } from '../../names/dialect';

export interface Resource {
  /** In canonical spelling. */
  readonly group: string;
  readonly version: string;
  /** The plural in URLs. */
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** A row of the kind table: `configmaps`, or `leases.coordination.platform.io` outside the core group. Throws for an unknown name. */
export function knownResource(name: string): Resource {
  const row = SERVED_KINDS.find((candidate) => fullName(candidate) === name);
  if (row === undefined) throw new Error(`the kind table has no ${name}`);
  return row;
}

function fullName({ group, resource }: KindRow): string {
  return group === '' ? resource : `${resource}.${group}`;
}

/** Where an object or a collection is. */
export interface Place {
  /** Leave it out for all namespaces and for cluster-scoped resources. */
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

/** The path, in the dialect's spelling, without query. */
export function pathOf(resource: Resource, dialect: Dialect, { namespace, name, subresource }: Place): string {
  const root = resource.group === '' ? `/api/${resource.version}` : `/apis/${groupIn(dialect, resource.group)}/${resource.version}`;
  const parts = [
    ...(namespace === undefined || namespace === '' || !resource.namespaced ? [] : ['namespaces', namespace]),
    resource.resource,
    ...(name === undefined ? [] : [name]),
    ...(subresource === undefined ? [] : [subresource]),
  ];
  return `${root}/${parts.map(encodeURIComponent).join('/')}`;
}
