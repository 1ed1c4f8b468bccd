/**
 * Derives the merge shape (merge-shape.ts) of a custom resource from its schema. A list is atomic unless the schema
 * declares another list type. An object is merged by its members unless the schema declares `mapType: atomic`. A value
 * that the schema does not specify is merged by its members if it is an object, and atomic otherwise.
 */
import type { SchemaNode } from '../../api/structural/schema-node';
import { fieldElement } from './field-set';
import { BOOLEAN, listKeys, NUMBER, mergeShapeOf, STRING, type ListKey, type ShapeMember, type MergeShape } from './merge-shape';

const shapesByRoot = new WeakMap<SchemaNode, MergeShape>();

/** The shape of the whole object, including apiVersion, kind and metadata. `root` is the schema of the whole object. */
export function customMergeShape(root: SchemaNode): MergeShape {
  let shape = shapesByRoot.get(root);
  if (shape === undefined) {
    shape = resourceShape(root, root.preservesUnknownFields ? 'preserved' : 'dropped');
    shapesByRoot.set(root, shape);
  }
  return shape;
}

/** The shape of a value without a schema, and of all values in it. */
const ANY_VALUE = createAnyValueShape();

/** The shape refers to itself: the members of an object without a schema have no schema either. */
function createAnyValueShape(): MergeShape {
  // STRING is a placeholder until the shape exists.
  const members: { kind: 'map'; atomic: boolean; element: MergeShape } = { kind: 'map', atomic: false, element: STRING };
  const shape: MergeShape = { kind: 'deduced', members };
  members.element = shape;
  return shape;
}

/**
 * What happens to fields of a value that its schema does not declare. They are preserved below every value with
 * `x-kubernetes-preserve-unknown-fields` in its schema.
 */
type UnknownFields = 'preserved' | 'dropped';

/** `inherited` is how the enclosing value treats unknown fields. */
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
      // Structural schemas without a type, except those of an int-or-string, have to preserve unknown fields.
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
  return structShape(node, unknownFields, RESOURCE_MEMBERS);
}

const NO_MEMBERS: ReadonlyMap<string, () => MergeShape> = new Map();
/** The members of every resource, which its schema need not declare. */
const RESOURCE_MEMBERS: ReadonlyMap<string, () => MergeShape> = new Map([
  ['apiVersion', (): MergeShape => STRING],
  ['kind', (): MergeShape => STRING],
  ['metadata', (): MergeShape => mergeShapeOf('meta.v1.ObjectMeta')],
]);

/**
 * The shape of an object with declared members. Their shapes are derived on first use. An undeclared member has the shape
 * of `additionalProperties`, or any value where the schema lets it have one. `fixedMembers` take precedence over the
 * members that the schema declares.
 */
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
  // Without declared properties this is a resource: objectShape derives a map for other objects.
  const acceptsAny = unknownFields === 'preserved' || additionalProperties === true || node.properties.size === 0;
  const others = additional ?? (acceptsAny ? ANY_VALUE : undefined);
  return { kind: 'struct', atomic: node.mapType === 'atomic', member, others };
}
