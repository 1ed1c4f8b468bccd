/**
 * Estimates the seats of a list: one for each hundred objects of the resource, at least one and at most ten. Objects of
 * other namespaces count too, because the list may have to skip them.
 */

const OBJECTS_PER_SEAT = 100;
/** Maximum number of seats of one request, as upstream's. */
export const MAX_SEATS = 10;

/**
 * `objects` is the number of objects of the resource. `limit` is that of the list request; `undefined` when there is
 * none, or when selectors may make the list examine more objects than it returns.
 */
export function estimateSeats(objects: number, limit: number | undefined): number {
  const examined = limit === undefined || limit <= 0 ? objects : Math.min(limit, objects);
  return Math.min(MAX_SEATS, Math.max(1, Math.ceil(examined / OBJECTS_PER_SEAT)));
}
