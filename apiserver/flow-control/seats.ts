/**
 * Estimates the seats of a request: one, or for a list one per hundred objects, at most ten. Objects of other
 * namespaces count too, because the list may have to skip them.
 */

const OBJECTS_PER_SEAT = 100;
/** Maximum number of seats of one request, as upstream's. */
export const MAX_SEATS = 10;

/**
 * `objects`: the number of objects of the resource. `limit`: the requested limit; undefined when there is none, or when
 * selectors may make the list skip objects.
 */
export function estimateSeats(objects: number, limit: number | undefined): number {
  const examined = limit === undefined || limit <= 0 ? objects : Math.min(limit, objects);
  return Math.min(MAX_SEATS, Math.max(1, Math.ceil(examined / OBJECTS_PER_SEAT)));
}
