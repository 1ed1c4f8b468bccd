/** Accessors of volumes, claims and classes that the binder reads. The functions are pure. */
import type { CoreV1PersistentVolume, StorageV1StorageClass } from '../../shared/api/types/generated/members';
import type { ObjectReference } from '../../shared/client/events/event-correlator';
import { keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import type { Claim } from '../../shared/client/rest/typed-objects';
import { parseQuantity } from '../../shared/values/quantity';
import { betaClassOf } from './storage-names';

export type Volume = ApiObject<CoreV1PersistentVolume>;
export type StorageClass = ApiObject<StorageV1StorageClass>;

const DEFAULT_MODE = 'Filesystem';

/** '' for a claim that names no volume. */
export const volumeNameOf = ({ body }: Claim): string => body.spec?.volumeName ?? '';

export const volumeModeOf = ({ body }: Volume | Claim): string => body.spec?.volumeMode ?? DEFAULT_MODE;

export const accessModesOf = ({ body }: Volume | Claim): readonly string[] => body.spec?.accessModes ?? [];

/** '' for an object without a class. */
export const classNameOf = (object: Volume | Claim): string => betaClassOf(object) ?? object.body.spec?.storageClassName ?? '';

/** Whether the claim names no class, not even the empty one: then it gets the default one. */
export const hasNoClass = (claim: Claim): boolean => claim.body.spec?.storageClassName === undefined && betaClassOf(claim) === undefined;

/** In billionths of a byte; 0 when the volume has no capacity. */
export const capacityOf = ({ body }: Volume): bigint => sizeOf(body.spec?.capacity?.['storage']);
/** The smallest capacity that the claim accepts, in billionths of a byte. */
export const requestOf = ({ body }: Claim): bigint => sizeOf(body.spec?.resources?.requests?.['storage']);

const sizeOf = (quantity: string | undefined): bigint => (quantity === undefined ? 0n : parseQuantity(quantity).nanos);

/** The claim that the volume is bound to, or reserved for when the uid is ''. */
export interface ClaimReference {
  readonly key: string;
  readonly uid: string;
}

/** `undefined` for a volume that is available to every claim. */
export function claimRefOf({ body }: Volume): ClaimReference | undefined {
  const reference = body.spec?.claimRef;
  if (reference === undefined) return undefined;
  const { namespace = '', name = '', uid = '' } = reference;
  // Neither is validated: with `keyOf`, a name with a slash and no namespace would be another claim.
  return { key: `${namespace}/${name}`, uid };
}

/** Whether the volume is bound to the claim or reserved for it. */
export function isBoundToClaim(volume: Volume, claim: Claim): boolean {
  const reference = claimRefOf(volume);
  return reference !== undefined && reference.key === keyOf(claim) && (reference.uid === '' || reference.uid === claim.uid);
}

/** The reclaim policy: `Retain`, `Delete` or `Recycle`. */
export const policyOf = ({ body }: Volume): string => body.spec?.persistentVolumeReclaimPolicy ?? 'Retain';

/** '' for a volume that was not reconciled yet. */
export const volumePhaseOf = ({ body }: Volume): string => body.status?.phase ?? '';
/** '' for a claim that was not reconciled yet. */
export const claimPhaseOf = ({ body }: Claim): string => body.status?.phase ?? '';

/** Whether a claim of the class is bound only after a pod that uses it was scheduled. */
export const waitsForFirstConsumer = (storageClass: StorageClass | undefined): boolean =>
  storageClass?.body.volumeBindingMode === 'WaitForFirstConsumer';

/** The `involvedObject` of an Event. */
export const volumeReference = ({ name, uid, resourceVersion }: Volume): ObjectReference => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  namespace: '',
  name,
  uid,
  resourceVersion,
});

/** The `involvedObject` of an Event, and the claimRef of a volume. */
export const claimReference = ({
  namespace,
  name,
  uid,
  resourceVersion,
}: Claim): ObjectReference & { readonly resourceVersion: string } => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  namespace,
  name,
  uid,
  resourceVersion,
});
