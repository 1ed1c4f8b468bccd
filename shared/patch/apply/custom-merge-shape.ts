/**
 * The merge shape of a custom resource. Lists are atomic unless the schema declares a list type, and objects are granular
 * unless it declares `mapType: atomic`. Values that the schema does not specify are granular where they are objects.
 */
import type { SchemaNode } from '../../api/structural/schema-node';
import { fieldElement } from './field-set';
import { BOOLEAN, listKeys, NUMBER, mergeShapeOf, STRING, type ListKey, type ShapeMember, type MergeShape } from './merge-shape';

/** The shape of the whole object, including apiVersion, kind and metadata. */
export function customMergeShape(node: SchemaNode): MergeShape {
  let shape = shapes.get(node);
  if (shape === undefined) {
    shape = resourceShape(node, node.preservesUnknownFields ? 'preserved' : 'dropped');
    shapes.set(node, shape);
  }
  return shape;
}

const shapes = new WeakMap<SchemaNode, MergeShape>();

const ANY_VALUE = createAnyValueShape();

/** The shape of a deduced object contains the same shape for its members: it refers to itself. */
function createAnyValueShape(): MergeShape {
  const members: { kind: 'map'; atomic: boolean; element: MergeShape } = { kind: 'map', atomic: false, element: STRING };
  const shape: MergeShape = { kind: 'deduced', members };
  members.element = shape;
  return shape;
}

/** What happens to the unknown fields of a value; values below one that preserves them do so too. */
type UnknownFields = 'preserved' | 'dropped';

/** `inherited` is that of the enclosing value. */
function valueShape(node: SchemaNode, inherited: UnknownFields): MergeShape {
  const unknownFields = node.preservesUnknownFields ? 'preserved' : inherited;
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
      return listShape(node, unknownFields);
    case 'object':
      return node.embeddedResource ? resourceShape(node, unknownFields) : objectShape(node, unknownFields);
    case undefined:
      return node.properties.size === 0 ? ANY_VALUE : { kind: 'deduced', members: objectShape(node, 'preserved') };
  }
}

function listShape(node: SchemaNode, unknownFields: UnknownFields): MergeShape {
  const element = node.items === undefined ? ANY_VALUE : valueShape(node.items, unknownFields);
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

function objectShape(node: SchemaNode, unknownFields: UnknownFields): MergeShape {
  const { additionalProperties, properties } = node;
  if (properties.size > 0) return structShape(node, unknownFields, NO_MEMBERS);
  const element = typeof additionalProperties === 'object' ? valueShape(additionalProperties, unknownFields) : ANY_VALUE;
  return { kind: 'map', atomic: node.mapType === 'atomic', element };
}

function resourceShape(node: SchemaNode, unknownFields: UnknownFields): MergeShape {
  return structShape(node, unknownFields, TYPE_META);
}

const NO_MEMBERS: ReadonlyMap<string, () => MergeShape> = new Map();
const TYPE_META: ReadonlyMap<string, () => MergeShape> = new Map([
  ['apiVersion', (): MergeShape => STRING],
  ['kind', (): MergeShape => STRING],
  ['metadata', (): MergeShape => mergeShapeOf('meta.v1.ObjectMeta')],
]);

/** The shapes of declared members are derived on first use. The other members have that of `additionalProperties`. */
function structShape(node: SchemaNode, unknownFields: UnknownFields, fixedMembers: ReadonlyMap<string, () => MergeShape>): MergeShape {
  const { additionalProperties } = node;
  const members = new Map<string, ShapeMember>();
  const shapeOfMember = (name: string): MergeShape | undefined => {
    const declared = node.properties.get(name);
    return fixedMembers.get(name)?.() ?? (declared === undefined ? undefined : valueShape(declared, unknownFields));
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
  const additional = typeof additionalProperties === 'object' ? valueShape(additionalProperties, unknownFields) : undefined;
  const acceptsAny = unknownFields === 'preserved' || additionalProperties === true || node.properties.size === 0;
  const others = additional ?? (acceptsAny ? ANY_VALUE : undefined);
  return { kind: 'struct', atomic: node.mapType === 'atomic', member, others };
}
