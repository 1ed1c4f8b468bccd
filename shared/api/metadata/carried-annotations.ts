/**
 * Reads, removes and adds the annotations in which an object of one version carries the fields that only another
 * version has, such as the `metrics` of an autoscaling/v1 HorizontalPodAutoscaler. Does not modify the objects passed
 * in.
 */
import { CONVERSION_ANNOTATIONS, type ConversionAnnotations } from '../../names/dialect';
import { isObject, objectAt, stringAt, type JsonObject, type JsonValue } from '../../values/json';
import { readMetadata } from './object-meta';

/** Selects the key of one annotation from the names of a dialect (`shared/names/dialect.ts`). */
export type AnnotationKeyOf = (names: ConversionAnnotations) => string;

/** The value of the annotation under either spelling of its key; `undefined` when the object has neither. */
export function annotationAt(object: JsonObject, keyOf: AnnotationKeyOf): string | undefined {
  const annotations = objectAt(readMetadata(object), 'annotations');
  return annotations === undefined
    ? undefined
    : spellingsOfKey(keyOf)
        .map((key) => stringAt(annotations, key))
        .find((text) => text !== undefined);
}

/** The metadata of the object without these annotations, in either spelling of their keys. */
export function metadataWithoutAnnotations(object: JsonObject, keys: readonly AnnotationKeyOf[]): JsonObject {
  const { annotations, ...metadata } = readMetadata(object);
  if (!isObject(annotations)) return metadata;
  const removed = new Set(keys.flatMap(spellingsOfKey));
  const remaining = Object.entries(annotations).filter(([key]) => !removed.has(key));
  return remaining.length === 0 ? metadata : { ...metadata, annotations: Object.fromEntries(remaining) };
}

/** The metadata of the object with additional annotations. */
export function metadataWithAnnotations(object: JsonObject, added: Readonly<Record<string, string>>): JsonObject {
  const metadata = readMetadata(object);
  return Object.keys(added).length === 0 ? metadata : { ...metadata, annotations: { ...objectAt(metadata, 'annotations'), ...added } };
}

function spellingsOfKey(keyOf: AnnotationKeyOf): readonly string[] {
  return Object.values(CONVERSION_ANNOTATIONS).map(keyOf);
}

/** The value of an annotation parsed as JSON; `undefined` when it is not JSON. */
export function parseAnnotationJson(text: string): JsonValue | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** JSON.parse returns JSON values only. */
function isJson(value: unknown): value is JsonValue {
  return value !== undefined;
}
