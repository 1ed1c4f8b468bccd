/**
 * The merge shape of a type for server-side apply (schema.Atom of structured-merge-diff): which values are atomic, that
 * is one field that is owned and replaced as a whole, and which are merged by their members or items. This module
 * derives the shapes of built-in kinds from the type tables (shared/api/types), each type on first use;
 * custom-merge-shape.ts derives those of custom resources from their schemas.
 */
import { isObject, stringifyJsonString, stringifyJson, type JsonObject, type JsonValue } from '../../values/json';
import { quote } from '../../values/text/quote';
import { schemaOf, type FieldSchema, type FieldType } from '../../api/types';
import { fieldElement, valueElement, type PathElement } from './field-set';

/** How the values of a type are merged. */
export type MergeShape =
  /** `any`: a string, number or boolean, such as an IntOrString. */
  | { readonly kind: 'scalar'; readonly scalar: 'string' | 'number' | 'boolean' | 'any' }
  | {
      readonly kind: 'struct';
      /** Whether the whole object is one field. */
      readonly atomic: boolean;
      /** The declared member of this name. */
      readonly member: (name: string) => ShapeMember | undefined;
      /** The shape of undeclared members, which are merged like map keys; `undefined` when they are unknown fields. */
      readonly others: MergeShape | undefined;
    }
  | { readonly kind: 'map'; readonly atomic: boolean; readonly element: MergeShape }
  /** An atomic list. */
  | { readonly kind: 'list'; readonly element: MergeShape }
  /** A list of scalars, merged by value (`listType: set`). */
  | { readonly kind: 'set'; readonly element: MergeShape }
  /** A list of objects, merged by their keys (`listType: map`). */
  | { readonly kind: 'keyed'; readonly element: MergeShape; readonly keys: readonly ListKey[] }
  /** A value without a schema that is atomic even when it is an object. */
  | { readonly kind: 'free' }
  /** A value without a schema: an object has the shape `members`, any other value is atomic. */
  | { readonly kind: 'deduced'; readonly members: MergeShape };

/** A member of a struct. */
export interface ShapeMember {
  readonly element: PathElement;
  readonly shape: MergeShape;
}

/** The shapes of associative lists. Their items have an identity: their value or their keys. */
export type ItemShape = Extract<MergeShape, { kind: 'set' | 'keyed' }>;

/** A member that identifies the items of a keyed list. */
export interface ListKey {
  readonly name: string;
  /** What stands before the key's value in a path element: `"port":` for the first key, `,"protocol":` for a later one. */
  readonly prefix: string;
  /** The value of an omitted key; `undefined` when the key is required. */
  readonly defaultValue: JsonValue | undefined;
}

export const STRING: MergeShape = { kind: 'scalar', scalar: 'string' };
export const NUMBER: MergeShape = { kind: 'scalar', scalar: 'number' };
export const BOOLEAN: MergeShape = { kind: 'scalar', scalar: 'boolean' };
const ANY: MergeShape = { kind: 'scalar', scalar: 'any' };
const FREE: MergeShape = { kind: 'free' };

const shapes = new Map<string, MergeShape>();

/** The shape of a type of the tables (`core.v1.Pod`). */
export function mergeShapeOf(type: string): MergeShape {
  let shape = shapes.get(type);
  if (shape === undefined) {
    shape = structShape(type, schemaOf(type).mapType);
    shapes.set(type, shape);
  }
  return shape;
}

function structShape(type: string, mapType: FieldSchema['mapType']): MergeShape {
  const schema = schemaOf(type);
  // Types may be recursive, so members are derived on first use.
  const members = new Map<string, ShapeMember>();
  const add = (name: string, shape: MergeShape): ShapeMember => {
    const added = { element: fieldElement(name), shape };
    members.set(name, added);
    return added;
  };
  if (schema.hasTypeMeta) for (const name of ['kind', 'apiVersion']) add(name, STRING);
  const member = (name: string): ShapeMember | undefined => {
    const cached = members.get(name);
    if (cached !== undefined) return cached;
    const field = schema.field(name);
    return field === undefined ? undefined : add(name, fieldShape(field));
  };
  return { kind: 'struct', atomic: mapType === 'atomic', member, others: undefined };
}

function fieldShape(field: FieldSchema): MergeShape {
  const { type } = field;
  switch (type.kind) {
    case 'scalar':
    case 'either':
    case 'object':
      // The map type of the field overrides that of its struct type.
      return type.kind === 'object' && field.mapType !== undefined ? structShape(type.type, field.mapType) : typeShape(type);
    case 'map':
      return { kind: 'map', atomic: field.mapType === 'atomic', element: typeShape(type.element) };
    case 'list':
      switch (field.listType) {
        case 'set':
          return { kind: 'set', element: typeShape(type.element) };
        case 'map':
          return { kind: 'keyed', element: typeShape(type.element), keys: listKeysOf(type.element, field.listMapKeys) };
        case 'atomic':
        case undefined:
          return typeShape(type);
      }
  }
}

