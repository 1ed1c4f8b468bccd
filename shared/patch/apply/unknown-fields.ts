/**
 * Removes the fields that the merge shape (merge-shape.ts) does not declare from an applied configuration, and lists
 * them. Values of a wrong type stay; `shapeErrors` (typed.ts) reports them.
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

/** `object` is not modified; what has no unknown field is shared with the result. */
export function removeUnknownFields(shape: MergeShape, object: JsonObject): ConfigurationOfKnownFields {
  const unknown: string[] = [];
  return { object: withoutUnknownMembers(shape, object, '', unknown), unknown };
}

/** Appends the paths of removed fields, which begin with `path`, to `unknown`. Returns `value` when it has none. */
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
    const memberPath = extendPath(path, name);
    if (member === undefined) {
      isUnchanged = false;
      if (unknown.length < MAX_UNKNOWN_FIELDS) unknown.push(memberPath);
      continue;
    }
    const part = withoutUnknown(member, value, memberPath, unknown);
    isUnchanged &&= part === value;
    setMember(known, name, part);
  }
  return isUnchanged ? object : known;
}
