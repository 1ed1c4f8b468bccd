/**
 * Removes fields that a shape does not declare from an applied configuration, and lists them. typed.ts reports values
 * of a wrong type.
 */
import { isObject, ownMember, setMember, type JsonObject, type JsonValue } from '../../values/json';
import { extendPath } from '../../values/field-path';
import { memberShape, resolveShape, type MergeShape } from './merge-shape';

/** The known part of an object, and what was removed. */
export interface ConfigurationOfKnownFields {
  /** The object without unknown fields; the same object when it has none. */
  readonly object: JsonObject;
  /** Paths of unknown fields (`spec.ports[0].foo`) in order of appearance, at most 100. */
  readonly unknown: readonly string[];
}

const MAX_UNKNOWN_FIELDS = 100;

/** Returns a copy where fields are removed; `object` is not modified. */
export function removeUnknownFields(shape: MergeShape, object: JsonObject): ConfigurationOfKnownFields {
  const unknown: string[] = [];
  return { object: withoutUnknownMembers(shape, object, '', unknown), unknown };
}

function withoutUnknown(declared: MergeShape, value: JsonValue, path: string, unknown: string[]): JsonValue {
  const shape = resolveShape(declared, value);
  switch (shape.kind) {
    case 'struct':
    case 'map':
      return isObject(value) ? withoutUnknownMembers(shape, value, path, unknown) : value;
    case 'list':
    case 'set':
    case 'keyed': {
      if (!Array.isArray(value)) return value;
      const items = value.map((item, index) => withoutUnknown(shape.element, item, extendPath(path, index), unknown));
      return items.some((item, index) => item !== value[index]) ? items : value;
    }
    case 'scalar':
    case 'free':
    case 'deduced':
      return value;
  }
}

function withoutUnknownMembers(shape: MergeShape, object: JsonObject, path: string, unknown: string[]): JsonObject {
  const known: JsonObject = {};
  let isUnchanged = true;
  for (const name of Object.keys(object)) {
    const member = memberShape(shape, name);
    const value = ownMember(object, name) ?? null;
    const below = extendPath(path, name);
    if (member === undefined) {
      isUnchanged = false;
      if (unknown.length < MAX_UNKNOWN_FIELDS) unknown.push(below);
      continue;
    }
    const part = withoutUnknown(member, value, below, unknown);
    isUnchanged &&= part === value;
    setMember(known, name, part);
  }
  return isUnchanged ? object : known;
}
