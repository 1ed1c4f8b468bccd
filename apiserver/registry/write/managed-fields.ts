/**
 * Updates `metadata.managedFields` in writes other than apply, and detects writes that change nothing but the timestamps in
 * it. The rules of ownership ({@link ownershipOf}) hold for applies (apply.ts) too. The merge of field sets is in
 * shared/patch/apply.
 */
import { arrayAt, equalJson, isObject, type JsonArray, type JsonObject } from '../../../shared/values/json';
import { ensureMetadata, readMetadata, formatTimestamp } from '../../../shared/api/metadata/object-meta';
import type { KindCodec } from '../../../shared/api/codec/codec';
import type { KindRow } from '../../../shared/api/kinds';
import {
  isManagedFieldsReset,
  parseManagedFieldsInSteps,
  readManagedFields,
  writeManagedFields,
  type ManagedFieldsEntry,
  type FieldManager,
} from '../../../shared/patch/apply/managed-fields';
import { runStepsSync, type Steps } from '../../../shared/scheduling/steps';
import type { FieldSet } from '../../../shared/patch/apply/field-set';
import { recordUpdateInSteps, type VersionViews, type VersionView } from '../../../shared/patch/apply/record-update';
import { customMergeShape } from '../../../shared/patch/apply/custom-merge-shape';
import { MissingListKeyError, mergeShapeOf, type MergeShape } from '../../../shared/patch/apply/merge-shape';
import type { VersionConverter } from '../conversions';
import { toHub, toServed, type KindInfo } from '../object/resource-info';

const NO_FIELDS: FieldSet = {};
const STATUS: FieldSet = { 'f:status': {} };
const SPEC: FieldSet = { 'f:spec': {} };
/** The fields that the status endpoint resets, for kinds in which it keeps the stored labels, or all stored metadata. */
const RESET_BY_STATUS: Readonly<Record<'labels' | 'metadata', FieldSet>> = {
  labels: { 'f:metadata': { 'f:labels': {} }, 'f:spec': {} },
  metadata: { 'f:metadata': {}, 'f:spec': {} },
};

/**
 * The rules by which writes through an endpoint own fields. `versionConverter`: set for kinds with a conversion webhook.
 *
 * For custom kinds an endpoint resets fields in its own version only. Therefore a status write without a spec takes
 * ownership of spec fields from managers of other versions (upstream behaviour).
 */
export function ownershipOf(info: KindInfo, subresource: string | undefined, versionConverter?: VersionConverter): VersionViews {
  const resets = resetsOf(info, subresource);
  const served: VersionView = { shape: kindShape(info.row), resets, toVersion: unchanged, fromVersion: unchanged };
  const otherResets = info.row.custom === undefined ? resets : NO_FIELDS;
  return {
    served,
    viewOf: (apiVersion) => (apiVersion === info.apiVersion ? served : versionViewOf(info, apiVersion, otherResets, versionConverter)),
  };
}

const unchanged = (object: JsonObject): JsonObject => object;

function versionViewOf(
  info: KindInfo,
  apiVersion: string,
  resets: FieldSet,
  versionConverter: VersionConverter | undefined,
): VersionView | undefined {
  const version = info.versions.get(apiVersion);
  if (version === undefined) return undefined;
  const { row, converter } = version;
  if (versionConverter !== undefined) {
    const servedVersion = info.row.version;
    const otherVersion = apiVersion.slice(apiVersion.indexOf('/') + 1);
    return {
      shape: kindShape(row),
      resets,
      toVersion: (object) => versionConverter.convert(object, servedVersion, otherVersion),
      fromVersion: (object) => versionConverter.convert(object, otherVersion, servedVersion),
    };
  }
  return {
    shape: kindShape(row),
    resets,
    toVersion: (object) => (converter === undefined ? toHub(info, object) : converter.fromHub(toHub(info, object))),
    fromVersion: (object) => toServed(info, converter === undefined ? object : converter.toHub(object)),
  };
}

function resetsOf(info: KindInfo, subresource: string | undefined): FieldSet {
  const kindFields = info.resetFields?.get(subresource ?? '');
  if (kindFields !== undefined) return kindFields;
  if (subresource !== 'status') return info.hasStatus ? STATUS : NO_FIELDS;
  const { statusUpdateKeeps } = info.row;
  return statusUpdateKeeps === undefined ? SPEC : RESET_BY_STATUS[statusUpdateKeeps];
}

/** The identity under which managedFields record a write. `name`: of the field manager. */
export function managerOf(
  info: KindInfo,
  subresource: string | undefined,
  name: string,
  operation: FieldManager['operation'],
): FieldManager {
  return { name, operation, apiVersion: info.apiVersion, subresource: subresource ?? '' };
}

function kindShape({ custom, type }: Pick<KindRow, 'custom' | 'type'>): MergeShape {
  return custom === undefined ? mergeShapeOf(type) : customMergeShape(custom.schema);
}

