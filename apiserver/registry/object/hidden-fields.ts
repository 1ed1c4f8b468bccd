/**
 * What the stored header says of an object under names that no selector can have, so that finding it out costs no look into bodies: when an object
 * of an expiring kind goes, and with which schema a custom one was written. Decides nothing.
 */
import type { CustomVersion } from '../../../shared/api/structural/version';
import type { KindRow } from '../../../shared/api/kinds';
import type { Entry, Labels } from '../../cache/cache';

const EXPIRES = '$expires';
const SCHEMA = '$schema';

/** `ms` since 1970. Every write starts the time anew (upstream behaviour). */
export function hiddenFields({ row }: { readonly row: KindRow }, ms: number, ttlSeconds: number): Labels | undefined {
  if (row.custom !== undefined) return schemaMark(row.custom);
  return row.expires === true ? { [EXPIRES]: String(Math.ceil(ms / 1000) + ttlSeconds) } : undefined;
}

/** In ms since 1970; undefined for an object that stays. */
export function expiryOf(entry: Entry): number | undefined {
  const text = entry.fields[EXPIRES];
  return text === undefined ? undefined : Number(text) * 1000;
}

export function schemaMark({ schemaId }: CustomVersion): Labels {
  return { [SCHEMA]: schemaId };
}

/** Whether an object is as the schema would have it; otherwise it was written with another one, in another version or before the schema changed. */
export function isWrittenWith({ schemaId }: CustomVersion, entry: Entry): boolean {
  return entry.fields[SCHEMA] === schemaId;
}
