/**
 * UTC offsets of IANA time zones. A local time is represented by the milliseconds since 1970 that the same time in UTC
 * has.
 */

/** Not bounded, because there are only a few hundred zones. Creating a formatter takes far longer than using it. */
const zoneCache = new Map<string, CachedZone>();
/** Offsets change only at quarters of an hour. */
const QUARTER_MS = 900_000;
/** Cached offsets per zone. */
const MAX_CACHED_QUARTERS = 500;

interface CachedZone {
  readonly format: Intl.DateTimeFormat;
  /** Offsets in milliseconds, by quarter of an hour since 1970. */
  readonly offsets: Map<number, number>;
}

function cachedZone(zone: string): CachedZone {
  const known = zoneCache.get(zone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const created = { format, offsets: new Map<number, number>() };
  zoneCache.set(zone, created);
  return created;
}

/**
 * The UTC offset of a zone at an instant (milliseconds since 1970), in milliseconds. The zone `undefined` is UTC. Throws
 * RangeError when there is no such zone.
 */
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

/** RFC 3339 in the local time of the zone, with its UTC offset in minutes: `2026-01-01T10:45:00+05:45`. */
export function formatZonedTime(zone: string | undefined, instant: number): string {
  const offset = zoneOffsetMs(zone, instant);
  const local = new Date(instant + offset).toISOString().slice(0, 19);
  // Any zone with the offset 0 is written as UTC.
  if (offset === 0) return `${local}Z`;
  const minutes = Math.floor(Math.abs(offset) / 60_000);
  const pad = (value: number): string => String(value).padStart(2, '0');
  return `${local}${offset < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}
