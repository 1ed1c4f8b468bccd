/**
 * How server-side apply sees a custom resource. Lists are one field unless the schema says otherwise, objects are made of fields; what the schema
 * leaves open is made of fields as far as it consists of objects. Holds no values.
 */
import type { SchemaNode } from '../../api/structural/schema-node';
import { fieldElement } from './field-set';
import { BOOLEAN, listKeys, NUMBER, shapeOf, STRING, type ListKey, type Member, type Shape } from './merge-shape';

/** The whole object, with apiVersion, kind and metadata. */
export function customShape(node: SchemaNode): Shape {
  let shape = known.get(node);
  if (shape === undefined) known.set(node, (shape = resourceShape(node, node.preservesUnknownFields)));
  return shape;
}

const known = new WeakMap<SchemaNode, Shape>();

const anything = openShape();

function openShape(): Shape {
  const members: { kind: 'map'; atomic: boolean; of: Shape } = { kind: 'map', atomic: false, of: STRING };
  const shape: Shape = { kind: 'deduced', members };
  members.of = shape;
  return shape;
}

/** `open`: unknown fields are allowed, here or in what is around the value. */
function valueShape(node: SchemaNode, openAround: boolean): Shape {
  const open = openAround || node.preservesUnknownFields;
  if (node.intOrString) return anything;
  switch (node.type) {
    case 'string':
      return STRING;
    case 'boolean':
      return BOOLEAN;
    case 'integer':
    case 'number':
      return NUMBER;
    case 'array':
      return listShape(node, open);
    case 'object':
      return node.embeddedResource ? resourceShape(node, open) : objectShape(node, open);
    case undefined:
      return node.properties.size === 0 ? anything : { kind: 'deduced', members: objectShape(node, true) };
  }
}

function listShape(node: SchemaNode, open: boolean): Shape {
  const of = node.items === undefined ? anything : valueShape(node.items, open);
  switch (node.listType) {
    case 'set':
      return { kind: 'set', of };
    case 'map':
      return { kind: 'keyed', of, keys: keysOf(node) };
    case 'atomic':
    case undefined:
      return { kind: 'list', of };
  }
}

function keysOf({ items, listMapKeys }: SchemaNode): readonly ListKey[] {
  return listKeys(listMapKeys, (name) => items?.properties.get(name)?.defaultValue ?? undefined);
}

function objectShape(node: SchemaNode, open: boolean): Shape {
  const { additionalProperties, properties } = node;
  const atomic = node.mapType === 'atomic';
  if (properties.size > 0) return structShape(node, open, NO_MEMBERS);
  return { kind: 'map', atomic, of: typeof additionalProperties === 'object' ? valueShape(additionalProperties, open) : anything };
}

function resourceShape(node: SchemaNode, open: boolean): Shape {
  return structShape(node, open, TYPE_META);
}

const NO_MEMBERS: ReadonlyMap<string, () => Shape> = new Map();
const TYPE_META: ReadonlyMap<string, () => Shape> = new Map([
  ['apiVersion', (): Shape => STRING],
  ['kind', (): Shape => STRING],
  ['metadata', (): Shape => shapeOf('meta.v1.ObjectMeta')],
]);

/** Members are worked out when they are first met. */
function structShape(node: SchemaNode, open: boolean, given: ReadonlyMap<string, () => Shape>): Shape {
  const { additionalProperties } = node;
  const members = new Map<string, Member>();
  const find = (name: string): Shape | undefined => {
    const declared = node.properties.get(name);
    return given.get(name)?.() ?? (declared === undefined ? undefined : valueShape(declared, open));
  };
  const member = (name: string): Member | undefined => {
    const met = members.get(name);
    if (met !== undefined) return met;
    const shape = find(name);
    if (shape === undefined) return undefined;
    const made = { element: fieldElement(name), shape };
    members.set(name, made);
    return made;
  };
  const more = typeof additionalProperties === 'object' ? valueShape(additionalProperties, open) : undefined;
  const others = more ?? (open || additionalProperties === true || node.properties.size === 0 ? anything : undefined);
  return { kind: 'struct', atomic: node.mapType === 'atomic', member, others };
}
