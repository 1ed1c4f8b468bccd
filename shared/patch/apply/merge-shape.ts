/**
 * How server-side apply sees a type: which values are one field and which are made of fields. Derived from the type
 * tables, each type when it is first asked for. Holds no values.
 */
import { isObject, stringifyJsonString, stringifyJson, type JsonObject, type JsonValue } from '../../values/json';
import { quote } from '../../values/quote';
import { schemaOf, type FieldSchema, type FieldType } from '../../api/types';
import { fieldElement, valueElement, type PathElement } from './field-set';

export type Shape =
  | { readonly kind: 'scalar'; readonly of: 'string' | 'number' | 'boolean' | 'any' }
  /** `atomic`: one field, whatever it holds. */
  | {
      readonly kind: 'struct';
      readonly atomic: boolean;
      readonly member: (name: string) => Member | undefined;
      /** Members that are not declared, which are like the keys of a map; undefined = there are none. */
      readonly others: Shape | undefined;
    }
  | { readonly kind: 'map'; readonly atomic: boolean; readonly of: Shape }
  | { readonly kind: 'list'; readonly of: Shape }
  | { readonly kind: 'set'; readonly of: Shape }
  | { readonly kind: 'keyed'; readonly of: Shape; readonly keys: readonly ListKey[] }
  /** Without a schema: one field, whatever it holds. */
  | { readonly kind: 'free' }
  /** What the value says: objects have this shape, anything else is one field. */
  | { readonly kind: 'deduced'; readonly members: Shape };

/** A member of a struct. */
export interface Member {
  readonly element: PathElement;
  readonly shape: Shape;
}

/** Lists whose items are found by what identifies them. */
export type ItemShape = Extract<Shape, { kind: 'set' | 'keyed' }>;

export interface ListKey {
  readonly name: string;
  /** What stands before its value in an element. */
  readonly head: string;
  /** What an omitted key counts as; undefined = it may not be omitted. */
  readonly absent: JsonValue | undefined;
}

export const STRING: Shape = { kind: 'scalar', of: 'string' };
export const NUMBER: Shape = { kind: 'scalar', of: 'number' };
export const BOOLEAN: Shape = { kind: 'scalar', of: 'boolean' };
const ANY: Shape = { kind: 'scalar', of: 'any' };
const FREE: Shape = { kind: 'free' };

const known = new Map<string, Shape>();

/** The shape of a type of the tables (`core.v1.Pod`). */
export function shapeOf(type: string): Shape {
  let shape = known.get(type);
  if (shape === undefined) known.set(type, (shape = structShape(type, schemaOf(type).mapType === 'atomic')));
  return shape;
}

function structShape(type: string, atomic: boolean): Shape {
  const schema = schemaOf(type);
  // Types may refer to themselves, so members are worked out when they are first met.
  const members = new Map<string, Member>();
  const add = (name: string, shape: Shape): Member => {
    const made = { element: fieldElement(name), shape };
    members.set(name, made);
    return made;
  };
  if (schema.hasTypeMeta) for (const name of ['kind', 'apiVersion']) add(name, STRING);
  const member = (name: string): Member | undefined => {
    const known = members.get(name);
    if (known !== undefined) return known;
    const found = schema.field(name);
    return found === undefined ? undefined : add(name, fieldShape(found));
  };
  return { kind: 'struct', atomic, member, others: undefined };
}

function fieldShape(field: FieldSchema): Shape {
  const { type } = field;
  switch (type.kind) {
    case 'scalar':
    case 'either':
    case 'object':
      // What a member says of its struct counts for more than what the struct's type says.
      return type.kind === 'object' && field.mapType !== undefined ? structShape(type.type, field.mapType === 'atomic') : typeShape(type);
    case 'map':
      return { kind: 'map', atomic: field.mapType === 'atomic', of: typeShape(type.element) };
    case 'list':
      switch (field.listType) {
        case 'set':
          return { kind: 'set', of: typeShape(type.element) };
        case 'map':
          return { kind: 'keyed', of: typeShape(type.element), keys: keysOf(type.element, field.listMapKeys) };
        case 'atomic':
        case undefined:
          return typeShape(type);
      }
  }
}

