/**
 * Fields in the header of stored values under names that field selectors cannot use. They state when an object of an
 * expiring kind expires, in which version and with which schema a custom object was written, and whether it has members
 * that sort before its metadata, so that readers do not have to parse the body.
 */
import type { CustomVersion } from '../../../shared/api/structural/version';
import type { KindRow } from '../../../shared/api/kinds';
import { codecOf } from '../../../shared/api/codec/codec';
import { cloneJson, equalJson, type JsonObject } from '../../../shared/values/json';
import type { Entry, Labels } from '../../cache/cache';

/** When the object expires, in seconds since 1970. */
const EXPIRES = '$expires';
/** Version and id of the schema with which a custom object was stored: `v1/<schema id>`, see {@link schemaMark}. */
const SCHEMA = '$schema';
/**
 * Present, with an empty value, when a custom object has members that sort before `metadata`. Stored objects begin with the
 * metadata, but responses have their members in alphabetical order, so these members have to be moved.
 */
const BEFORE_METADATA = '$early';

/**
 * The hidden fields of an object that is about to be stored; `undefined` when the kind has none. `row`: of the written
 * version. `object`: in its stored form. `now`: of the write, in ms since 1970. Every write restarts the time to live of an
 * expiring kind (upstream behaviour).
 */
export function hiddenFields(
  { row, hub }: { readonly row: KindRow; readonly hub: KindRow },
  object: JsonObject,
  now: number,
  ttlSeconds: number,
): Labels | undefined {
  const { custom } = hub;
  if (custom === undefined) return row.expires === true ? { [EXPIRES]: String(Math.ceil(now / 1000) + ttlSeconds) } : undefined;
  // An object that was written in the storage version has got the defaults of that version; a converted one may lack some.
  const hasStorageDefaults = (row === hub && custom.webhook === undefined) || hasAllDefaults(hub, object);
  return {
    [SCHEMA]: hasStorageDefaults ? schemaMark(custom, object) : `${custom.storageVersion}/`,
    ...(hasMembersBeforeMetadata(object) ? { [BEFORE_METADATA]: '' } : {}),
  };
}

/** In ms since 1970; `undefined` for an object that does not expire. */
export function expiryTimeOf(entry: Entry): number | undefined {
  const text = entry.fields[EXPIRES];
  return text === undefined ? undefined : Number(text) * 1000;
}

/**
 * `v1/<schema id>`: the storage version, and the id of its schema if the object equals what that schema would
 * produce; otherwise an empty id.
 */
function schemaMark({ schema, schemaId, storageVersion, versions }: CustomVersion, object: JsonObject): string {
  const isStorageSchema = versions.get(storageVersion)?.schemaId === schemaId;
  // A create drops the status, so readers have to be shown the default status of the schema.
  const lacksStatus = object['status'] === undefined && (schema.properties.get('status')?.defaultValue ?? null) !== null;
  return `${storageVersion}/${isStorageSchema && !lacksStatus ? schemaId : ''}`;
}

/** Whether an object that was converted from another version has all defaults of the storage schema. */
function hasAllDefaults(hub: KindRow, object: JsonObject): boolean {
  const defaulted = cloneJson(object);
  codecOf(hub).applyDefaults(defaulted);
  return equalJson(defaulted, object);
}

/** Whether a member sorts before `metadata`, apart from `apiVersion` and `kind`, which are not stored. */
const hasMembersBeforeMetadata = (object: JsonObject): boolean =>
  Object.keys(object).some((name) => name < 'metadata' && name !== 'apiVersion' && name !== 'kind');

/** False only if the object is known to have no member that sorts before `metadata`. */
export function mayHaveMembersBeforeMetadata(custom: CustomVersion, entry: Entry): boolean {
  return entry.fields[BEFORE_METADATA] !== undefined || !isStoredWithSchema(custom, entry);
}

/** Whether the object is stored in another version than the current storage version. */
export const isStoredInFormerVersion = ({ custom }: Pick<KindRow, 'custom'>, entry: Entry): boolean =>
  custom !== undefined && storedVersionOf(custom, entry) !== custom.storageVersion;

/** The stored version if a webhook has to convert the object to the version of the row; otherwise `undefined`. */
export function versionToConvertFrom({ version, custom }: Pick<KindRow, 'custom' | 'version'>, entry: Entry): string | undefined {
  if (custom?.webhook === undefined) return undefined;
  const storedVersion = storedVersionOf(custom, entry);
  return storedVersion === version ? undefined : storedVersion;
}

/** Header fields of objects that a webhook has converted to the version of the row. */
export function convertedObjectFields(row: Pick<KindRow, 'custom' | 'version'>): (object: JsonObject) => Labels {
  const fields = currentSchemaFields(row);
  const markedFields = { ...fields, [BEFORE_METADATA]: '' };
  return (object) => (hasMembersBeforeMetadata(object) ? markedFields : fields);
}

/** Header fields of an object that was written in this version with its current schema. */
export function currentSchemaFields({ version, custom }: Pick<KindRow, 'custom' | 'version'>): Labels {
  return custom === undefined ? {} : { [SCHEMA]: `${version}/${custom.schemaId}` };
}

/**
 * Whether an object was stored with a schema equal to the one of this version, so that it can be shown as it is
 * stored.
 */
export function isStoredWithSchema({ schemaId, versions }: CustomVersion, entry: Entry): boolean {
  const mark = entry.fields[SCHEMA];
  return mark?.endsWith(schemaId) === true && versions.get(mark.slice(0, mark.indexOf('/')))?.schemaId === schemaId;
}

/** The version in which an object is stored. */
export function storedVersionOf({ storageVersion }: CustomVersion, entry: Entry): string {
  const mark = entry.fields[SCHEMA] ?? '';
  return mark.includes('/') ? mark.slice(0, mark.indexOf('/')) : storageVersion;
}
