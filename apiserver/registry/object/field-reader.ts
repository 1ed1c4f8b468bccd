/** Reads the value of a selectable field out of an object, as selectors compare it. */
import { isObject, own, type JsonObject, type JsonValue } from '../../../shared/values/json';
import type { SelectableField } from '../../../shared/api/kinds';

export interface FieldReader {
  readonly name: string;
  read(object: JsonObject): string;
}

export function fieldReader(field: SelectableField): FieldReader {
  const { name, path, fallback, absent = '' } = field;
  const places = [path, ...(fallback === undefined ? [] : [fallback])].map((place) => place.split('.'));
  return {
    name,
    read(object) {
      for (const place of places) {
        const text = textOf(valueAt(object, place));
        if (text !== '') return text;
      }
      return absent;
    },
  };
}

function valueAt(object: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = object;
  for (const member of path) value = isObject(value) ? own(value, member) : undefined;
  return value;
}

function textOf(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value;
  return typeof value === 'boolean' || typeof value === 'number' || typeof value === 'bigint' ? String(value) : '';
}
