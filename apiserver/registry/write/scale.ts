/**
 * Writing a workload through its scale (behaviour-reference §6.2, §6.4): the body is an object of another kind, of which the number of replicas
 * goes to the workload. Owners of that number are shown as owners of the scale's and brought back; who comes to own it here does so at no time
 * (upstream behaviour).
 */
import { invalidValue } from '../../../shared/api/field-error';
import { arrayAt, objectAt, own, stringAt, type JsonObject } from '../../../shared/api/json';
import { SCALE } from '../../../shared/api/kinds';
import { metadataOf, readMetadata } from '../../../shared/api/object-meta';
import { conflict, invalid, storedPrecondition } from '../../../shared/api/status';
import { isSameManager, readEntries, type Entry } from '../../../shared/patch/apply/entries';
import { difference, type FieldSet } from '../../../shared/patch/apply/field-set';
import { entryKey } from '../resources';
import { scaleOf } from '../scale';
import { recordOwnership, setOwnership } from './ownership';
import { kindPlan } from './plan';
import type { WriteRequest } from './request';

export const scalePlan = kindPlan(SCALE);

/** The number of replicas, in a workload as in a scale. */
const REPLICAS: FieldSet = { 'f:spec': { 'f:replicas': {} } };

/** The workload's scale with the owners of its number. */
export function shownScale(request: WriteRequest, workload: JsonObject): JsonObject {
  const scale = scaleOf(workload);
  const owners = ownersOf(request, workload).filter(ownsReplicas);
  const shown = owners.map(({ manager, time }): Entry => ({
    manager: { ...manager, apiVersion: scalePlan.apiVersion },
    time,
    fields: REPLICAS,
  }));
  setOwnership(metadataOf(scale), shown);
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
  if (Number(replicas) < 0)
    throw invalid(SCALE, request.name, [invalidValue('spec.replicas', Number(replicas), 'must be greater than or equal to 0')]);
  if (verb !== 'apply') recordOwnership(scalePlan, 'scale', manager, scale, shownScale(request, workload), ms);
  const { resourceVersion: _, ...metadata } = readMetadata(workload);
  const version = stringAt(sent, 'resourceVersion');
  const changed: JsonObject = {
    ...workload,
    metadata: version === undefined ? metadata : { ...metadata, resourceVersion: version },
    spec: { ...objectAt(workload, 'spec'), replicas },
  };
  const after = readEntries(arrayAt(metadataOf(scale), 'managedFields') ?? []);
  setOwnership(metadataOf(changed), broughtBack(request, ownersOf(request, workload), after));
  return changed;
}

/** A PUT's condition is the store's, that of a patched scale is checked here: they are told in different words. */
function checkIdentity(request: WriteRequest, verb: ScaleWrite['verb'], wanted: string, found: string): void {
  if (wanted === '' || wanted === found) return;
  const { plan, name } = request;
  if (verb === 'update') throw storedPrecondition(plan.gr, name, plan.keyPrefix + entryKey(request), 'UID', wanted, found);
  const text = `Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${found}`;
  throw conflict({ group: plan.group, resource: `${plan.gr.resource}/scale` }, name, text);
}

function ownsReplicas({ fields }: Entry): boolean {
  return difference(REPLICAS, fields) !== REPLICAS;
}

/** Of the version that is served; of two entries of one manager the last counts. */
function ownersOf({ plan }: WriteRequest, workload: JsonObject): readonly Entry[] {
  const entries = readEntries(arrayAt(readMetadata(workload), 'managedFields') ?? []).filter(
    ({ manager }) => manager.apiVersion === plan.apiVersion,
  );
  return entries.filter((entry, index) => !entries.slice(index + 1).some((later) => isSameManager(later.manager, entry.manager)));
}

/** The workload's owners after those of its scale have changed. Appliers are known again; others are taken for new ones. */
function broughtBack({ plan }: WriteRequest, before: readonly Entry[], ofScale: readonly Entry[]): readonly Entry[] {
  const left = new Set(ofScale.filter(ownsReplicas));
  const kept = before.flatMap((entry): readonly Entry[] => {
    if (!ownsReplicas(entry)) return [entry];
    const known = ofScale.find(({ manager }) => isSameManager(manager, entry.manager));
    if (known !== undefined && left.delete(known)) return [entry];
    return [{ ...entry, fields: difference(entry.fields, REPLICAS) }];
  });
  const fresh = [...left].map(({ manager }): Entry => ({
    manager: { ...manager, apiVersion: plan.apiVersion },
    time: undefined,
    fields: REPLICAS,
  }));
  return [...kept, ...fresh];
}
