/**
 * Annotations of storage objects that several components read. They are in canonical spelling (see dialect.ts); objects
 * may have them in either.
 */
import { canonicalQualifiedName } from './dialect';

/** The StorageClass of a claim or a volume, as before `storageClassName` existed. It takes precedence over that field. */
export const BETA_STORAGE_CLASS = 'volume.beta.platform.io/storage-class';

/** The annotations that mark a StorageClass as the default one, with the value `true`. */
export const DEFAULT_STORAGE_CLASS: readonly string[] = [
  'storageclass.platform.io/is-default-class',
  'storageclass.beta.platform.io/is-default-class',
];

/** Whether an annotation with one of the canonical names has the value `true`, in either spelling. */
export const isMarkedDefault = (annotations: Readonly<Record<string, string>>, names: readonly string[]): boolean =>
  Object.entries(annotations).some(([name, value]) => value === 'true' && names.includes(canonicalQualifiedName(name)));
