/**
 * Writing a workload through its scale: the body is an object of another kind, of which the number of replicas
 * goes to the workload. Owners of that number are shown as owners of the scale's and brought back; who comes to own it here does so at no time
 * (upstream behaviour).
 */
import { membersOfPath } from '../../../shared/api/structural/member-path';
import type { CustomVersion } from '../../../shared/api/structural/version';
import { invalidValue } from '../../../shared/api/errors/field-error';
import { arrayAt, objectAt, own, stringAt, type JsonObject, type JsonValue } from '../../../shared/values/json';
import { SCALE } from '../../../shared/api/kinds';
import { ensureMetadata, readMetadata } from '../../../shared/api/metadata/object-meta';
import { conflict, invalid, storagePreconditionFailed } from '../../../shared/api/errors/status';
import { managerKey, readManagedFields, type ManagedFieldsEntry } from '../../../shared/patch/apply/managed-fields';
import { difference, type FieldSet } from '../../../shared/patch/apply/field-set';
import { entryKey } from '../resources';
import { scaleOf } from '../object/scale';
import { recordOwnership, setOwnership } from './managed-fields';
import { kindInfo, type KindInfo } from '../object/resource-info';
import type { WriteRequest } from './request';

export const scaleInfo = kindInfo(SCALE);

/** The kind of the body. */
export function bodyInfo({ info, subresource }: WriteRequest): KindInfo {
  return subresource === 'scale' ? scaleInfo : info;
}

/** Where a scale has the number of replicas, and every built-in workload. */
const IN_SCALE = ['spec', 'replicas'];
const REPLICAS = fieldAt(IN_SCALE);

function fieldAt(path: readonly string[]): FieldSet {
  return path.reduceRight<FieldSet>((below, member) => ({ [`f:${member}`]: below }), {});
}

/** Where the workload has it. */
function placeOf({ info }: WriteRequest): readonly string[] {
  return customPlace(info.row.custom) ?? IN_SCALE;
}

const customPlace = (custom: Pick<CustomVersion, 'scale'> | undefined): readonly string[] | undefined =>
  custom?.scale === undefined ? undefined : membersOfPath(custom.scale.specReplicas);

/** Where a version of it has it; undefined = it has none there. */
function placeIn({ info }: WriteRequest, apiVersion: string): FieldSet | undefined {
  const { row } = info;
  if (row.custom === undefined) return apiVersion === info.apiVersion ? REPLICAS : undefined;
  const place = customPlace(info.versions.get(apiVersion)?.row.custom);
  return place === undefined ? undefined : fieldAt(place);
}

/** The workload's scale with the owners of its number. */
export function shownScale(request: WriteRequest, workload: JsonObject): JsonObject {
  const scale = scaleOf(workload, request.info.row.custom?.scale);
  const owners = ownersOf(request, workload).filter((entry) => owns(entry, placeIn(request, entry.manager.apiVersion)));
  const shown = owners.map(({ manager, time }): ManagedFieldsEntry => ({
    manager: { ...manager, apiVersion: scaleInfo.apiVersion },
    time,
    fields: REPLICAS,
  }));
  setOwnership(ensureMetadata(scale), shown);
  return scale;
}

export interface ScaleWrite {
  readonly verb: 'update' | 'patch' | 'apply';
  readonly manager: string;
  /** Since 1970. */
  readonly ms: number;
}

