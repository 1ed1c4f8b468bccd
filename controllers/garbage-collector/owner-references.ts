/** The owner references of an object, and whether its deletion waits for its dependents. The functions are pure. */
import type { MetaV1OwnerReference } from '../../shared/api/types/generated/members';
import { finalizersOf, isBeingDeleted, type ApiObject } from '../../shared/client/rest/api-object';
import type { PartialObjectMetadata } from '../../shared/client/rest/resource';

/** An object of any kind, of which only metadata is known. */
export type MetadataObject = ApiObject<PartialObjectMetadata>;

/** Retains an owner until its blocking dependents are deleted. */
export const FOREGROUND_FINALIZER = 'foregroundDeletion';
/** Retains an owner until no dependent refers to it. */
export const ORPHAN_FINALIZER = 'orphan';

/** An owner reference with absent members filled in. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  /** The foreground deletion of the owner waits for this object. */
  readonly blockOwnerDeletion: boolean;
  /** The reference as the object has it, for patches. */
  readonly body: MetaV1OwnerReference;
}

/** References without a uid are left out; the server admits none. */
export function ownerReferencesOf({ metadata }: Pick<ApiObject, 'metadata'>): readonly OwnerReference[] {
  return (metadata.ownerReferences ?? []).flatMap((body) => {
    const { apiVersion = '', kind = '', name = '', uid = '', blockOwnerDeletion = false } = body;
    return uid === '' ? [] : [{ apiVersion, kind, name, uid, blockOwnerDeletion, body }];
  });
}

/** In foreground deletion: the object is deleted after its dependents. */
export const isDeletingDependents = (object: MetadataObject): boolean =>
  isBeingDeleted(object) && finalizersOf(object).includes(FOREGROUND_FINALIZER);

/** In orphaning deletion: the object is deleted once the references of its dependents to it are removed. */
export const isOrphaningDependents = (object: MetadataObject): boolean =>
  isBeingDeleted(object) && finalizersOf(object).includes(ORPHAN_FINALIZER);
