/** Removes the fields that a shape does not declare from an applied configuration and lists them. Leaves values of a wrong type to typed.ts. */
import { isObject, own, setMember, type JsonObject, type JsonValue } from '../../values/json';
import { extendPath } from '../../values/field-path';
import { memberShape, shapeFor, type Shape } from './merge-shape';

export interface KnownFields {
  /** The object without unknown fields; the same object when it has none. */
  readonly object: JsonObject;
  /** Paths of unknown fields (`spec.ports[0].foo`) in order of appearance, at most 100. */
  readonly unknown: readonly string[];
}

const MOST_UNKNOWN = 100;

export function knownFields(shape: Shape, object: JsonObject): KnownFields {
  const unknown: string[] = [];
  return { object: membersOf(shape, object, '', unknown), unknown };
}

function knownPart(declared: Shape, value: JsonValue, path: string, unknown: string[]): JsonValue {
  const shape = shapeFor(declared, value);
  switch (shape.kind) {
    case 'struct':
    case 'map':
      return isObject(value) ? membersOf(shape, value, path, unknown) : value;
    case 'list':
    case 'set':
    case 'keyed': {
      if (!Array.isArray(value)) return value;
      const items = value.map((item, index) => knownPart(shape.of, item, extendPath(path, index), unknown));
      return items.some((item, index) => item !== value[index]) ? items : value;
    }
    case 'scalar':
    case 'free':
    case 'deduced':
      return value;
  }
}

function membersOf(shape: Shape, object: JsonObject, path: string, unknown: string[]): JsonObject {
  const known: JsonObject = {};
  let isSame = true;
  for (const name of Object.keys(object)) {
    const [member, value] = [memberShape(shape, name), own(object, name) ?? null];
    const below = extendPath(path, name);
    if (member === undefined) {
      isSame = false;
      if (unknown.length < MOST_UNKNOWN) unknown.push(below);
      continue;
    }
    const part = knownPart(member, value, below, unknown);
    isSame &&= part === value;
    setMember(known, name, part);
  }
  return isSame ? object : known;
}
