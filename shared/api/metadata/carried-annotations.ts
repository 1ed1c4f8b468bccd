/** Annotations that stand in for members: reading and taking them out, and putting them in. The objects given stay as they are. */
import { CONVERSION_ANNOTATIONS, type ConversionAnnotations } from '../../names/dialect';
import { isObject, objectAt, stringAt, type JsonObject, type JsonValue } from '../../values/json';
import { readMetadata } from './object-meta';

/** An annotation's key in a dialect. */
export type KeyOf = (names: ConversionAnnotations) => string;

/** The annotation's text, however its key is spelled. */
export function annotationAt(object: JsonObject, keyOf: KeyOf): string | undefined {
  const annotations = objectAt(readMetadata(object), 'annotations');
  return annotations === undefined
    ? undefined
    : keysOf(keyOf)
        .map((key) => stringAt(annotations, key))
        .find((text) => text !== undefined);
}

/** The object's metadata without the annotations of these keys in any spelling. */
export function metadataWithout(object: JsonObject, keys: readonly KeyOf[]): JsonObject {
  const { annotations, ...metadata } = readMetadata(object);
  if (!isObject(annotations)) return metadata;
  const gone = new Set(keys.flatMap(keysOf));
  const left = Object.entries(annotations).filter(([key]) => !gone.has(key));
  return left.length === 0 ? metadata : { ...metadata, annotations: Object.fromEntries(left) };
}

/** The object's metadata with more annotations. */
export function metadataWith(object: JsonObject, added: Readonly<Record<string, string>>): JsonObject {
  const metadata = readMetadata(object);
  return Object.keys(added).length === 0 ? metadata : { ...metadata, annotations: { ...objectAt(metadata, 'annotations'), ...added } };
}

function keysOf(keyOf: KeyOf): readonly string[] {
  return Object.values(CONVERSION_ANNOTATIONS).map(keyOf);
}

/** An annotation's text as JSON; undefined when it is none. */
export function parseText(text: string): JsonValue | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What was parsed from JSON holds nothing but JSON values. */
function isJson(value: unknown): value is JsonValue {
  return value !== undefined;
}
