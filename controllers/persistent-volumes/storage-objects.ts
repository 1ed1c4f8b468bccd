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

export const volumeNameOf = ({ body }: Claim): string => body.spec?.volumeName ?? '';

export const volumeModeOf = ({ body }: Volume | Claim): string => body.spec?.volumeMode ?? DEFAULT_MODE;

export const accessModesOf = ({ body }: Volume | Claim): readonly string[] => body.spec?.accessModes ?? [];

/** '' for an object without a class. */
export const classNameOf = (object: Volume | Claim): string => betaClassOf(object) ?? object.body.spec?.storageClassName ?? '';

/** Whether the claim names no class, not even the empty one: then it gets the default one. */
export const hasNoClass = (claim: Claim): boolean => claim.body.spec?.storageClassName === undefined && betaClassOf(claim) === undefined;

/** The size in billionths of a byte. */
export const capacityOf = ({ body }: Volume): bigint => sizeOf(body.spec?.capacity?.['storage']);
export const requestOf = ({ body }: Claim): bigint => sizeOf(body.spec?.resources?.requests?.['storage']);

const sizeOf = (quantity: string | undefined): bigint => (quantity === undefined ? 0n : parseQuantity(quantity).nanos);

/** The claim that the volume is bound to, or reserved for when the uid is ''. */
export interface ClaimReference {
  readonly key: string;
  readonly uid: string;
}

/**
 * Undefined for a volume that is available to every claim. `uid` is '' for a volume that is reserved for a claim by
 * name.
 */
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

export const policyOf = ({ body }: Volume): string => body.spec?.persistentVolumeReclaimPolicy ?? 'Retain';

export const volumePhaseOf = ({ body }: Volume): string => body.status?.phase ?? '';
export const claimPhaseOf = ({ body }: Claim): string => body.status?.phase ?? '';

export const waitsForFirstConsumer = (storageClass: StorageClass | undefined): boolean =>
  storageClass?.body.volumeBindingMode === 'WaitForFirstConsumer';

export const volumeReference = ({ name, uid, resourceVersion }: Volume): ObjectReference => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  namespace: '',
  name,
  uid,
  resourceVersion,
});

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