/** Results of {@link emptyObject}, which are never changed. */
const emptyObjects = new WeakMap<KindCodec, JsonObject>();

/** The object before a create: empty except for members that output always contains. */
export function emptyObject(info: KindInfo): JsonObject {
  let object = emptyObjects.get(info.codec);
  if (object === undefined) emptyObjects.set(info.codec, (object = info.codec.decode({}).object));
  return object;
}

/** Returns the object without managedFields. Shares all other values. */
export function withoutManagedFields(object: JsonObject): JsonObject {
  const metadata = readMetadata(object);
  if (metadata['managedFields'] === undefined) return object;
  const { managedFields: _, ...others } = metadata;
  return { ...object, metadata: others };
}

/** A write other than apply, as managedFields record it. */
export interface RecordedWrite {
  /** `undefined` for the main endpoint. */
  readonly subresource: string | undefined;
  readonly manager: string;
  /** In ms since 1970. */
  readonly ms: number;
  /** Set for kinds with a conversion webhook. */
  readonly versionConverter?: VersionConverter | undefined;
}

/** Sets managedFields of `object`, which is in the storage version. `old` is undefined on create. */
export function recordManagedFields(info: KindInfo, write: RecordedWrite, object: JsonObject, old: JsonObject | undefined): void {
  runStepsSync(recordManagedFieldsInSteps(info, write, object, old));
}

/** Like {@link recordManagedFields}, in steps. */
export function* recordManagedFieldsInSteps(
  info: KindInfo,
  { subresource, manager, ms, versionConverter }: RecordedWrite,
  object: JsonObject,
  old: JsonObject | undefined,
): Steps<void> {
  const metadata = ensureMetadata(object);
  const stored = old === undefined ? undefined : arrayAt(readMetadata(old), 'managedFields');
  const sent = arrayAt(metadata, 'managedFields');
  delete metadata['managedFields'];
  const base = yield* baseEntriesInSteps(subresource === undefined ? sent : undefined, stored);
  yield;
  // An object without managedFields stays untracked until the first apply.
  if (old !== undefined && base.length === 0) return;
  const live = old === undefined ? emptyObject(info) : toServed(info, withoutManagedFields(old));
  let entries: readonly ManagedFieldsEntry[];
  try {
    const updateManager = managerOf(info, subresource, manager, 'Update');
    entries = yield* recordUpdateInSteps({ object: live, entries: base }, toServed(info, object), {
      views: ownershipOf(info, subresource, versionConverter),
      manager: updateManager,
      now: formatTimestamp(ms),
    });
  } catch (error) {
    // Upstream leaves an object untracked when items of a keyed list have no key.
    if (error instanceof MissingListKeyError) return;
    throw error;
  }
  setManagedFields(metadata, entries);
}

/** Sets managedFields, or removes the member when there are no entries. */
export function setManagedFields(metadata: JsonObject, entries: readonly ManagedFieldsEntry[]): void {
  const list = writeManagedFields(entries);
  if (list.length === 0) delete metadata['managedFields'];
  else metadata['managedFields'] = list;
}

/** The entries that the client sends, if they are valid (none when it resets them); otherwise the stored ones. */
function* baseEntriesInSteps(sent: JsonArray | undefined, stored: JsonArray | undefined): Steps<readonly ManagedFieldsEntry[]> {
  const storedEntries = (): readonly ManagedFieldsEntry[] => (stored === undefined ? [] : readManagedFields(stored));
  if (sent === undefined || equalJson(sent, stored)) return storedEntries();
  if (isManagedFieldsReset(sent)) return [];
  const parsed = yield* parseManagedFieldsInSteps(sent);
  return parsed === undefined || parsed.length === 0 ? storedEntries() : parsed;
}

/** Whether only timestamps in managedFields differ. Such a write is not stored, except through a scale (upstream behaviour). */
export function changesOnlyTimestamps(object: JsonObject, old: JsonObject): boolean {
  const metadata = readMetadata(object);
  const before = readMetadata(old);
  const list = arrayAt(metadata, 'managedFields');
  const stored = arrayAt(before, 'managedFields');
  if (list === undefined || stored === undefined || list.length !== stored.length) return false;
  for (const name of Object.keys(old)) if (name !== 'metadata' && !equalJson(object[name], old[name])) return false;
  for (const name of Object.keys(object)) if (old[name] === undefined) return false;
  return equalJson(comparedMetadata(metadata), comparedMetadata(before)) && equalJson(fieldsByManager(list), fieldsByManager(stored));
}

const comparedMetadata = ({ managedFields: _, resourceVersion: __, ...compared }: JsonObject): JsonObject => compared;

/** Without timestamps, and keyed by manager, because the order of entries depends on the timestamps. */
function fieldsByManager(list: JsonArray): JsonObject {
  const entries: JsonObject = {};
  for (const item of list) {
    if (!isObject(item)) continue;
    const { time: _, fieldsV1 = null, ...manager } = item;
    entries[JSON.stringify(manager)] = fieldsV1;
  }
  return entries;
}
