/**
 * Creates cache entries from converted objects: labels and fields of the new version, and bytes in slabs that the objects
 * of one call share.
 */
import { codecOf, encodeWithMetadata, encodeAfterMetadata } from '../../shared/api/codec/codec';
import type { KindRow } from '../../shared/api/kinds';
import { stringLabelsOf } from '../../shared/api/metadata/object-meta';
import type { JsonObject } from '../../shared/values/json';
import type { Entry, Labels } from '../cache/cache';
import { fieldReader } from '../registry/object/field-reader';
import { convertedObjectFields } from '../registry/object/hidden-fields';
import type { NewMetadata } from './accept-object';
import { ConvertedEntry, EntrySlabAllocator } from './converted-entry-cache';

/**
 * Creates the entry of a converted object. `entry` is the stored one; `undefined` is a bug, because every converted object
 * belongs to an entry, and throws.
 */
export type ConvertedEntryFactory = (entry: Entry | undefined, object: JsonObject, metadata: NewMetadata) => ConvertedEntry;

const EMPTY_BYTES = Buffer.alloc(0);

/** Creates entries for the `count` objects of one call. */
export function convertedEntryFactory(row: KindRow, count: number): ConvertedEntryFactory {
  const codec = codecOf(row);
  const readers = (row.selectableFields ?? []).map(fieldReader);
  const hiddenFieldsOf = convertedObjectFields(row);
  const slabs = new EntrySlabAllocator(count);
  const fieldsOf = (object: JsonObject): Labels => {
    const hidden = hiddenFieldsOf(object);
    if (readers.length === 0) return hidden;
    const fields = { ...hidden };
    for (const reader of readers) fields[reader.name] = reader.read(object);
    return fields;
  };
  return (entry, object, metadata) => {
    if (entry === undefined) throw new Error('an entry is missing after its conversion');
    const fields = fieldsOf(object);
    // Unchanged metadata: the stored bytes up to its end are copied, and the stored labels stay.
    if (metadata !== 'inside' && 'unchangedEnd' in metadata) {
      const { bytes, slab } = slabs.store(entry.bytes, metadata.unchangedEnd, encodeAfterMetadata(object));
      return new ConvertedEntry(entry, entry.labels, fields, bytes, slab);
    }
    const text = metadata === 'inside' ? codec.encodeBody(object) : encodeWithMetadata(metadata.text, object);
    const { bytes, slab } = slabs.store(EMPTY_BYTES, 0, text);
    return new ConvertedEntry(entry, stringLabelsOf(object), fields, bytes, slab);
  };
}
