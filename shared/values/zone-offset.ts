/** What clocks on the wall of a time zone show. Days and times there are counted as if they were UTC's. */

/** A formatter takes far longer to make than to use; there are some hundred zones. */
const zoneCache = new Map<string, CachedZone>();
/** Clocks are put forward and back at quarters of an hour. */
const QUARTER_MS = 900_000;
/** Quarters of a zone that are remembered. */
const MAX_CACHED_QUARTERS = 500;

interface CachedZone {
  readonly format: Intl.DateTimeFormat;
  /** By quarter. */
  readonly offsets: Map<number, number>;
}

function cachedZone(zone: string): CachedZone {
  const known = zoneCache.get(zone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
  const created = { format, offsets: new Map<number, number>() };
  zoneCache.set(zone, created);
  return created;
}

/** Milliseconds by which the zone's clocks are ahead of UTC at an instant; undefined = UTC. */
export function zoneOffsetMs(zone: string | undefined, instant: number): number {
  if (zone === undefined || zone === 'UTC') return 0;
  const { format, offsets } = cachedZone(zone);
  const quarter = Math.floor(instant / QUARTER_MS);
  const known = offsets.get(quarter);
  if (known !== undefined) return known;
  const offset = computeOffset(format, quarter * QUARTER_MS);
  if (offsets.size >= MAX_CACHED_QUARTERS) offsets.clear();
  offsets.set(quarter, offset);
  return offset;
}

function computeOffset(format: Intl.DateTimeFormat, instant: number): number {
  const parts = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
  const { year = 1970, month = 1, day = 1, hour = 0, minute = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, parts['second'] ?? 0) - instant;
}

/** The time as the zone's clocks show it, with its distance from UTC. */
export function formatZonedTime(zone: string | undefined, instant: number): string {
  const offset = zoneOffsetMs(zone, instant);
  const local = new Date(instant + offset).toISOString().slice(0, 19);
  // Zones that are UTC by another name are written as it.
  if (offset === 0) return `${local}Z`;
  const minutes = Math.floor(Math.abs(offset) / 60_000);
  const pad = (value: number): string => String(value).padStart(2, '0');
  return `${local}${offset < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}
