/**
 * Encodes stored objects as protobuf messages. The sets of fields in their managed fields are JSON texts in a message
 * too, so they are copied from the stored text: parsing and writing them takes as long as the rest of a Pod.
 */
import { arrayAt, isObject, objectAt, type JsonObject } from '../../values/json';
import { endOfValue } from '../json/json-tokens';
import { parseStoredJson } from '../json/stored-json';
import { encodeProtobufMessage } from './protobuf';
import { fieldSetTexts } from './protobuf-write';

/** Encodes an object without envelope. `stored`: its stored JSON, or JSON that the server has made of that. */
export function encodeStoredMessage(type: string, stored: Buffer): Buffer {
  return encodeProtobufMessage(type, parseWithFieldSetTexts(stored.toString()));
}

/** The object; the sets of its managed fields are in {@link fieldSetTexts} instead. */
function parseWithFieldSetTexts(text: string): JsonObject {
  const { outline, fieldSets } = cutFieldSets(text);
  const object = parseStoredJson(outline);
  // Members after the metadata may contain managed fields too, such as those of a Pod template.
  return assignFieldSets(object, fieldSets) === fieldSets.length ? object : parseStoredJson(text);
}

/** Stands for a set in the outline. */
const PLACEHOLDER = '0';

/** The text with a placeholder for each set, and the texts of the sets. Does not look whether they are in the metadata. */
function cutFieldSets(text: string): { readonly outline: string; readonly fieldSets: readonly string[] } {
  const fieldSets: string[] = [];
  // Quotes within strings are escaped, so both searches find only names of members.
  const managedFields = text.indexOf('"managedFields":[');
  if (managedFields < 0) return { outline: text, fieldSets };
  const pieces: string[] = [];
  const member = '"fieldsV1":';
  let copied = 0;
  for (let name = text.indexOf(member, managedFields); name >= 0; name = text.indexOf(member, copied)) {
    const start = name + member.length;
    pieces.push(text.slice(copied, start), PLACEHOLDER);
    copied = endOfValue(text, start);
    fieldSets.push(text.slice(start, copied));
  }
  pieces.push(text.slice(copied));
  return { outline: pieces.join(''), fieldSets };
}

/** Assigns the texts to the entries of the managed fields, in order. Returns how many there were. */
function assignFieldSets(object: JsonObject, fieldSets: readonly string[]): number {
  let assigned = 0;
  for (const entry of arrayAt(objectAt(object, 'metadata'), 'managedFields') ?? []) {
    const fieldSet = fieldSets[assigned];
    if (!isObject(entry) || entry['fieldsV1'] === undefined || fieldSet === undefined) continue;
    fieldSetTexts.set(entry, fieldSet);
    assigned += 1;
  }
  return assigned;
}
