/**
 * What the stored header says of an object under names that no selector can have, so that finding it out costs no look into bodies: when an object
 * of an expiring kind goes, in which version and with which schema a custom one was written. Decides nothing.
 */
import type { CustomVersion } from '../../../shared/api/structural/version';
import type { KindRow } from '../../../shared/api/kinds';
import { codecOf } from '../../../shared/api/codec/codec';
import { cloneJson, equalJson, type JsonObject } from '../../../shared/values/json';
import type { Entry, Labels } from '../../cache/cache';

const EXPIRES = '$expires';
const SCHEMA = '$schema';
const EARLY = '$early';

/** Of an object as it is stored. `ms` since 1970; every write starts the time anew (upstream behaviour). */
export function hiddenFields(
  { row, hub }: { readonly row: KindRow; readonly hub: KindRow },
  object: JsonObject,
  ms: number,
  ttlSeconds: number,
): Labels | undefined {
  const { custom } = hub;
  if (custom !== undefined)
    return {
      [SCHEMA]:
        (row === hub && custom.webhook === undefined) || isComplete(hub, object) ? schemaMark(custom, object) : `${custom.storageVersion}/`,
      ...(isEarly(object) ? { [EARLY]: '' } : {}),
    };
  return row.expires === true ? { [EXPIRES]: String(Math.ceil(ms / 1000) + ttlSeconds) } : undefined;
}

/** In ms since 1970; undefined for an object that stays. */
export function expiryOf(entry: Entry): number | undefined {
  const text = entry.fields[EXPIRES];
  return text === undefined ? undefined : Number(text) * 1000;
}

/** `v1/<schema>`: the version that is stored, and its schema if the object is as that would have it. */
function schemaMark({ schema, schemaId, storageVersion, versions }: CustomVersion, object: JsonObject): string {
  const isOfStored = versions.get(storageVersion)?.schemaId === schemaId;
  // A creation drops the status, so its default is what readers are shown of one.
  const lacksStatus = object['status'] === undefined && (schema.properties.get('status')?.defaultValue ?? null) !== null;
  return `${storageVersion}/${isOfStored && !lacksStatus ? schemaId : ''}`;
}

/** Whether an object that came from another version lacks nothing that its schema would fill in. */
function isComplete(hub: KindRow, object: JsonObject): boolean {
  const full = cloneJson(object);
  codecOf(hub).applyDefaults(full);
  return equalJson(full, object);
}

/** Whether a member comes before the metadata in the order of names; kind and apiVersion are not kept. */
const isEarly = (object: JsonObject): boolean =>
  Object.keys(object).some((name) => name < 'metadata' && name !== 'apiVersion' && name !== 'kind');

/** False = an object is known to have no member before its metadata in the order of names. */
export function mayHaveEarlyMembers(custom: CustomVersion, entry: Entry): boolean {
  return entry.fields[EARLY] !== undefined || !isWrittenWith(custom, entry);
}

/** Whether a custom object is stored in a version that others are no longer stored in. */
export const isFormerVersion = ({ custom }: Pick<KindRow, 'custom'>, entry: Entry): boolean =>
  custom !== undefined && writtenVersion(custom, entry) !== custom.storageVersion;

/** The version in which a custom object is stored, where only a webhook knows how it looks in the row's; undefined = it can be shown at once. */
export function convertedFrom({ version, custom }: Pick<KindRow, 'custom' | 'version'>, entry: Entry): string | undefined {
  if (custom?.webhook === undefined) return undefined;
  const written = writtenVersion(custom, entry);
  return written === version ? undefined : written;
}

/** As custom objects have them that a webhook has put into the row's version. */
export function convertedFields(row: Pick<KindRow, 'custom' | 'version'>): (object: JsonObject) => Labels {
  const usual = freshFields(row);
  const early = { ...usual, [EARLY]: '' };
  return (object) => (isEarly(object) ? early : usual);
}

/** As an object of the version has them that was written with the version's schema. */
export function freshFields({ version, custom }: Pick<KindRow, 'custom' | 'version'>): Labels {
  return custom === undefined ? {} : { [SCHEMA]: `${version}/${custom.schemaId}` };
}

/** Whether an object is as the version would show it; otherwise it was written in another one, or before the schema changed. */
export function isWrittenWith({ schemaId, versions }: CustomVersion, entry: Entry): boolean {
  const mark = entry.fields[SCHEMA];
  return mark?.endsWith(schemaId) === true && versions.get(mark.slice(0, mark.indexOf('/')))?.schemaId === schemaId;
}

/** The version in which an object is stored. */
export function writtenVersion({ storageVersion }: CustomVersion, entry: Entry): string {
  const mark = entry.fields[SCHEMA] ?? '';
  return mark.includes('/') ? mark.slice(0, mark.indexOf('/')) : storageVersion;
}
