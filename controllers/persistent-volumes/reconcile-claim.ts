/**
 * Decides the next step of a claim: which volume it is bound to, which class or provisioner it gets, or in which phase
 * it waits, with the Events about it. The functions are pure.
 */
import type { CoreV1PersistentVolumeClaim } from '../../shared/api/types/generated/members';
import type { Claim } from '../../shared/client/rest/typed-objects';
import { withAnnotations, type ClaimPhase } from './binding';
import { csiDriverOf, missingPluginMessage } from './in-tree-plugins';
import { annotationOf, isInTree, STORAGE_NAMES, type StorageNames } from './storage-names';
import {
  accessModesOf,
  capacityOf,
  claimRefOf,
  classNameOf,
  hasNoClass,
  isBoundToClaim,
  requestOf,
  volumeModeOf,
  volumeNameOf,
  waitsForFirstConsumer,
  type StorageClass,
  type Volume,
} from './storage-objects';

/** What the decisions about claims read; lookups by name return undefined when there is no such object. */
export interface ObservedStorage {
  volume(name: string): Volume | undefined;
  /** The best volume for the claim; `reservedOnly` considers only volumes with a `claimRef` to the claim. */
  findVolume(claim: Claim, options: { readonly reservedOnly: boolean }): Volume | undefined;
  storageClass(name: string): StorageClass | undefined;
  /** `undefined` when no class is marked as the default one. */
  defaultClass(): StorageClass | undefined;
  /** Names of the pods that use the claim and have no node. */
  unscheduledPods(claim: Claim): readonly string[];
}

/** An Event about a claim or a volume. */
export interface StorageEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** The write that brings a claim to its next step. */
export type ClaimAction =
  | { readonly type: 'none' }
  | { readonly type: 'bind'; readonly volume: Volume }
  /** Writes the claim with the default class; the informer's event then enqueues it for the next step. */
  | { readonly type: 'assign-class'; readonly body: CoreV1PersistentVolumeClaim }
  /** Writes the claim with other annotations; the informer's event then enqueues it for the next step. */
  | { readonly type: 'update'; readonly body: CoreV1PersistentVolumeClaim }
  | { readonly type: 'phase'; readonly phase: ClaimPhase };

/** The next step of a claim, and the Event about it. */
export interface ClaimDecision {
  readonly action: ClaimAction;
  readonly event?: StorageEvent;
  /** The Event is recorded only when the action changes the claim; without it, at most once in five minutes. */
  readonly reportsTransition?: boolean;
}

const NONE: ClaimDecision = { action: { type: 'none' } };
const inPhase = (phase: ClaimPhase, event?: StorageEvent): ClaimDecision => ({
  action: { type: 'phase', phase },
  ...(event === undefined ? {} : { event }),
});

/** Decides one step. The change that it writes enqueues the claim for the next step. `names`: the spellings to write. */
export function reconcileClaim(claim: Claim, observed: ObservedStorage, names: StorageNames): ClaimDecision {
  if (annotationOf(claim, STORAGE_NAMES.bindCompleted) !== undefined) return reconcileBoundClaim(claim, observed);
  return volumeNameOf(claim) === '' ? reconcileUnboundClaim(claim, observed, names) : reconcileReservedClaim(claim, observed);
}

/** A claim after its binding was completed: it is bound, or has lost its volume. */
function reconcileBoundClaim(claim: Claim, observed: ObservedStorage): ClaimDecision {
  const volumeName = volumeNameOf(claim);
  const volume = observed.volume(volumeName);
  if (volumeName === '') return lost('ClaimLost', 'Bound claim has lost reference to PersistentVolume. Data on the volume is lost!');
  if (volume === undefined) return lost('ClaimLost', 'Bound claim has lost its PersistentVolume. Data on the volume is lost!');
  const reference = claimRefOf(volume);
  if (reference === undefined || reference.uid === claim.uid) return { action: { type: 'bind', volume } };
  return lost('ClaimMisbound', 'Two claims are bound to the same volume, this one is bound incorrectly');
}

const lost = (reason: string, message: string): ClaimDecision => ({
  ...inPhase('Lost', { type: 'Warning', reason, message }),
  reportsTransition: true,
});

