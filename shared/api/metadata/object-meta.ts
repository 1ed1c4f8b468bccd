/**
 * Reading and stamping an object's metadata. Rules about its contents are in object-meta-rules.ts; nothing here refuses anything but a
 * resource version that is no number.
 */
import { isObject, objectAt, own, stringAt, type JsonObject } from '../../values/json';
import { formatTime, parseInstant } from '../../values/time';

/** The object's metadata, made when it is absent. */
export function metadataOf(object: JsonObject): JsonObject {
  const found = own(object, 'metadata');
  if (isObject(found)) return found;
  const made: JsonObject = {};
  object['metadata'] = made;
  return made;
}

/** Metadata that is only looked at: an absent one reads as empty. */
export function readMetadata(object: JsonObject): JsonObject {
  return objectAt(object, 'metadata') ?? EMPTY;
}

const EMPTY: JsonObject = Object.freeze({});

/** Those that are texts. */
export function labelsOf(object: JsonObject): Readonly<Record<string, string>> {
  const labels = objectAt(readMetadata(object), 'labels') ?? {};
  return Object.fromEntries(Object.entries(labels).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])));
}

export function isTerminating(metadata: JsonObject): boolean {
  return stringAt(metadata, 'deletionTimestamp') !== undefined;
}

/** A time as objects hold it: RFC 3339, UTC, whole seconds. `ms` is counted since 1970. */
export function timestamp(ms: number): string {
  return formatTime({ seconds: Math.floor(ms / 1000), nanos: 0 }) ?? '';
}

/** The day of a time, in UTC: `2006-01-02`. */
export function dayOf(ms: number): string {
  return timestamp(ms).slice(0, 10);
}

/** Milliseconds since 1970 of a time that was decoded from an object; undefined when there is none. */
export function timeOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseInstant(text, false).seconds * 1000;
}

export type ResourceVersion =
  | { readonly type: 'unset' }
  | { readonly type: 'number'; readonly value: number }
  /** `text` is upstream's message. */
  | { readonly type: 'malformed'; readonly text: string };

/** An object's resource version: empty and `0` are unset (upstream behaviour). */
export function parseResourceVersion(text: string | undefined): ResourceVersion {
  if (text === undefined || text === '') return { type: 'unset' };
  if (!/^[0-9]+$/.test(text)) return { type: 'malformed', text: `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax` };
  const digits = BigInt(text);
  if (digits > 0xffff_ffff_ffff_ffffn) {
    return { type: 'malformed', text: `strconv.ParseUint: parsing ${JSON.stringify(text)}: value out of range` };
  }
  return digits === 0n ? { type: 'unset' } : { type: 'number', value: Number(digits) };
}
