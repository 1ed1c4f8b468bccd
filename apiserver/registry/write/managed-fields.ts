/**
 * Keeps `metadata.managedFields` through every write that is no apply, and tells a change of nothing but its times from
 * a change. The rules of ownership are in shared/patch/apply.
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
import type { OtherVersions } from '../conversions';
import type { KindInfo } from '../object/resource-info';
import { toHub, toServed } from '../object/resource-info';

const NOTHING: FieldSet = {};
const STATUS: FieldSet = { 'f:status': {} };
const SPEC: FieldSet = { 'f:spec': {} };
const KEPT: Readonly<Record<'labels' | 'metadata', FieldSet>> = {
  labels: { 'f:metadata': { 'f:labels': {} }, 'f:spec': {} },
  metadata: { 'f:metadata': {}, 'f:spec': {} },
};
/**
 * How an endpoint's writes come to own fields. `versions`: converts where only a webhook can. Of custom kinds, what an endpoint leaves as it is is left in its own version only: a status that comes without a spec
 * takes the spec's fields from those who own them in other versions (upstream behaviour).
 */
export function ownershipOf(info: KindInfo, subresource: string | undefined, versions?: OtherVersions): VersionViews {
  const resets = resetsOf(info, subresource);
  const own: VersionView = { shape: kindShape(info.row), resets, toVersion: same, fromVersion: same };
  const inOthers = info.row.custom === undefined ? resets : NOTHING;
  return { own, viewOf: (apiVersion) => (apiVersion === info.apiVersion ? own : viewOf(info, apiVersion, inOthers, versions)) };
}

const same = (object: JsonObject): JsonObject => object;

function viewOf(info: KindInfo, apiVersion: string, resets: FieldSet, versions: OtherVersions | undefined): VersionView | undefined {
  const version = info.versions.get(apiVersion);
  if (version === undefined) return undefined;
  const { row, converter } = version;
  if (versions !== undefined) {
    const [own, other] = [info.row.version, apiVersion.slice(apiVersion.indexOf('/') + 1)];
    return {
      shape: kindShape(row),
      resets,
      toVersion: (object) => versions.convert(object, own, other),
      fromVersion: (object) => versions.convert(object, other, own),
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
  const ofKind = info.resetFields?.get(subresource ?? '');
  if (ofKind !== undefined) return ofKind;
  if (subresource !== 'status') return info.hasStatus ? STATUS : NOTHING;
  const { statusUpdateKeeps } = info.row;
  return statusUpdateKeeps === undefined ? SPEC : KEPT[statusUpdateKeeps];
}

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

const empty = new WeakMap<KindCodec, JsonObject>();

/** What an object of the served type is before it is created: the members that output always has, unset. */
export function emptyObject(info: KindInfo): JsonObject {
  let object = empty.get(info.codec);
  if (object === undefined) empty.set(info.codec, (object = info.codec.decode({}).object));
  return object;
}

/** The object without managedFields; it shares everything else. */
export function withoutOwnership(object: JsonObject): JsonObject {
  const metadata = readMetadata(object);
  if (metadata['managedFields'] === undefined) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}

/** Writes who owns what into `object`, which can be stored. `old` undefined = it is being created. `ms` since 1970. */
export function recordOwnership(
  info: KindInfo,
  subresource: string | undefined,
  manager: string,
  object: JsonObject,
  old: JsonObject | undefined,
  ms: number,
): void {
  runStepsSync(recordingOwnership(info, subresource, manager, object, old, ms));
}

/** The same in steps. */
export function* recordingOwnership(
  info: KindInfo,
  subresource: string | undefined,
  manager: string,
  object: JsonObject,
  old: JsonObject | undefined,
  ms: number,
  versions?: OtherVersions,
): Steps<void> {
  const metadata = ensureMetadata(object);
  const stored = old === undefined ? undefined : arrayAt(readMetadata(old), 'managedFields');
  const sent = arrayAt(metadata, 'managedFields');
  delete metadata['managedFields'];
  const base = yield* baseEntries(subresource === undefined ? sent : undefined, stored);
  yield;
  // What was never tracked stays so until someone applies.
  if (old !== undefined && base.length === 0) return;
  const live = old === undefined ? emptyObject(info) : toServed(info, withoutOwnership(old));
  let entries: readonly ManagedFieldsEntry[];
  try {
    const who = managerOf(info, subresource, manager, 'Update');
    entries = yield* recordUpdateInSteps(
      ownershipOf(info, subresource, versions),
      live,
      toServed(info, object),
      base,
      who,
      formatTimestamp(ms),
    );
  } catch (error) {
    // Items that cannot be told apart have no owners: the object goes untracked (upstream behaviour).
    if (error instanceof MissingListKeyError) return;
    throw error;
  }
  setOwnership(metadata, entries);
}

export function setOwnership(metadata: JsonObject, entries: readonly ManagedFieldsEntry[]): void {
  const list = writeManagedFields(entries);
  if (list.length === 0) delete metadata['managedFields'];
  else metadata['managedFields'] = list;
}

/** What a client sends counts if it can be understood; else the stored entries do. */
function* baseEntries(sent: JsonArray | undefined, stored: JsonArray | undefined): Steps<readonly ManagedFieldsEntry[]> {
  const own = (): readonly ManagedFieldsEntry[] => (stored === undefined ? [] : readManagedFields(stored));
  if (sent === undefined || equalJson(sent, stored)) return own();
  if (isManagedFieldsReset(sent)) return [];
  const parsed = yield* parseManagedFieldsInSteps(sent);
  return parsed === undefined || parsed.length === 0 ? own() : parsed;
}

/** Whether a write would change nothing but the times in managedFields: then it is none. */
export function changesOnlyTimes(object: JsonObject, old: JsonObject): boolean {
  const [metadata, before] = [readMetadata(object), readMetadata(old)];
  const [list, stored] = [arrayAt(metadata, 'managedFields'), arrayAt(before, 'managedFields')];
  if (list === undefined || stored === undefined || list.length !== stored.length) return false;
  for (const name of Object.keys(old)) if (name !== 'metadata' && !equalJson(object[name], old[name])) return false;
  for (const name of Object.keys(object)) if (old[name] === undefined) return false;
  const { managedFields: _, resourceVersion: __, ...rest } = metadata;
  const { managedFields: ___, resourceVersion: ____, ...restBefore } = before;
  return equalJson(rest, restBefore) && equalJson(withoutTimes(list), withoutTimes(stored));
}

/** By manager, because the order follows the times. */
function withoutTimes(list: JsonArray): JsonObject {
  const entries: JsonObject = {};
  for (const item of list) {
    if (!isObject(item)) continue;
    const { time: _, fieldsV1 = null, ...manager } = item;
    entries[JSON.stringify(manager)] = fieldsV1;
  }
  return entries;
}
