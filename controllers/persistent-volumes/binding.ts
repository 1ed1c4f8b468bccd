/**
 * The bodies that bind a volume and a claim to each other, and that release a volume. Pure; the functions that bind or set
 * a phase return `undefined` when nothing is to be changed. Objects and their status are separate writes.
 */
import type {
  CoreV1PersistentVolume,
  CoreV1PersistentVolumeClaim,
  CoreV1PersistentVolumeClaimStatus,
  CoreV1PersistentVolumeSpec,
  MetaV1ObjectMeta,
} from '../../shared/api/types/generated/members';
import type { ApiObject } from '../../shared/client/rest/api-object';
import type { Claim } from '../../shared/client/rest/typed-objects';
import { omitNames } from '../../shared/names/spellings';
import { equalJson, type JsonObject } from '../../shared/values/json';
import { annotationOf, STORAGE_NAMES, type StorageNames } from './storage-names';
import { accessModesOf, claimPhaseOf, claimRefOf, claimReference, isBoundToClaim, volumeNameOf, type Volume } from './storage-objects';

/** The phases that the binder writes to volumes. */
export type VolumePhase = 'Available' | 'Bound' | 'Released' | 'Failed';
/** The phases that the binder writes to claims. */
export type ClaimPhase = 'Pending' | 'Bound' | 'Lost';

/** The value of an annotation that informs by its presence. */
const YES = 'yes';

/** The volume with a complete claimRef, marked as bound by the controller unless it was reserved for the claim. */
export function volumeBoundTo(volume: Volume, claim: Claim, names: StorageNames): CoreV1PersistentVolume | undefined {
  const isReserved = isBoundToClaim(volume, claim);
  if (isReserved && claimRefOf(volume)?.uid === claim.uid) return undefined;
  const { apiVersion, kind, namespace, name, uid, resourceVersion } = claimReference(claim);
  const body = { ...volume.body, spec: { ...volume.body.spec, claimRef: { apiVersion, kind, namespace, name, uid, resourceVersion } } };
  if (isReserved || annotationOf(volume, STORAGE_NAMES.boundByController) !== undefined) return body;
  return { ...body, metadata: withAnnotations(volume, { [names.boundByController]: YES }) };
}

/** The claim with its volumeName and the annotation of a complete binding. */
export function claimBoundTo(claim: Claim, volume: Volume, names: StorageNames): CoreV1PersistentVolumeClaim | undefined {
  const added: Record<string, string> = {};
  const isChosen = volumeNameOf(claim) === volume.name;
  if (!isChosen && annotationOf(claim, STORAGE_NAMES.boundByController) === undefined) added[names.boundByController] = YES;
  if (annotationOf(claim, STORAGE_NAMES.bindCompleted) === undefined) added[names.bindCompleted] = YES;
  if (isChosen && Object.keys(added).length === 0) return undefined;
  return { ...claim.body, metadata: withAnnotations(claim, added), spec: { ...claim.body.spec, volumeName: volume.name } };
}

/**
 * The claim in this phase, with access modes and capacity of its volume, or with neither when `volume` is undefined. The
 * capacity of a claim that has the phase already is kept: it changes only by an expansion.
 */
export function claimInPhase(claim: Claim, phase: ClaimPhase, volume: Volume | undefined): CoreV1PersistentVolumeClaim | undefined {
  const { status = {} } = claim.body;
  const next: CoreV1PersistentVolumeClaimStatus = { ...status, phase };
  if (volume === undefined) {
    delete next.accessModes;
    delete next.capacity;
  } else {
    next.accessModes = [...accessModesOf(volume)];
    const storage = volume.body.spec?.capacity?.['storage'];
    if (claimPhaseOf(claim) !== phase && storage !== undefined) next.capacity = { ...status.capacity, storage };
  }
  return equalJson(status, next) ? undefined : { ...claim.body, status: next };
}

/** The volume in this phase; undefined when it has the phase, whatever its message. `message`: of a failure. */
export function volumeInPhase(volume: Volume, phase: VolumePhase, message = ''): CoreV1PersistentVolume | undefined {
  const { status = {} } = volume.body;
  if (status.phase === phase) return undefined;
  const { message: _message, ...rest } = status;
  return { ...volume.body, status: { ...rest, phase, ...(message === '' ? {} : { message }) } };
}

/** The volume without its claim; one that a user reserved stays reserved for the name of the claim. */
export function unboundVolume(volume: Volume): CoreV1PersistentVolume {
  const { claimRef, ...spec } = volume.body.spec ?? {};
  if (annotationOf(volume, STORAGE_NAMES.boundByController) === undefined) {
    return { ...volume.body, spec: { ...spec, ...withoutUid(claimRef) } };
  }
  return { ...volume.body, metadata: withoutAnnotations(volume, [STORAGE_NAMES.boundByController]), spec };
}

function withoutUid(claimRef: CoreV1PersistentVolumeSpec['claimRef']): Pick<CoreV1PersistentVolumeSpec, 'claimRef'> {
  if (claimRef === undefined) return {};
  const { uid: _, ...rest } = claimRef;
  return { claimRef: rest };
}

/** A copy of the metadata with these annotations, in place of those with the same names. */
export function withAnnotations({ metadata }: ApiObject, annotations: Readonly<Record<string, string>>): MetaV1ObjectMeta {
  return { ...metadata, annotations: { ...omitNames(metadata.annotations ?? {}, Object.keys(annotations)), ...annotations } };
}

function withoutAnnotations<Body extends JsonObject>({ metadata }: ApiObject<Body>, names: readonly string[]): MetaV1ObjectMeta {
  return { ...metadata, annotations: { ...omitNames(metadata.annotations ?? {}, names) } };
}
