/** Annotations of storage objects that several components read. They are canonical; objects may have them in either dialect. */
import { canonicalQualifiedName } from './dialect';

/** The class of a claim or a volume, from before it was a field. It takes precedence over the field. */
export const BETA_STORAGE_CLASS = 'volume.beta.platform.io/storage-class';

/** With the value `true` they mark a StorageClass as the default one. */
export const DEFAULT_STORAGE_CLASS: readonly string[] = [
  'storageclass.platform.io/is-default-class',
  'storageclass.beta.platform.io/is-default-class',
];

/** Whether an annotation with one of the names has the value `true`. One spelling suffices. */
export const isMarkedDefault = (annotations: Readonly<Record<string, string>>, names: readonly string[]): boolean =>
  Object.entries(annotations).some(([name, value]) => value === 'true' && names.includes(canonicalQualifiedName(name)));
