/**
 * Reads the value of a selectable field from an object, as the text with which field selectors compare. Where the text
 * is stored, so that selectors need not parse objects, is up to stored-object.ts.
 */
import { isObject, ownMember, type JsonObject, type JsonValue } from '../../../shared/values/json';
import type { SelectableField } from '../../../shared/api/kinds';

/** Reads one selectable field. */
export interface FieldReader {
  /** The field as selectors name it: `status.phase`. */
  readonly name: string;
  /** Returns the kind's text for absent fields (by default '') when neither `path` nor `fallback` has a non-empty value. */
  read(object: JsonObject): string;
}

/** The reader of a field. The paths of the field are split once, here. */
export function fieldReader(field: SelectableField): FieldReader {
  const { name, path, fallback, absent = '' } = field;
  const memberPaths = [path, ...(fallback === undefined ? [] : [fallback])].map((text) => text.split('.'));
  return {
    name,
    read(object) {
      for (const memberPath of memberPaths) {
        const text = textOf(valueAtPath(object, memberPath));
        if (text !== '') return text;
      }
      return absent;
    },
  };
}

/** `undefined` when a member on the path is absent or is not an object. */
export function valueAtPath(object: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = object;
  for (const member of path) value = isObject(value) ? ownMember(value, member) : undefined;
  return value;
}

function textOf(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value;
  return typeof value === 'boolean' || typeof value === 'number' || typeof value === 'bigint' ? String(value) : '';
}
