/**
 * Writes a workload through its scale. The replicas of the Scale in the body are copied to the workload.
 *
 * managedFields are converted in both directions. The Scale shows the managers that own the workload's replicas, as owners
 * of its own `spec.replicas`. After the write of the Scale, the workload's managedFields are updated so that the same
 * managers own its replicas. The entry of a manager that has become owner through the scale has no time (upstream
 * behaviour).
 */
import { membersOfPath } from '../../../shared/api/structural/member-path';
import type { CustomVersion } from '../../../shared/api/structural/version';
import { invalidValue } from '../../../shared/api/errors/field-error';
import { arrayAt, objectAt, ownMember, stringAt, type JsonObject, type JsonValue } from '../../../shared/values/json';
import { SCALE } from '../../../shared/api/kinds';
import { ensureMetadata, readMetadata } from '../../../shared/api/metadata/object-meta';
import { conflict, invalid } from '../../../shared/api/errors/status';
import { managerKey, readManagedFields, type ManagedFieldsEntry } from '../../../shared/patch/apply/managed-fields';
import { difference, type FieldSet } from '../../../shared/patch/apply/field-set';
import { scaleOf } from '../object/scale';
import { recordManagedFields, setManagedFields } from './managed-fields';
import { makeKindInfo, type KindInfo } from '../object/resource-info';
import { storagePreconditionError, uidIn } from './preconditions';
import type { WriteRequest } from './request';

/** The kind Scale. Its objects are not stored. */
export const scaleInfo = makeKindInfo(SCALE);

/** The kind of the request body. */
export function bodyInfo({ info, subresource }: WriteRequest): KindInfo {
  return subresource === 'scale' ? scaleInfo : info;
}

/** Path of the replicas in a Scale and in all built-in workloads. */
const SCALE_REPLICAS_PATH = ['spec', 'replicas'];
const SCALE_REPLICAS = fieldSetOf(SCALE_REPLICAS_PATH);

/** `['spec', 'replicas']` -> `{ 'f:spec': { 'f:replicas': {} } }` */
function fieldSetOf(path: readonly string[]): FieldSet {
  return path.reduceRight<FieldSet>((below, member) => ({ [`f:${member}`]: below }), {});
}

/** The scale of a workload, with managedFields of its replicas. */
export function scaleWithOwners(request: WriteRequest, workload: JsonObject): JsonObject {
  const scale = scaleOf(workload, request.info.row.custom?.scale);
  const owners = ownersOf(request, workload).filter((entry) => ownsField(entry, replicasFieldIn(request, entry.manager.apiVersion)));
  const entries = owners.map(({ manager, time }): ManagedFieldsEntry => ({
    manager: { ...manager, apiVersion: scaleInfo.apiVersion },
    time,
    fields: SCALE_REPLICAS,
  }));
  setManagedFields(ensureMetadata(scale), entries);
  return scale;
}

/** The write of a scale, as far as managed fields record it. */
export interface ScaleWrite {
  readonly verb: 'update' | 'patch' | 'apply';
  readonly manager: string;
  /** In ms since 1970. */
  readonly ms: number;
}

/**
 * Returns the workload with the replicas of a decoded scale. An applied scale already has managedFields. Throws
 * StatusError.
 */
export function applyScale(request: WriteRequest, { verb, manager, ms }: ScaleWrite, workload: JsonObject, scale: JsonObject): JsonObject {
  const scaleMetadata = readMetadata(scale);
  checkUid(request, verb, uidIn(scaleMetadata), uidIn(readMetadata(workload)));
  const replicas = ownMember(objectAt(scale, 'spec') ?? {}, 'replicas') ?? 0;
  checkReplicas(request, Number(replicas));
  if (verb !== 'apply') recordManagedFields(scaleInfo, { subresource: 'scale', manager, ms }, scale, scaleWithOwners(request, workload));
  const { resourceVersion: _, ...metadata } = readMetadata(workload);
  const resourceVersion = stringAt(scaleMetadata, 'resourceVersion');
  const changed: JsonObject = {
    ...workload,
    metadata: resourceVersion === undefined ? metadata : { ...metadata, resourceVersion },
    ...memberWithValue(workload, replicasPathOf(request), replicas),
  };
  const after = readManagedFields(arrayAt(ensureMetadata(scale), 'managedFields') ?? []);
  setManagedFields(ensureMetadata(changed), ownersAfterScale(request, ownersOf(request, workload), after));
  return changed;
}