/** A claim that names a volume and is not bound completely. */
function reconcileReservedClaim(claim: Claim, observed: ObservedStorage): ClaimDecision {
  const volume = observed.volume(volumeNameOf(claim));
  if (volume === undefined) return inPhase('Pending');
  if (claimRefOf(volume) === undefined) {
    const mismatch = mismatchOf(claim, volume);
    if (mismatch === undefined) return { action: { type: 'bind', volume } };
    const message = `Cannot bind to requested volume "${volume.name}": ${mismatch}`;
    return inPhase('Pending', { type: 'Warning', reason: 'VolumeMismatch', message });
  }
  if (isBoundToClaim(volume, claim)) return { action: { type: 'bind', volume } };
  // The binder chose the volume, and the annotation of the complete binding was removed: upstream changes nothing either.
  if (annotationOf(claim, STORAGE_NAMES.boundByController) !== undefined) return NONE;
  const message = `volume "${volume.name}" already bound to a different claim.`;
  return inPhase('Pending', { type: 'Warning', reason: 'FailedBinding', message });
}

/** Why a volume cannot be bound to the claim that names it. */
function mismatchOf(claim: Claim, volume: Volume): string | undefined {
  if (capacityOf(volume) < requestOf(claim)) return 'requested PV is too small';
  if (classNameOf(volume) !== classNameOf(claim)) return 'storageClassName does not match';
  if (volumeModeOf(volume) !== volumeModeOf(claim)) return 'incompatible volumeMode';
  const modes = new Set(accessModesOf(volume));
  return accessModesOf(claim).every((mode) => modes.has(mode)) ? undefined : 'incompatible accessMode';
}

/** A claim without a volume: it gets the default class, a volume, or a provisioner. */
function reconcileUnboundClaim(claim: Claim, observed: ObservedStorage, names: StorageNames): ClaimDecision {
  const defaultClass = hasNoClass(claim) ? observed.defaultClass() : undefined;
  if (defaultClass !== undefined) {
    return { action: { type: 'assign-class', body: { ...claim.body, spec: { ...claim.body.spec, storageClassName: defaultClass.name } } } };
  }
  const className = classNameOf(claim);
  const storageClass = className === '' ? undefined : observed.storageClass(className);
  const isDelayed = waitsForFirstConsumer(storageClass);
  const volume = observed.findVolume(claim, { reservedOnly: isDelayed });
  if (volume !== undefined) return { action: { type: 'bind', volume } };
  if (isDelayed && annotationOf(claim, STORAGE_NAMES.selectedNode) === undefined)
    return inPhase('Pending', waitingEvent(observed.unscheduledPods(claim)));
  if (className !== '') return provision(claim, className, storageClass, names);
  const message = 'no persistent volumes available for this claim and no storage class is set';
  return inPhase('Pending', { type: 'Normal', reason: 'FailedBinding', message });
}

function waitingEvent(pods: readonly string[]): StorageEvent {
  if (pods.length === 0) {
    return { type: 'Normal', reason: 'WaitForFirstConsumer', message: 'waiting for first consumer to be created before binding' };
  }
  const message = `waiting for ${pods.length === 1 ? 'pod' : 'pods'} ${pods.join(',')} to be scheduled`;
  return { type: 'Normal', reason: 'WaitForPodScheduled', message };
}

/** Assigns the claim to the program that creates volumes of its class, by annotations that name the program. */
function provision(claim: Claim, className: string, storageClass: StorageClass | undefined, names: StorageNames): ClaimDecision {
  const failed = (message: string): ClaimDecision => ({
    action: { type: 'none' },
    event: { type: 'Warning', reason: 'ProvisioningFailed', message },
  });
  if (storageClass === undefined) return failed(`${names.classResource} "${className}" not found`);
  const { provisioner = '' } = storageClass.body;
  const driver = csiDriverOf(provisioner) ?? provisioner;
  if (isInTree(driver)) return failed(missingPluginMessage(driver));
  const isAssigned = [STORAGE_NAMES.provisioner, STORAGE_NAMES.betaProvisioner].every((name) => annotationOf(claim, name) === driver);
  if (!isAssigned) {
    const annotations = { [names.betaProvisioner]: driver, [names.provisioner]: driver };
    return { action: { type: 'update', body: { ...claim.body, metadata: withAnnotations(claim, annotations) } } };
  }
  const message =
    `Waiting for a volume to be created either by the external provisioner '${driver}' or manually by the system administrator. ` +
    'If volume creation is delayed, please verify that the provisioner is running and correctly registered.';
  return { action: { type: 'none' }, event: { type: 'Normal', reason: 'ExternalProvisioning', message } };
}
