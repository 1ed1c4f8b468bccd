/**
 * The owner of a PersistentVolumeClaim by the StatefulSet's `persistentVolumeClaimRetentionPolicy`: the StatefulSet, a
 * condemned pod, or none. For the claim of a condemned pod `whenScaled: Delete` takes precedence over `whenDeleted`. The
 * functions are pure.
 */
import type { MetaV1OwnerReference } from '../../shared/api/types/generated/members';
import type { Dialect } from '../../shared/names/dialect';
import { equalJson } from '../../shared/values/json';
import type { Claim, Pod } from '../../shared/client/rest/typed-objects';
import { controllerReference } from '../workload/references';
import { PODS, STATEFUL_SETS, type StatefulSet } from './stateful-set';

/** What decides the owner of a claim. */
export interface ClaimOwners {
  readonly dialect: Dialect;
  readonly set: StatefulSet;
  /** The pod that uses the claim. */
  readonly pod: Pod;
  /** The ordinal of the pod is outside the range of the StatefulSet. */
  readonly isCondemned: boolean;
}

/** The owner references that the claim should have; undefined when it has them. References to other owners stay. */
export function changedOwnerReferences(owners: ClaimOwners, claim: Claim): MetaV1OwnerReference[] | undefined {
  const { set, pod } = owners;
  const observed = claim.metadata.ownerReferences ?? [];
  // The StatefulSet is compared by uid: a reference to an earlier one of its name is left to the garbage collector. A pod is
  // compared by name, because its replacement has the same name: a reference to the earlier pod is removed as well.
  const isManaged = ({ uid, kind, name }: MetaV1OwnerReference): boolean => uid === set.uid || (kind === PODS.kind && name === pod.name);
  const desired = [...observed.filter((reference) => !isManaged(reference)), ...ownerReferencesFor(owners)];
  return equalJson(desired, observed) ? undefined : desired;
}

function ownerReferencesFor({ dialect, set, pod, isCondemned }: ClaimOwners): readonly MetaV1OwnerReference[] {
  const { whenScaled, whenDeleted } = set.body.spec?.persistentVolumeClaimRetentionPolicy ?? {};
  if (isCondemned && whenScaled === 'Delete') return [controllerReference(dialect, PODS, pod)];
  return whenDeleted === 'Delete' ? [controllerReference(dialect, STATEFUL_SETS, set)] : [];
}
