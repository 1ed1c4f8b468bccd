/**
 * How endpoints are put into slices with as few writes as possible: what is in a slice stays there, what is new goes where something is written anyway, and no
 * full slice is ever repacked. Pure; works on one group of endpoints with the same ports.
 */

import { appendAll } from '../../shared/values/append';

/** A slice as it is, or as it is to be. */
export interface Packed<E> {
  readonly endpoints: readonly E[];
}

export interface Packing<S, E> {
  readonly creates: readonly Packed<E>[];
  readonly updates: readonly (Packed<E> & { readonly slice: S })[];
  readonly deletes: readonly S[];
}

export interface PackingRules<S, E> {
  readonly most: number;
  /** What a slice holds at present, by id. */
  held(slice: S): readonly string[];
  id(endpoint: E): string;
  /** Whether the slice says of these endpoints, which are all it holds, what is to be said. */
  isCurrent(slice: S, endpoints: readonly E[]): boolean;
}

interface Open<S, E> {
  readonly slice: S;
  readonly endpoints: E[];
}

export function pack<S, E>(slices: readonly S[], wanted: readonly E[], rules: PackingRules<S, E>): Packing<S, E> {
  const rest = new Map(wanted.map((endpoint) => [rules.id(endpoint), endpoint]));
  const changed: Open<S, E>[] = [];
  const current: Open<S, E>[] = [];
  const deletes: S[] = [];
  for (const slice of slices) {
    const ids = rules.held(slice);
    const endpoints: E[] = [];
    for (const id of ids) {
      const endpoint = rest.get(id);
      if (endpoint === undefined) continue;
      endpoints.push(endpoint);
      rest.delete(id);
    }
    if (endpoints.length === 0) deletes.push(slice);
    else if (endpoints.length === ids.length && rules.isCurrent(slice, endpoints)) current.push({ slice, endpoints });
    else changed.push({ slice, endpoints });
  }
  const fresh = [...rest.values()];
  fill(changed, fresh, rules.most);
  addToOneWithRoom(current, changed, fresh, rules.most);
  const creates: Packed<E>[] = [];
  while (fresh.length > 0) creates.push({ endpoints: fresh.splice(0, rules.most) });
  return { creates, updates: changed, deletes };
}

/** The fullest first, so that the others may empty. */
function fill<S, E>(open: readonly Open<S, E>[], fresh: E[], most: number): void {
  const fullestFirst = [...open].sort((one, other) => other.endpoints.length - one.endpoints.length);
  for (const { endpoints } of fullestFirst) appendAll(endpoints, fresh.splice(0, Math.max(0, most - endpoints.length)));
}

/** What is left goes into the one slice that it fits in best, if it is less than a slice by itself. */
function addToOneWithRoom<S, E>(current: Open<S, E>[], changed: Open<S, E>[], fresh: E[], most: number): void {
  if (fresh.length === 0 || fresh.length >= most) return;
  let best: Open<S, E> | undefined;
  for (const open of current) {
    const fits = open.endpoints.length + fresh.length <= most;
    if (fits && (best === undefined || open.endpoints.length > best.endpoints.length)) best = open;
  }
  if (best === undefined) return;
  appendAll(best.endpoints, fresh.splice(0));
  changed.push(best);
}
