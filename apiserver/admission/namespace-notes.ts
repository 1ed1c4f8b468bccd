/** What the annotations of a namespace say to plug-ins that schedule the pods in it. Understands none of them. */
import { readMetadata } from '../../shared/api/metadata/object-meta';
import { canonicalQualifiedName } from '../../shared/names/dialect';
import { objectAt, stringAt } from '../../shared/values/json';
import type { Entry } from '../cache/cache';
import { parseEntry } from '../registry/object/stored-object';

const DOMAIN = 'scheduler.alpha.platform.io';

/** Undefined = there is no such annotation. */
export function schedulingNote(namespace: Entry | undefined, name: string): string | undefined {
  if (namespace === undefined) return undefined;
  const annotations = objectAt(readMetadata(parseEntry(namespace).object), 'annotations') ?? {};
  const key = Object.keys(annotations).find((one) => canonicalQualifiedName(one) === `${DOMAIN}/${name}`);
  return key === undefined ? undefined : stringAt(annotations, key);
}
