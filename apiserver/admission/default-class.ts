/** Of the classes that are marked as the default one the newest, and of equally new ones the first by name. */
import { readMetadata } from '../../shared/api/metadata/object-meta';
import { canonicalQualifiedName } from '../../shared/names/dialect';
import { objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import type { Entry } from '../cache/cache';
import { parseEntry } from '../registry/object/stored-object';

/** The part of a mark that all spellings share. */
const MARK_BYTES = Buffer.from('is-default-class');

/** `marks`: annotations in canonical spelling. */
export function defaultAmong(classes: Iterable<Entry>, marks: readonly string[]): string | undefined {
  let best: { readonly name: string; readonly created: string } | undefined;
  for (const entry of classes) {
    // Most classes carry no mark, and need not be parsed to tell.
    if (!entry.bytes.includes(MARK_BYTES)) continue;
    const metadata = readMetadata(parseEntry(entry).object);
    if (!isMarked(objectAt(metadata, 'annotations') ?? {}, marks)) continue;
    // Entries come in the order of their names.
    const created = stringAt(metadata, 'creationTimestamp') ?? '';
    if (best === undefined || created > best.created) best = { name: entry.key, created };
  }
  return best?.name;
}

const isMarked = (annotations: JsonObject, marks: readonly string[]): boolean =>
  Object.keys(annotations).some((name) => marks.includes(canonicalQualifiedName(name)) && annotations[name] === 'true');
