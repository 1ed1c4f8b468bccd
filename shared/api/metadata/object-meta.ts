/** Access to an object's metadata and its scalar formats. Validation is in object-meta-rules.ts. */
import type { MetaV1ObjectMeta } from '../types/generated/members';
import { isObject, objectAt, ownMember, stringAt, type JsonObject } from '../../values/json';
import { formatTime, parseInstant } from '../../values/time/time';

/** The object's metadata; adds it to the object when it is absent. */
export function ensureMetadata(object: JsonObject): JsonObject {
  const existing = ownMember(object, 'metadata');
  if (isObject(existing)) return existing;
  const created: JsonObject = {};
  object['metadata'] = created;
  return created;
}

const EMPTY: JsonObject = Object.freeze({});

/**
 * The metadata of a decoded object of any kind, for reading only; a frozen empty object when it is absent. Members of a
 * body that is not decoded yet may have other types.
 */
export function readMetadata(object: JsonObject): MetaV1ObjectMeta {
  return objectAt(object, 'metadata') ?? EMPTY;
}

/** The labels with string values. */
export function stringLabelsOf(object: JsonObject): Readonly<Record<string, string>> {
  const labels = objectAt(readMetadata(object), 'labels') ?? {};
  return Object.fromEntries(Object.entries(labels).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])));
}

/** Whether an object with this metadata is marked for deletion. */
export function isTerminating(metadata: JsonObject): boolean {
  return stringAt(metadata, 'deletionTimestamp') !== undefined;
}

/** Formats a time as objects hold it: RFC 3339, UTC, whole seconds. `ms` is in milliseconds since 1970. */
export function formatTimestamp(ms: number): string {
  return formatTime({ seconds: Math.floor(ms / 1000), nanos: 0 }) ?? '';
}

/** The day of a time in UTC: `2006-01-02`. `ms` is in milliseconds since 1970. */
export function formatUtcDay(ms: number): string {
  return formatTimestamp(ms).slice(0, 10);
}

/** Milliseconds since 1970 of a time, in whole seconds; `undefined` without a text. Throws TimeError for another text. */
export function parseTimestamp(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseInstant(text, 'Time').seconds * 1000;
}

/** A parsed resource version. */
export type ResourceVersion =
  | { readonly type: 'unset' }
  /** `value` is rounded above 2^53, which is larger than any revision of a store. */
  | { readonly type: 'number'; readonly value: number }
  /** Not an unsigned 64-bit integer; `text` is upstream's message. */
  | { readonly type: 'malformed'; readonly text: string };

const MAX_UINT64 = 2n ** 64n - 1n;

/** Parses a resource version. An empty string and `0` are unset (upstream behaviour). */
export function parseResourceVersion(text: string | undefined): ResourceVersion {
  if (text === undefined || text === '') return { type: 'unset' };
  if (!/^[0-9]+$/.test(text)) return { type: 'malformed', text: `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax` };
  const revision = BigInt(text);
  if (revision > MAX_UINT64) {
    return { type: 'malformed', text: `strconv.ParseUint: parsing ${JSON.stringify(text)}: value out of range` };
  }
  return revision === 0n ? { type: 'unset' } : { type: 'number', value: Number(revision) };
}