/** Throws a 422 StatusError. */
function checkReplicas({ info, name }: WriteRequest, replicas: number): void {
  if (replicas >= 0) return;
  const { custom } = info.row;
  if (custom?.scale === undefined)
    throw invalid(SCALE, name, [invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0')]);
  throw invalid(info.row, name, [invalidValue(custom.scale.specReplicas, replicas, 'should be a non-negative integer')]);
}

/** The member of the object with which the path begins, with the value set at the end of the path. */
function memberWithValue(object: JsonObject, path: readonly string[], value: JsonValue): JsonObject {
  const [member = '', ...below] = path;
  const child = objectAt(object, member) ?? {};
  return { [member]: below.length === 0 ? value : { ...child, ...memberWithValue(child, below, value) } };
}

/** Path of the replicas in the workload. */
function replicasPathOf({ info }: WriteRequest): readonly string[] {
  return customReplicasPath(info.row.custom) ?? SCALE_REPLICAS_PATH;
}

const customReplicasPath = (custom: Pick<CustomVersion, 'scale'> | undefined): readonly string[] | undefined =>
  custom?.scale === undefined ? undefined : membersOfPath(custom.scale.specReplicas);

/**
 * The replicas of the workload in a version, as a field set; `undefined` when the version has no scale, and for other
 * versions of a built-in kind than that of the request.
 */
function replicasFieldIn({ info }: WriteRequest, apiVersion: string): FieldSet | undefined {
  const { row } = info;
  if (row.custom === undefined) return apiVersion === info.apiVersion ? SCALE_REPLICAS : undefined;
  const replicasPath = customReplicasPath(info.versions.get(apiVersion)?.row.custom);
  return replicasPath === undefined ? undefined : fieldSetOf(replicasPath);
}

/** A PUT gets the error of a store precondition, a patch a different one (upstream behaviour). */
function checkUid(request: WriteRequest, verb: ScaleWrite['verb'], requested: string, stored: string): void {
  if (requested === '' || requested === stored) return;
  if (verb === 'update') throw storagePreconditionError(request, { field: 'UID', requested, stored });
  const { info, name } = request;
  const text = `Precondition failed: UID in precondition: ${requested}, UID in object meta: ${stored}`;
  throw conflict({ group: info.row.group, resource: `${info.row.resource}/scale` }, name, text);
}

/** {@link difference} returns its first set itself when the sets have no member in common. */
function ownsField({ fields }: ManagedFieldsEntry, field: FieldSet | undefined): boolean {
  return field !== undefined && difference(field, fields) !== field;
}

/**
 * managedFields of the served version, for custom kinds of all versions. Of duplicate managers the last entry counts.
 */
function ownersOf({ info }: WriteRequest, workload: JsonObject): readonly ManagedFieldsEntry[] {
  const entries = readManagedFields(arrayAt(readMetadata(workload), 'managedFields') ?? []).filter(
    ({ manager }) => info.row.custom !== undefined || manager.apiVersion === info.apiVersion,
  );
  const last = new Map(entries.map((entry, index) => [managerKey(entry.manager), index]));
  return entries.filter((entry, index) => last.get(managerKey(entry.manager)) === index);
}

/**
 * managedFields of the workload after a write of its scale. `before`: its managedFields; `scaleOwners`: those of the Scale.
 * An entry that owns the replicas stays if its manager still owns those of the Scale, and otherwise loses that field.
 * Managers that own only those of the Scale get a new entry.
 */
function ownersAfterScale(
  request: WriteRequest,
  before: readonly ManagedFieldsEntry[],
  scaleOwners: readonly ManagedFieldsEntry[],
): readonly ManagedFieldsEntry[] {
  const newOwners = new Set(scaleOwners.filter((entry) => ownsField(entry, SCALE_REPLICAS)));
  // Reversed, so that of two entries of one manager the first counts.
  const scaleEntries = new Map([...scaleOwners].reverse().map((entry) => [managerKey(entry.manager), entry]));
  const kept = before.flatMap((entry): readonly ManagedFieldsEntry[] => {
    const field = replicasFieldIn(request, entry.manager.apiVersion);
    if (field === undefined || !ownsField(entry, field)) return [entry];
    const scaleEntry = scaleEntries.get(managerKey(entry.manager));
    if (scaleEntry !== undefined && newOwners.delete(scaleEntry)) return [entry];
    return [{ ...entry, fields: difference(entry.fields, field) }];
  });
  const added = [...newOwners].map(({ manager }): ManagedFieldsEntry => ({
    manager: { ...manager, apiVersion: request.info.apiVersion },
    time: undefined,
    fields: fieldSetOf(replicasPathOf(request)),
  }));
  return [...kept, ...added];
}
