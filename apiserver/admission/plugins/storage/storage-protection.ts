/**
 * StorageObjectInUseProtection: adds a finalizer to new PersistentVolumes and PersistentVolumeClaims. Controllers
 * remove the finalizer of a deleted object when it is unused. The finalizer has no field manager, because no client
 * sets it. An object that has the finalizer already, in either spelling, is unchanged.
 */
import type { MetaV1ObjectMeta } from '../../../../shared/api/types/generated/members';
import { ensureMetadata } from '../../../../shared/api/metadata/object-meta';
import { canonicalQualifiedName } from '../../../../shared/names/dialect';
import type { MutatingPlugin } from '../../chain';

/** By resource of the core group; the finalizer is without the product's prefix. */
const FINALIZERS: ReadonlyMap<string, string> = new Map([
  ['persistentvolumes', 'pv-protection'],
  ['persistentvolumeclaims', 'pvc-protection'],
]);

/** `prefix`: domain of the names that the server writes (`platform.io`). */
export function storageObjectInUseProtection(prefix: string): MutatingPlugin {
  return {
    name: 'StorageObjectInUseProtection',
    handles: (operation) => operation === 'CREATE',
    // Worker threads run this plug-in too, so an object in a worker thread need not be sent to the server's thread.
    inspectsObject: () => false,
    mutate({ resource: { row }, subresource, object }) {
      const finalizer = row.group === '' ? FINALIZERS.get(row.resource) : undefined;
      if (finalizer === undefined || subresource !== undefined || object === undefined) return undefined;
      const metadata: MetaV1ObjectMeta = ensureMetadata(object);
      const { finalizers = [] } = metadata;
      const isProtectionFinalizer = (name: string): boolean => canonicalQualifiedName(name) === `platform.io/${finalizer}`;
      if (!finalizers.some(isProtectionFinalizer)) metadata.finalizers = [...finalizers, `${prefix}/${finalizer}`];
      return undefined;
    },
  };
}