function typeShape(type: FieldType): Shape {
  switch (type.kind) {
    case 'object':
      return shapeOf(type.type);
    case 'list':
      return { kind: 'list', of: typeShape(type.element) };
    case 'map':
      return { kind: 'map', atomic: false, of: typeShape(type.element) };
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
          return { kind: 'list', of: STRING };
        case 'raw':
        case 'json':
        case 'fields':
          return FREE;
      }
  }
}

/** Sorted by name. An omitted key counts as its published default, a required one as its type's zero value. */
function keysOf(of: FieldType, names: readonly string[]): readonly ListKey[] {
  const schema = of.kind === 'object' ? schemaOf(of.type) : undefined;
  return listKeys(names, (name) => {
    const field = schema?.field(name);
    const shape = field === undefined ? STRING : fieldShape(field);
    const zero = shape.kind === 'scalar' && shape.of === 'number' ? 0 : shape.kind === 'scalar' && shape.of === 'boolean' ? false : '';
    return field?.defaultValue ?? (field?.required === true ? zero : undefined);
  });
}

/** Sorted by name. */
export function listKeys(names: readonly string[], absent: (name: string) => JsonValue | undefined): readonly ListKey[] {
  return [...names]
    .sort()
    .map((name, index) => ({ name, head: `${index === 0 ? '' : ','}${stringifyJsonString(name)}:`, absent: absent(name) }));
}

/** The shape of a member of a struct or map; undefined for an unknown member. */
export function memberShape(shape: Shape, name: string): Shape | undefined {
  switch (shape.kind) {
    case 'struct':
      return shape.member(name)?.shape ?? shape.others;
    case 'map':
      return shape.of;
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

/** Whether a member is a field of its own because it is there, as the keys of maps are. */
export function isKey(shape: Shape, name: string): boolean {
  return shape.kind !== 'struct' || shape.member(name) === undefined;
}

/** The shape that these values have, which are states of the same field. */
export function shapeFor(shape: Shape, ...values: readonly (JsonValue | undefined)[]): Shape {
  if (shape.kind !== 'deduced') return shape;
  const present = values.filter((value) => value !== undefined && value !== null);
  return present.length > 0 && present.every(isObject) ? shape.members : FREE;
}

/** The element that stands for a member of a struct or a key of a map. */
export function memberElement(shape: Shape, name: string): PathElement {
  return (shape.kind === 'struct' ? shape.member(name)?.element : undefined) ?? fieldElement(name);
}

/** An item of a keyed list lacks a key, so nobody can say which one it is. The message is upstream's. */
export class MissingKey extends Error {
  override readonly name = 'MissingKey';

  constructor(key: string) {
    super(`associative list with keys has an element that omits key field ${quote(key)} (and doesn't have default value)`);
  }
}

/** The element that stands for an item of a set or keyed list. Throws {@link MissingKey}. */
export function itemElement(shape: ItemShape, item: JsonValue): PathElement {
  if (shape.kind === 'set') return valueElement(item);
  const given: JsonObject = isObject(item) ? item : {};
  let element = 'k:{';
  for (const { name, head, absent } of shape.keys) {
    const value = given[name] ?? absent;
    if (value === undefined) throw new MissingKey(name);
    element += head + (typeof value === 'string' ? stringifyJsonString(value) : stringifyJson(value, 'sorted'));
  }
  return `${element}}`;
}

/** How a value of a shape takes part: as one field, by its members, or by its items. Of a deduced shape see {@link shapeFor} first. */
export function partition(shape: Shape): 'leaf' | 'members' | 'items' {
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
