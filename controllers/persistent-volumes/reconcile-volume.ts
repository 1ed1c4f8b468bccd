/** Decides the phase of a volume, and what happens to it when its claim is deleted. The functions are pure. */
import type { Claim } from '../../shared/client/rest/typed-objects';
import type { VolumePhase } from './binding';
import type { StorageEvent } from './reconcile-claim';
import { deletionFailure, isDeletedExternally } from './in-tree-plugins';
import { annotationOf, STORAGE_NAMES } from './storage-names';
import { claimRefOf, policyOf, volumeModeOf, volumeNameOf, volumePhaseOf, type Volume } from './storage-objects';

/** The next step of a volume. Members are executed in this order: `unbinds`, `phase`, `event`, `enqueuesClaim`. */
export interface VolumeDecision {
  /** Removes the claim from the volume first. */
  readonly unbinds?: boolean;
  /** `message`: of a failure. */
  readonly phase?: { readonly name: VolumePhase; readonly message?: string };
  /** The claim in the claimRef must be reconciled. */
  readonly enqueuesClaim?: boolean;
  readonly event?: StorageEvent;
  /** The Event is recorded about the claim too. */
  readonly isAboutClaim?: boolean;
}

const inPhase = (name: VolumePhase): VolumeDecision => ({ phase: { name } });

/** Whether the volume lost the claim with the uid in its claimRef. `claim`: the one with the name in the claimRef. */
export function hasLostClaim(volume: Volume, claim: Claim | undefined): boolean {
  const uid = claimRefOf(volume)?.uid ?? '';
  return uid !== '' && claim?.uid !== uid;
}

/** Whether a sync has released the volume already: it is reclaimed by the next sync. */
export const isReleased = (volume: Volume): boolean => ['Released', 'Failed'].includes(volumePhaseOf(volume));

/** Decides one step. `claim`: the one with the name in the claimRef, which may have another uid. */
export function reconcileVolume(volume: Volume, claim: Claim | undefined): VolumeDecision {
  const reference = claimRefOf(volume);
  if (reference === undefined || reference.uid === '') return inPhase('Available');
  if (claim === undefined || hasLostClaim(volume, claim)) return isReleased(volume) ? reclaim(volume) : inPhase('Released');
  const volumeName = volumeNameOf(claim);
  if (volumeName === volume.name) return inPhase('Bound');
  if (volumeName !== '') return releaseMisbound(volume);
  if (volumeModeOf(volume) === volumeModeOf(claim)) return { enqueuesClaim: true };
  const message = `Cannot bind PersistentVolume "${volume.name}" to requested PersistentVolumeClaim "${claim.name}" due to incompatible volumeMode.`;
  return { event: { type: 'Warning', reason: 'VolumeMismatch', message }, isAboutClaim: true };
}

/** The claim is bound to another volume: a volume that was created for it is deleted, any other is Available again. */
function releaseMisbound(volume: Volume): VolumeDecision {
  const isProvisioned = annotationOf(volume, STORAGE_NAMES.provisionedBy) !== undefined;
  if (!isProvisioned || policyOf(volume) !== 'Delete') return { unbinds: true, ...inPhase('Available') };
  return isReleased(volume) ? reclaim(volume) : inPhase('Released');
}

/** Applies the reclaim policy of a released volume. A volume that another program deletes is left to that program. */
function reclaim(volume: Volume): VolumeDecision {
  if (annotationOf(volume, STORAGE_NAMES.migratedTo) !== undefined) return {};
  switch (policyOf(volume)) {
    case 'Recycle':
      return failed('VolumeFailedRecycle', 'No recycler plugin found for the volume!');
    case 'Delete':
      return isDeletedExternally(volume) ? {} : failed('VolumeFailedDelete', deletionFailure(volume));
    default:
      return {};
  }
}

function failed(reason: string, message: string): VolumeDecision {
  return { phase: { name: 'Failed', message }, event: { type: 'Warning', reason, message } };
}
