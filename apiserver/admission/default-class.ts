/**
 * Selects the default of a set of classes: the newest one that is marked as default and, among equally new ones, the
 * first by name.
 */
import { readMetadata } from '../../shared/api/metadata/object-meta';
import { isMarkedDefault } from '../../shared/names/storage';
import type { Entry } from '../cache/cache';
import { parseEntry } from '../registry/object/stored-object';

/** The part that all spellings of the annotation share. */
const DEFAULT_ANNOTATION_BYTES = Buffer.from('is-default-class');

/**
 * The name of the default class; `undefined` when none is marked. `classes` are cluster-scoped and in order of name.
 * `defaultAnnotations` are the annotations, in canonical spelling, that mark a class as default.
 */
export function newestDefaultClass(classes: Iterable<Entry>, defaultAnnotations: readonly string[]): string | undefined {
  let newest: { readonly name: string; readonly created: string } | undefined;
  for (const entry of classes) {
    // Most classes have no default annotation: they are skipped without being parsed.
    if (!entry.bytes.includes(DEFAULT_ANNOTATION_BYTES)) continue;
    const metadata = readMetadata(parseEntry(entry).object);
    if (!isMarkedDefault(metadata.annotations ?? {}, defaultAnnotations)) continue;
    // Timestamps are stored in one format and in UTC, so that their texts compare like the times.
    const created = metadata.creationTimestamp ?? '';
    // The key of a cluster-scoped object is its name.
    if (newest === undefined || created > newest.created) newest = { name: entry.key, created };
  }
  return newest?.name;
}
