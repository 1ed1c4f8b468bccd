/** Reads the value of a selectable field out of an object, as selectors compare it. */
import { isObject, own, type JsonObject, type JsonValue } from '../../../shared/values/json';
import type { SelectableField } from '../../../shared/api/kinds';

export interface FieldReader {
  readonly name: string;
  read(object: JsonObject): string;
}

export function fieldReader(field: SelectableField): FieldReader {
  const path = field.path.split('.');
  const absent = field.absent ?? '';
  return {
    name: field.name,
    read(object) {
      let value: JsonValue | undefined = object;
      for (const member of path) value = isObject(value) ? own(value, member) : undefined;
      if (typeof value === 'string') return value === '' ? absent : value;
      return typeof value === 'boolean' || typeof value === 'number' || typeof value === 'bigint' ? String(value) : absent;
    },
  };
}
