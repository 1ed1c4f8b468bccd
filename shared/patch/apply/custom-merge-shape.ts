/**
 * The merge shape of a custom resource. Lists are atomic unless the schema declares a list type, and objects are
 * granular. Values that the schema does not specify are granular where they are objects.
 */
import type { SchemaNode } from '../../api/structural/schema-node';
import { fieldElement } from './field-set';
import { BOOLEAN, listKeys, NUMBER, mergeShapeOf, STRING, type ListKey, type ShapeMember, type MergeShape } from './merge-shape';

/** The shape of the whole object, including apiVersion, kind and metadata. */
export function customMergeShape(node: SchemaNode): MergeShape {
  let shape = shapes.get(node);
  if (shape === undefined) shapes.set(node, (shape = resourceShape(node, node.preservesUnknownFields)));
  return shape;
}

const shapes = new WeakMap<SchemaNode, MergeShape>();

const ANY_VALUE = createAnyValueShape();

function createAnyValueShape(): MergeShape {
  const members: { kind: 'map'; atomic: boolean; element: MergeShape } = { kind: 'map', atomic: false, element: STRING };
  const shape: MergeShape = { kind: 'deduced', members };
  members.element = shape;
  return shape;
}

/** `isOpenAround`: an enclosing value preserves unknown fields. */
function valueShape(node: SchemaNode, isOpenAround: boolean): MergeShape {
  const isOpen = isOpenAround || node.preservesUnknownFields;
  if (node.intOrString) return ANY_VALUE;
  switch (node.type) {
    case 'string':
      return STRING;
    case 'boolean':
      return BOOLEAN;
    case 'integer':
    case 'number':
      return NUMBER;
    case 'array':
      return listShape(node, isOpen);
    case 'object':
      return node.embeddedResource ? resourceShape(node, isOpen) : objectShape(node, isOpen);
    case undefined:
      return node.properties.size === 0 ? ANY_VALUE : { kind: 'deduced', members: objectShape(node, true) };
  }
}

function listShape(node: SchemaNode, isOpen: boolean): MergeShape {
  const element = node.items === undefined ? ANY_VALUE : valueShape(node.items, isOpen);
  switch (node.listType) {
    case 'set':
      return { kind: 'set', element };
    case 'map':
      return { kind: 'keyed', element, keys: keysOf(node) };
    case 'atomic':
    case undefined:
      return { kind: 'list', element };
  }
}

function keysOf({ items, listMapKeys }: SchemaNode): readonly ListKey[] {
  return listKeys(listMapKeys, (name) => items?.properties.get(name)?.defaultValue ?? undefined);
}

function objectShape(node: SchemaNode, isOpen: boolean): MergeShape {
  const { additionalProperties, properties } = node;
  const atomic = node.mapType === 'atomic';
  if (properties.size > 0) return structShape(node, isOpen, NO_MEMBERS);
  return { kind: 'map', atomic, element: typeof additionalProperties === 'object' ? valueShape(additionalProperties, isOpen) : ANY_VALUE };
}

function resourceShape(node: SchemaNode, isOpen: boolean): MergeShape {
  return structShape(node, isOpen, TYPE_META);
}

const NO_MEMBERS: ReadonlyMap<string, () => MergeShape> = new Map();
const TYPE_META: ReadonlyMap<string, () => MergeShape> = new Map([
  ['apiVersion', (): MergeShape => STRING],
  ['kind', (): MergeShape => STRING],
  ['metadata', (): MergeShape => mergeShapeOf('meta.v1.ObjectMeta')],
]);

/** The shapes of members are derived on first use. */
function structShape(node: SchemaNode, isOpen: boolean, fixedMembers: ReadonlyMap<string, () => MergeShape>): MergeShape {
  const { additionalProperties } = node;
  const members = new Map<string, ShapeMember>();
  const shapeOfMember = (name: string): MergeShape | undefined => {
    const declared = node.properties.get(name);
    return fixedMembers.get(name)?.() ?? (declared === undefined ? undefined : valueShape(declared, isOpen));
  };
  const member = (name: string): ShapeMember | undefined => {
    const cached = members.get(name);
    if (cached !== undefined) return cached;
    const shape = shapeOfMember(name);
    if (shape === undefined) return undefined;
    const member = { element: fieldElement(name), shape };
    members.set(name, member);
    return member;
  };
  const additional = typeof additionalProperties === 'object' ? valueShape(additionalProperties, isOpen) : undefined;
  const others = additional ?? (isOpen || additionalProperties === true || node.properties.size === 0 ? ANY_VALUE : undefined);
  return { kind: 'struct', atomic: node.mapType === 'atomic', member, others };
}
