/**
 * Decides what the garbage collector does with an object, from the state of its owners and its dependents, and builds the
 * patches for it. Pure; an object is deleted only when the state of every owner is known and each is dangling or in
 * foreground deletion.
 */
import type { MetaV1ObjectMeta, MetaV1OwnerReference } from '../../shared/api/types/generated/members';
import { finalizersOf, isBeingDeleted } from '../../shared/client/rest/api-object';
import type { MergePatch } from '../../shared/client/rest/request-options';
import {
  FOREGROUND_FINALIZER,
  isDeletingDependents,
  ORPHAN_FINALIZER,
  ownerReferencesOf,
  type MetadataObject,
  type OwnerReference,
} from './owner-references';

/** The state of an owner, as its dependents must know it. */
export type OwnerState =
  /** The owner exists and does not wait for its dependents. */
  | 'solid'
  /** The owner is in foreground deletion. */
  | 'waiting-for-dependents'
  /** The owner does not exist. */
  | 'dangling'
  /** The owner was deleted after it had orphaned the dependents that were observed then; this dependent was not. */
  | 'orphaned'
  /**
   * The kind of the owner is not served, or the reference is invalid: a cluster-scoped object with a namespaced owner.
   */
  | 'unknown';

/** A dependent of the object, by its owner reference. */
export interface Dependent {
  readonly blockOwnerDeletion: boolean;
  /** In foreground deletion itself. */
  readonly isDeletingDependents: boolean;
}

/** The `propagationPolicy` of a deletion. */
export type DeletionPolicy = 'Background' | 'Foreground' | 'Orphan';

/** What has to be done with an object. */
export type GarbageAction =
  | { readonly type: 'none' }
  /** The state of an owner is unknown: the object is enqueued again when more kinds are served. */
  | { readonly type: 'wait-for-kinds' }
  | { readonly type: 'delete-owner-references'; readonly uids: ReadonlySet<string> }
  /**
   * `unblockOwners`: set `blockOwnerDeletion` to false first, because the object and its owners would wait for each
   * other.
   */
  | { readonly type: 'delete'; readonly policy: DeletionPolicy; readonly unblockOwners: boolean }
  | { readonly type: 'remove-foreground-finalizer' };

/** `owners`: in the order of the object's references; empty when the object is being deleted. */
export function decideAction(object: MetadataObject, owners: readonly OwnerState[], dependents: readonly Dependent[]): GarbageAction {
  if (isDeletingDependents(object)) {
    const isBlocked = dependents.some(({ blockOwnerDeletion }) => blockOwnerDeletion);
    return { type: isBlocked ? 'none' : 'remove-foreground-finalizer' };
  }
  if (isBeingDeleted(object) || owners.length === 0) return { type: 'none' };
  if (owners.includes('orphaned')) return deleteOwnerReferences(object, (index) => owners[index] === 'orphaned');
  if (owners.includes('unknown')) return { type: 'wait-for-kinds' };
  if (owners.includes('solid')) {
    return owners.every((state) => state === 'solid')
      ? { type: 'none' }
      : deleteOwnerReferences(object, (index) => owners[index] !== 'solid');
  }
  if (owners.includes('waiting-for-dependents') && dependents.length > 0) {
    const unblockOwners = dependents.some((dependent) => dependent.isDeletingDependents);
    return { type: 'delete', policy: 'Foreground', unblockOwners };
  }
  return { type: 'delete', policy: policyOf(object), unblockOwners: false };
}

function deleteOwnerReferences(object: MetadataObject, isDeleted: (index: number) => boolean): GarbageAction {
  const deleted = ownerReferencesOf(object).filter((_, index) => isDeleted(index));
  return { type: 'delete-owner-references', uids: new Set(deleted.map(({ uid }) => uid)) };
}

/** The policy of a finalizer that the object has already, so that the deletion does not remove it; else `Background`. */
function policyOf(object: MetadataObject): DeletionPolicy {
  const finalizers = finalizersOf(object);
  if (finalizers.includes(ORPHAN_FINALIZER)) return 'Orphan';
  return finalizers.includes(FOREGROUND_FINALIZER) ? 'Foreground' : 'Background';
}

/** With the uid and resourceVersion as preconditions. Undefined when there is nothing to change. */
export type MetadataPatch = MergePatch<MetaV1ObjectMeta> | undefined;

/** Undefined when the object refers to none of the owners. */
export function deleteOwnerReferencesPatch(object: MetadataObject, uids: ReadonlySet<string>): MetadataPatch {
  const references = ownerReferencesOf(object);
  const retained = references.filter(({ uid }) => !uids.has(uid));
  return retained.length === references.length ? undefined : patchOf(object, { ownerReferences: nullIfEmpty(bodiesOf(retained)) });
}

/** Undefined when no reference blocks the deletion of its owner. */
export function unblockOwnerReferencesPatch(object: MetadataObject): MetadataPatch {
  const references = ownerReferencesOf(object);
  if (!references.some(({ blockOwnerDeletion }) => blockOwnerDeletion)) return undefined;
  return patchOf(object, { ownerReferences: bodiesOf(references).map((body) => ({ ...body, blockOwnerDeletion: false })) });
}

/** Undefined when the object does not have the finalizer. */
export function removeFinalizerPatch(object: MetadataObject, finalizer: string): MetadataPatch {
  const finalizers = finalizersOf(object);
  const retained = finalizers.filter((name) => name !== finalizer);
  return retained.length === finalizers.length ? undefined : patchOf(object, { finalizers: nullIfEmpty(retained) });
}

const bodiesOf = (references: readonly OwnerReference[]): MetaV1OwnerReference[] => references.map(({ body }) => body);

const nullIfEmpty = <T>(list: T[]): T[] | null => (list.length === 0 ? null : list);

const patchOf = ({ uid, resourceVersion }: MetadataObject, changes: MergePatch<MetaV1ObjectMeta>): MergePatch<MetaV1ObjectMeta> => ({
  uid,
  resourceVersion,
  ...changes,
});