/** The workload with the number of a decoded scale. An applied one has its owners already. Throws StatusError. */
export function scaled(request: WriteRequest, { verb, manager, ms }: ScaleWrite, workload: JsonObject, scale: JsonObject): JsonObject {
  const sent = readMetadata(scale);
  checkIdentity(request, verb, stringAt(sent, 'uid') ?? '', stringAt(readMetadata(workload), 'uid') ?? '');
  const replicas = own(objectAt(scale, 'spec') ?? {}, 'replicas') ?? 0;
  checkNumber(request, Number(replicas));
  if (verb !== 'apply') recordOwnership(scaleInfo, 'scale', manager, scale, shownScale(request, workload), ms);
  const { resourceVersion: _, ...metadata } = readMetadata(workload);
  const version = stringAt(sent, 'resourceVersion');
  const changed: JsonObject = {
    ...workload,
    metadata: version === undefined ? metadata : { ...metadata, resourceVersion: version },
    ...replaced(workload, placeOf(request), replicas),
  };
  const after = readManagedFields(arrayAt(ensureMetadata(scale), 'managedFields') ?? []);
  setOwnership(ensureMetadata(changed), broughtBack(request, ownersOf(request, workload), after));
  return changed;
}

/** Throws a 422 StatusError. */
function checkNumber({ info, name }: WriteRequest, replicas: number): void {
  if (replicas >= 0) return;
  const { custom, group, kind } = info.row;
  if (custom?.scale === undefined)
    throw invalid(SCALE, name, [invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0')]);
  throw invalid({ group, kind }, name, [invalidValue(custom.scale.specReplicas, replicas, 'should be a non-negative integer')]);
}

/** The topmost member on the way to a value, with the value in its place. */
function replaced(object: JsonObject, path: readonly string[], value: JsonValue): JsonObject {
  const [member = '', ...below] = path;
  const found = objectAt(object, member) ?? {};
  return { [member]: below.length === 0 ? value : { ...found, ...replaced(found, below, value) } };
}

/** A PUT's condition is the store's, that of a patched scale is checked here: they are told in different words. */
function checkIdentity(request: WriteRequest, verb: ScaleWrite['verb'], wanted: string, found: string): void {
  if (wanted === '' || wanted === found) return;
  const { info, name } = request;
  if (verb === 'update') throw storagePreconditionFailed(info.gr, name, info.keyPrefix + entryKey(request), 'UID', wanted, found);
  const text = `Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${found}`;
  throw conflict({ group: info.group, resource: `${info.gr.resource}/scale` }, name, text);
}

function owns({ fields }: ManagedFieldsEntry, place: FieldSet | undefined): boolean {
  return place !== undefined && difference(place, fields) !== place;
}

/** Of the version that is served, of custom kinds of all; of two entries of one manager the last counts. */
function ownersOf({ info }: WriteRequest, workload: JsonObject): readonly ManagedFieldsEntry[] {
  const entries = readManagedFields(arrayAt(readMetadata(workload), 'managedFields') ?? []).filter(
    ({ manager }) => info.row.custom !== undefined || manager.apiVersion === info.apiVersion,
  );
  const last = new Map(entries.map((entry, index) => [managerKey(entry.manager), index]));
  return entries.filter((entry, index) => last.get(managerKey(entry.manager)) === index);
}

/** The workload's owners after those of its scale have changed. Appliers are known again; others are taken for new ones. */
function broughtBack(
  request: WriteRequest,
  before: readonly ManagedFieldsEntry[],
  ofScale: readonly ManagedFieldsEntry[],
): readonly ManagedFieldsEntry[] {
  const left = new Set(ofScale.filter((entry) => owns(entry, REPLICAS)));
  const known = new Map([...ofScale].reverse().map((entry) => [managerKey(entry.manager), entry]));
  const kept = before.flatMap((entry): readonly ManagedFieldsEntry[] => {
    const place = placeIn(request, entry.manager.apiVersion);
    if (place === undefined || !owns(entry, place)) return [entry];
    const same = known.get(managerKey(entry.manager));
    if (same !== undefined && left.delete(same)) return [entry];
    return [{ ...entry, fields: difference(entry.fields, place) }];
  });
  const fresh = [...left].map(({ manager }): ManagedFieldsEntry => ({
    manager: { ...manager, apiVersion: request.info.apiVersion },
    time: undefined,
    fields: fieldAt(placeOf(request)),
  }));
  return [...kept, ...fresh];
}
