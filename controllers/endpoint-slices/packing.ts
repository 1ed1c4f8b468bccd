/**
 * Distributes endpoints to slices with few writes: endpoints stay in their slices; new endpoints go first to slices that
 * are updated anyway, then to one other slice or to new ones. Slices are not merged. Pure; works on one group of
 * endpoints with the same address type and ports.
 */
import { appendAll } from '../../shared/values/append';

/** The endpoints of one slice after the writes. */
export interface PackedSlice<E> {
  readonly endpoints: readonly E[];
}

/** The writes that bring slices of type S to the desired endpoints of type E. Unchanged slices are left out. */
export interface Packing<S, E> {
  readonly creates: readonly PackedSlice<E>[];
  readonly updates: readonly (PackedSlice<E> & { readonly slice: S })[];
  readonly deletes: readonly S[];
}

/** How existing slices and desired endpoints are read. */
export interface PackingRules<S, E> {
  readonly maxEndpointsPerSlice: number;
  /** Ids of the endpoints in an existing slice. */
  idsIn(slice: S): readonly string[];
  id(endpoint: E): string;
  /** Whether the slice needs no update if its endpoints should be these. They have the ids that it contains. */
  isUpToDate(slice: S, endpoints: readonly E[]): boolean;
}

/** An existing slice with the endpoints that stay in it, to which others are added. */
interface RetainedSlice<S, E> {
  readonly slice: S;
  readonly endpoints: E[];
}

/** Returns writes after which the slices contain each of the `desired` endpoints once, and no others. */
export function packEndpoints<S, E>(slices: readonly S[], desired: readonly E[], rules: PackingRules<S, E>): Packing<S, E> {
  const { maxEndpointsPerSlice } = rules;
  const unplaced = new Map(desired.map((endpoint) => [rules.id(endpoint), endpoint]));
  const updates: RetainedSlice<S, E>[] = [];
  const unchanged: RetainedSlice<S, E>[] = [];
  const deletes: S[] = [];
  for (const slice of slices) {
    const ids = rules.idsIn(slice);
    const endpoints: E[] = [];
    for (const id of ids) {
      const endpoint = unplaced.get(id);
      if (endpoint === undefined) continue;
      endpoints.push(endpoint);
      unplaced.delete(id);
    }
    if (endpoints.length === 0) deletes.push(slice);
    else if (endpoints.length === ids.length && rules.isUpToDate(slice, endpoints)) unchanged.push({ slice, endpoints });
    else updates.push({ slice, endpoints });
  }
  const added = [...unplaced.values()];
  fillUpdatedSlices(updates, added, maxEndpointsPerSlice);
  addToUnchangedSlice(unchanged, updates, added, maxEndpointsPerSlice);
  const creates: PackedSlice<E>[] = [];
  while (added.length > 0) creates.push({ endpoints: added.splice(0, maxEndpointsPerSlice) });
  return { creates, updates, deletes };
}

/** Fills the fullest slices first, so that the others can become empty later. Removes placed endpoints from `added`. */
function fillUpdatedSlices<S, E>(updates: readonly RetainedSlice<S, E>[], added: E[], maxEndpointsPerSlice: number): void {
  const fullestFirst = [...updates].sort((a, b) => b.endpoints.length - a.endpoints.length);
  for (const { endpoints } of fullestFirst) appendAll(endpoints, added.splice(0, Math.max(0, maxEndpointsPerSlice - endpoints.length)));
}

/**
 * Moves the remaining endpoints to the fullest unchanged slice with room for all of them. Does nothing when no slice has
 * the room, or when they fill a new slice.
 */
function addToUnchangedSlice<S, E>(
  unchanged: readonly RetainedSlice<S, E>[],
  updates: RetainedSlice<S, E>[],
  added: E[],
  maxEndpointsPerSlice: number,
): void {
  if (added.length === 0 || added.length >= maxEndpointsPerSlice) return;
  let fullest: RetainedSlice<S, E> | undefined;
  for (const candidate of unchanged) {
    const fits = candidate.endpoints.length + added.length <= maxEndpointsPerSlice;
    if (fits && (fullest === undefined || candidate.endpoints.length > fullest.endpoints.length)) fullest = candidate;
  }
  if (fullest === undefined) return;
  appendAll(fullest.endpoints, added.splice(0));
  updates.push(fullest);
}
