/** Reads the annotations of a namespace that configure how its pods are scheduled. Their values are parsed by the plug-ins. */
import { readMetadata } from '../../../../shared/api/metadata/object-meta';
import { canonicalQualifiedName } from '../../../../shared/names/dialect';
import type { Entry } from '../../../cache/cache';
import { parseEntry } from '../../../registry/object/stored-object';

const DOMAIN = 'scheduler.alpha.platform.io';

/**
 * The annotation `scheduler.alpha.platform.io/NAME`, with the domain in either spelling; `undefined` when the namespace
 * has no such annotation.
 */
export function schedulingAnnotation(namespace: Entry | undefined, name: string): string | undefined {
  if (namespace === undefined) return undefined;
  const { annotations = {} } = readMetadata(parseEntry(namespace).object);
  const key = Object.keys(annotations).find((candidate) => canonicalQualifiedName(candidate) === `${DOMAIN}/${name}`);
  return key === undefined ? undefined : annotations[key];
}