function typeShape(type: FieldType): MergeShape {
  switch (type.kind) {
    case 'object':
      return mergeShapeOf(type.type);
    case 'list':
      return { kind: 'list', element: typeShape(type.element) };
    case 'map':
      return { kind: 'map', atomic: false, element: typeShape(type.element) };
    case 'either':
      return FREE;
    case 'scalar':
      switch (type.scalar) {
        case 'string':
        case 'bytes':
        case 'duration':
          return STRING;
        case 'bool':
          return BOOLEAN;
        case 'int32':
        case 'int64':
        case 'uint32':
        case 'float64':
          return NUMBER;
        case 'time':
        case 'microTime':
        case 'quantity':
        case 'intOrString':
          return ANY;
        case 'strings':
          return { kind: 'list', element: STRING };
        case 'raw':
        case 'json':
        case 'fields':
          return FREE;
      }
  }
}

/**
 * The keys of a list of a built-in type. A key that an item omits has its published default; without one, a required
 * key has the zero value of its type.
 */
function listKeysOf(element: FieldType, names: readonly string[]): readonly ListKey[] {
  const schema = element.kind === 'object' ? schemaOf(element.type) : undefined;
  return listKeys(names, (name) => {
    const field = schema?.field(name);
    if (field === undefined) return undefined;
    return field.defaultValue ?? (field.required ? zeroValueOf(fieldShape(field)) : undefined);
  });
}

function zeroValueOf(shape: MergeShape): JsonValue {
  if (shape === NUMBER) return 0;
  return shape === BOOLEAN ? false : '';
}

/** The keys with these names, sorted by name as in a path element. */
export function listKeys(names: readonly string[], defaultOf: (name: string) => JsonValue | undefined): readonly ListKey[] {
  return [...names]
    .sort()
    .map((name, index) => ({ name, prefix: `${index === 0 ? '' : ','}${stringifyJsonString(name)}:`, defaultValue: defaultOf(name) }));
}

/** The shape of a member of a struct or map; `undefined` for an unknown member. */
export function memberShape(shape: MergeShape, name: string): MergeShape | undefined {
  switch (shape.kind) {
    case 'struct':
      return shape.member(name)?.shape ?? shape.others;
    case 'map':
      return shape.element;
    case 'deduced':
      return memberShape(shape.members, name);
    case 'free':
    case 'scalar':
    case 'list':
    case 'set':
    case 'keyed':
      return undefined;
  }
}

/**
 * Whether a member is a key of a map, not a declared member of a struct. The presence of a key is a field of its own,
 * even when fields stand below it.
 */
export function isMapKey(shape: MergeShape, name: string): boolean {
  return shape.kind !== 'struct' || shape.member(name) === undefined;
}

/**
 * The shape of a field that has these values, such as the one before and the one after a write. `deduced` is replaced by
 * its `members` when all values that are present are objects, and by `free` otherwise; other shapes are returned as they
 * are. Absent and null values do not count.
 */
export function resolveShape(shape: MergeShape, ...values: readonly (JsonValue | undefined)[]): MergeShape {
  if (shape.kind !== 'deduced') return shape;
  const present = values.filter((value) => value !== undefined && value !== null);
  return present.length > 0 && present.every(isObject) ? shape.members : FREE;
}

/** The path element of a struct member or map key. */
export function memberElement(shape: MergeShape, name: string): PathElement {
  return (shape.kind === 'struct' ? shape.member(name)?.element : undefined) ?? fieldElement(name);
}

/** An item of a `keyed` list lacks a key and therefore has no identity. The message is upstream's. */
export class MissingListKeyError extends Error {
  override readonly name = 'MissingListKeyError';

  constructor(key: string) {
    super(`associative list with keys has an element that omits key field ${quote(key)} (and doesn't have default value)`);
  }
}

/** The path element of an item of an associative list. Throws {@link MissingListKeyError}. */
export function itemElement(shape: ItemShape, item: JsonValue): PathElement {
  if (shape.kind === 'set') return valueElement(item);
  const given: JsonObject = isObject(item) ? item : {};
  let element = 'k:{';
  for (const { name, prefix, defaultValue } of shape.keys) {
    const value = given[name] ?? defaultValue; // A key that is null counts as omitted.
    if (value === undefined) throw new MissingListKeyError(name);
    element += prefix + (typeof value === 'string' ? stringifyJsonString(value) : stringifyJson(value, 'sorted'));
  }
  return `${element}}`;
}

/**
 * How a value contributes fields: as one field (`leaf`), by its members, or by its items. The caller resolves a
 * `deduced` shape with {@link resolveShape} first; an unresolved one counts as a leaf.
 */
export function partitionOf(shape: MergeShape): 'leaf' | 'members' | 'items' {
  switch (shape.kind) {
    case 'scalar':
    case 'list':
    case 'free':
    case 'deduced':
      return 'leaf';
    case 'struct':
    case 'map':
      return shape.atomic ? 'leaf' : 'members';
    case 'set':
    case 'keyed':
      return 'items';
  }
}
