/**
 * Volumes and claims are born with a finalizer that keeps them while they are used; controllers take it away (StorageObjectInUseProtection). Not
 * the client's doing, so nobody owns it. An object that brings it along, in either spelling, is left alone.
 */
import { arrayAt } from '../../shared/values/json';
import { ensureMetadata } from '../../shared/api/metadata/object-meta';
import { canonicalQualifiedName } from '../../shared/names/dialect';
import type { MutatingPlugin } from './chain';

/** Resource of the core group to finalizer, after the product's prefix. */
const FINALIZERS: ReadonlyMap<string, string> = new Map([
  ['persistentvolumes', 'pv-protection'],
  ['persistentvolumeclaims', 'pvc-protection'],
]);

/** `prefix`: of the names that the server writes (`platform.io`). */
export function storageProtection(prefix: string): MutatingPlugin {
  return {
    name: 'StorageObjectInUseProtection',
    handles: (operation) => operation === 'CREATE',
    // It rests on nothing but the object, and is asked where that is worked out.
    inspectsObject: () => false,
    mutate({ resource: { row }, subresource, object }) {
      const finalizer = row.group === '' ? FINALIZERS.get(row.resource) : undefined;
      if (finalizer === undefined || subresource !== undefined || object === undefined) return undefined;
      const metadata = ensureMetadata(object);
      const present = arrayAt(metadata, 'finalizers') ?? [];
      const isOwn = (name: unknown): boolean => typeof name === 'string' && canonicalQualifiedName(name) === `platform.io/${finalizer}`;
      if (!present.some(isOwn)) metadata['finalizers'] = [...present, `${prefix}/${finalizer}`];
      return undefined;
    },
  };
}
