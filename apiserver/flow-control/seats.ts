/**
 * How many seats a request takes: one, or for what goes through many objects one for every hundred of them, ten at most. Objects of other namespaces count too, for
 * they may have to be passed over. Counts nothing itself.
 */
const OBJECTS_PER_SEAT = 100;
export const MOST_SEATS = 10;

/** `limit` = of objects in the answer, where there is one and nothing has to be passed over for it. */
export function seatsFor(objects: number, limit: number | undefined): number {
  const looked = limit === undefined || limit <= 0 ? objects : Math.min(limit, objects);
  return Math.min(MOST_SEATS, Math.max(1, Math.ceil(looked / OBJECTS_PER_SEAT)));
}
