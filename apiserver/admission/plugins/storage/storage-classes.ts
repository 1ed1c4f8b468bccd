/**
 * DefaultStorageClass and PersistentVolumeClaimResize: a new claim without a class gets the default one, and a claim
 * can grow only when its StorageClass allows expansion.
 */
import { canonicalQualifiedName } from '../../../../shared/names/dialect';
import { compareQuantities } from '../../../../shared/values/quantity';
import type { CoreV1PersistentVolumeClaim, StorageV1StorageClass } from '../../../../shared/api/types/generated/members';
import type { Entry } from '../../../cache/cache';
import { parseEntry } from '../../../registry/object/stored-object';
import type { AdmissionRequest, AdmissionTarget } from '../../../registry/admission';
import type { MutatingPlugin, ValidatingPlugin } from '../../chain';
import { newestDefaultClass } from '../../default-class';
import { BETA_STORAGE_CLASS, DEFAULT_STORAGE_CLASS } from '../../../../shared/names/storage';
import { newForbidden } from '../../new-forbidden';

/** Upstream's message. */
const NOT_RESIZABLE = 'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';

const isClaim = ({ resource: { row }, subresource }: AdmissionTarget): boolean =>
  row.group === '' && row.resource === 'persistentvolumeclaims' && subresource === undefined;

/** `classes` returns the current StorageClass entries. */
export function defaultStorageClass(classes: () => Iterable<Entry>): MutatingPlugin {
  return {
    name: 'DefaultStorageClass',
    handles: (operation) => operation === 'CREATE',
    inspectsObject: isClaim,
    mutate(request) {
      const { object: claim }: AdmissionRequest<CoreV1PersistentVolumeClaim> = request;
      if (!isClaim(request) || claim?.spec === undefined || storageClassOf(claim) !== undefined) return undefined;
      const name = newestDefaultClass(classes(), DEFAULT_STORAGE_CLASS);
      if (name !== undefined) claim.spec.storageClassName = name;
      return undefined;
    },
  };
}

/** Creates the plug-in; `getStorageClass` reads this replica's cache. */
export function persistentVolumeClaimResize(getStorageClass: (name: string) => Entry | undefined): ValidatingPlugin {
  return {
    name: 'PersistentVolumeClaimResize',
    handles: (operation) => operation === 'UPDATE',
    inspectsObject: isClaim,
    validate(request) {
      const { object, oldObject }: AdmissionRequest<CoreV1PersistentVolumeClaim> = request;
      if (!isClaim(request) || object === undefined || oldObject === undefined) return undefined;
      const size = sizeOf(object);
      const oldSize = sizeOf(oldObject);
      if (size === undefined || oldSize === undefined || compareQuantities(size, oldSize) <= 0) return undefined;
      const entry = getStorageClass(storageClassOf(oldObject) ?? '');
      const storageClass: StorageV1StorageClass = entry === undefined ? {} : parseEntry(entry).object;
      if (storageClass.allowVolumeExpansion !== true) throw newForbidden(request, NOT_RESIZABLE);
      return undefined;
    },
  };
}

/** The requested size of the claim. */
const sizeOf = ({ spec }: CoreV1PersistentVolumeClaim): string | undefined => spec?.resources?.requests?.['storage'];

/** The class from the beta annotation or the spec. An empty class counts as a class. */
function storageClassOf({ metadata, spec }: CoreV1PersistentVolumeClaim): string | undefined {
  const annotations = metadata?.annotations ?? {};
  const betaKey = Object.keys(annotations).find((name) => canonicalQualifiedName(name) === BETA_STORAGE_CLASS);
  return betaKey === undefined ? spec?.storageClassName : annotations[betaKey];
}
