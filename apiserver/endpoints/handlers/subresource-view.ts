/**
 * The kind in which a path shows a stored object: the object itself, or for the subresource `scale` a Scale. Requests are
 * decoded and responses encoded as that kind; how a Scale is stored is left to `registry/write`.
 */
import type { KindRow, SubresourceRow } from '../../../shared/api/kinds';
import type { Entry } from '../../cache/cache';
import type { Resource } from '../../registry/verbs';
import { scaleEntry } from '../../registry/object/scale';
import type { ResourceRequest } from '../request/request-info';

/** The row of the subresource that the path names; `undefined` when it names none, or one that is not served. */
export function subresourceRow(row: KindRow, info: ResourceRequest): SubresourceRow | undefined {
  return info.subresource === '' ? undefined : row.subresources?.find(({ name }) => name === info.subresource);
}

/** How a stored object appears in requests and responses: as itself, or as the kind of a subresource (Scale). */
export interface SubresourceView {
  /** The kind of the response, and of the body of a PUT. */
  readonly row: KindRow;
  /** Converts a stored entry to that kind. */
  show(entry: Entry): Entry;
}

/** The kind in which a subresource shows its object: a Scale for `scale`, the object itself otherwise. */
export function subresourceView({ row }: Resource, info: ResourceRequest): SubresourceView {
  const kind = subresourceRow(row, info)?.kind;
  if (kind === undefined) return { row, show: (entry) => entry };
  return { row: kind, show: (entry) => scaleEntry(kind, entry, row) };
}
