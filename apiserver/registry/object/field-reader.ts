/** Reads the value of a selectable field from an object, as a string for comparison by field selectors. */
import { isObject, ownMember, type JsonObject, type JsonValue } from '../../../shared/values/json';
import type { SelectableField } from '../../../shared/api/kinds';

export interface FieldReader {
  readonly name: string;
  read(object: JsonObject): string;
}

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

export function valueAtPath(object: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = object;
  for (const member of path) value = isObject(value) ? ownMember(value, member) : undefined;
  return value;
}

function textOf(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value;
  return typeof value === 'boolean' || typeof value === 'number' || typeof value === 'bigint' ? String(value) : '';
}
