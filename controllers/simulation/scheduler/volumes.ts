/**
 * The volumes of a pod: which nodes its bound volumes can be used on, and which claims wait for the pod's node. The
 * functions are pure. The scheduler selects a volume or a node for a claim; the provisioner of its class and the volume
 * controller bind it.
 */
import type {
  CoreV1PersistentVolume,
  CoreV1PersistentVolumeClaim,
  StorageV1StorageClass,
} from '../../../shared/api/types/generated/members';
import { isBeingDeleted, type ApiObject } from '../../../shared/client/rest/api-object';
import { canonicalQualifiedName } from '../../../shared/names/dialect';
import { compareQuantities } from '../../../shared/values/quantity';
import { nodeSelectorMatcher } from '../../runtime/node-affinity';
import { claimNamesOf, labelsOf } from '../../runtime/pods';
import { finalFailure, type NodeFilter } from './node-filter';
import type { NodeState } from './node-state';
import { podSelector, type PodInfo } from './pod-info';

export type VolumeClaim = ApiObject<CoreV1PersistentVolumeClaim>;
export type PersistentVolume = ApiObject<CoreV1PersistentVolume>;

/** The observed claims, volumes and classes; lookups by name return undefined when there is no such object. */
export interface VolumeView {
  claim(namespace: string, name: string): VolumeClaim | undefined;
  volume(name: string): PersistentVolume | undefined;
  /** All volumes. */
  volumes(): readonly PersistentVolume[];
  storageClass(name: string): ApiObject<StorageV1StorageClass> | undefined;
}

/** A claim that is bound once the pod's node is known. */
export interface ClaimBinding {
  readonly claim: VolumeClaim;
  /** `undefined` when the provisioner of the claim's class creates a volume. */
  readonly volume: PersistentVolume | undefined;
}

/** What the volumes of a pod mean for its node. */
export type VolumePlan =
  | { readonly type: 'unschedulable'; readonly reason: string }
  | {
      readonly type: 'schedulable';
      readonly filter: NodeFilter;
      /** What must be bound before the pod can run on the node. */
      readonly bindingsFor: (state: NodeState) => readonly ClaimBinding[];
    };

/** The annotation of a claim that names its node, in canonical spelling. */
export const SELECTED_NODE_ANNOTATION = 'volume.platform.io/selected-node';
const NO_PROVISIONER = 'platform.io/no-provisioner';
const CONFLICT = finalFailure('node(s) had volume node affinity conflict');
const NO_VOLUME = finalFailure("node(s) didn't find available persistent volumes to bind");

/** The node that was selected for a claim earlier; undefined when there is none. */
export function selectedNodeOf({ metadata }: VolumeClaim): string | undefined {
  return Object.entries(metadata.annotations ?? {}).find(([name]) => canonicalQualifiedName(name) === SELECTED_NODE_ANNOTATION)?.[1];
}

/** Returns a filter of nodes and the claims to bind, or the reason why no node can run the pod. */
export function planVolumes(info: PodInfo, view: VolumeView): VolumePlan {
  const filters: NodeFilter[] = [];
  const unbound: UnboundClaim[] = [];
  for (const name of claimNamesOf(info.pod)) {
    const claim = view.claim(info.namespace, name);
    if (claim === undefined) return { type: 'unschedulable', reason: `persistentvolumeclaim "${name}" not found` };
    if (isBeingDeleted(claim)) return { type: 'unschedulable', reason: `persistentvolumeclaim "${name}" is being deleted` };
    const { volumeName = '' } = claim.body.spec ?? {};
    if (volumeName === '') {
      const waiting = unboundClaim(claim, view);
      if (waiting === undefined) return { type: 'unschedulable', reason: 'pod has unbound immediate PersistentVolumeClaims' };
      unbound.push(waiting);
      filters.push(unboundFilter(waiting));
      continue;
    }
    const volume = view.volume(volumeName);
    if (volume === undefined) return { type: 'unschedulable', reason: `persistentvolume "${volumeName}" not found` };
    const matches = volumeMatcher(volume);
    filters.push((state) => (matches(state) ? undefined : CONFLICT));
  }
  return {
    type: 'schedulable',
    filter: (state) => filters.map((check) => check(state)).find((failure) => failure !== undefined),
    bindingsFor: (state) =>
      unbound.map(({ claim, candidates }) => ({ claim, volume: candidates.find(({ matches }) => matches(state))?.volume })),
  };
}

/** A claim that is bound after the node of its pod is known. */
interface UnboundClaim {
  readonly claim: VolumeClaim;
  /** Existing volumes that the claim can have, the smallest first. */
  readonly candidates: readonly { readonly volume: PersistentVolume; readonly matches: (state: NodeState) => boolean }[];
  readonly isProvisioned: boolean;
}

/** Undefined when the class of the claim does not wait for a pod: the volume controller binds such a claim at once. */
function unboundClaim(claim: VolumeClaim, view: VolumeView): UnboundClaim | undefined {
  const storageClass = view.storageClass(claim.body.spec?.storageClassName ?? '');
  if (storageClass?.body.volumeBindingMode !== 'WaitForFirstConsumer') return undefined;
  const candidates = view.volumes().filter((volume) => isAvailableFor(volume, claim));
  candidates.sort((a, b) => compareQuantities(storageOf(a), storageOf(b)));
  return {
    claim,
    candidates: candidates.map((volume) => ({ volume, matches: volumeMatcher(volume) })),
    isProvisioned: canonicalQualifiedName(storageClass.body.provisioner ?? '') !== NO_PROVISIONER,
  };
}

function unboundFilter({ claim, candidates, isProvisioned }: UnboundClaim): NodeFilter {
  const selected = selectedNodeOf(claim);
  return (state) => {
    if (selected !== undefined) return state.name === selected ? undefined : CONFLICT;
    return isProvisioned || candidates.some(({ matches }) => matches(state)) ? undefined : NO_VOLUME;
  };
}

/** Whether the claim can be bound to the volume, on the nodes of the volume. */
function isAvailableFor(volume: PersistentVolume, claim: VolumeClaim): boolean {
  const { spec = {}, status } = volume.body;
  const claimSpec = claim.body.spec ?? {};
  const { claimRef } = spec;
  const isFree =
    claimRef === undefined ? status?.phase === 'Available' : claimRef.namespace === claim.namespace && claimRef.name === claim.name;
  return (
    isFree &&
    !isBeingDeleted(volume) &&
    (spec.storageClassName ?? '') === (claimSpec.storageClassName ?? '') &&
    (spec.volumeMode ?? 'Filesystem') === (claimSpec.volumeMode ?? 'Filesystem') &&
    (claimSpec.accessModes ?? []).every((mode) => spec.accessModes?.includes(mode) === true) &&
    compareQuantities(storageOf(volume), claimSpec.resources?.requests?.['storage'] ?? '0') >= 0 &&
    (claimSpec.selector === undefined || podSelector(claimSpec.selector)(labelsOf(volume)))
  );
}

const storageOf = ({ body }: PersistentVolume): string => body.spec?.capacity?.['storage'] ?? '0';

/** Returns whether a node can use the volume, by its node affinity. */
function volumeMatcher({ body }: PersistentVolume): (state: NodeState) => boolean {
  const required = body.spec?.nodeAffinity?.required;
  if (required === undefined) return () => true;
  const matches = nodeSelectorMatcher(required.nodeSelectorTerms ?? []);
  return ({ node }) => matches(node);
}
