/**
 * A custom schema as the OpenAPI documents publish it. Version 3 can say nearly everything; version 2 knows neither null nor alternatives, so what they
 * are about is left open there. References to shared types are the caller's to name.
 */
import { own, setMember, type JsonObject, type JsonValue } from '../../values/json';
import type { SchemaNode } from './schema-node';

export interface PublishOptions {
  readonly version: 2 | 3;
  /** What every whole object has: its apiVersion, kind and metadata. */
  readonly objectMembers: JsonObject;
}

/** The schema of a whole object, without the kinds that it is of. Version 2 says nothing of one that may have any members. */
export function publishSchema(root: SchemaNode, options: PublishOptions): JsonObject {
  if (root.preservesUnknownFields && options.version === 2) return { type: 'object' };
  const published = publish({ ...root, embeddedResource: false }, options);
  return { ...published, properties: { ...objectOf(published['properties'] ?? {}), ...options.objectMembers } };
}

/** What stands as it is, in both versions. */
const PLAIN = [
  'description',
  'title',
  'format',
  'minimum',
  'exclusiveMinimum',
  'maximum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'required',
  'enum',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-map-type',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-validations',
];
/** What version 2 cannot say. */
const LATER = ['nullable', 'default', 'allOf', 'anyOf', 'oneOf', 'not'];
const EITHER: JsonValue = [{ type: 'integer' }, { type: 'string' }];

function publish(node: SchemaNode, options: PublishOptions): JsonObject {
  const { source, intOrString, nullable, preservesUnknownFields } = node;
  const isOpen = options.version === 2 && (nullable || preservesUnknownFields);
  const published: JsonObject = {};
  if (node.type !== undefined && !isOpen) published['type'] = node.type;
  copy(source, PLAIN, published);
  if (options.version === 3) {
    copy(source, LATER, published);
    if (intOrString && !node.allOf.some(({ anyOf }) => anyOf.some(({ type }) => type !== undefined))) published['anyOf'] ??= EITHER;
  }
  if (isOpen) return published;
  const { items, additionalProperties: others } = node;
  if (items !== undefined) published['items'] = publish(items, options);
  if (others !== undefined) published['additionalProperties'] = typeof others === 'boolean' ? others : publish(others, options);
  if (node.properties.size > 0) published['properties'] = publishMembers(node, options);
  if (node.embeddedResource) embed(published, options);
  return published;
}

function publishMembers({ properties }: SchemaNode, options: PublishOptions): JsonObject {
  const published: JsonObject = {};
  for (const [name, member] of properties) setMember(published, name, publish(member, options));
  return published;
}

/** A whole object inside another one. */
function embed(published: JsonObject, { objectMembers }: PublishOptions): void {
  const required = own(published, 'required');
  const names = Array.isArray(required) ? required : [];
  published['required'] = [...names, ...['kind', 'apiVersion'].filter((name) => !names.includes(name))];
  published['properties'] = { ...objectOf(published['properties'] ?? {}), ...objectMembers };
}

function objectOf(value: JsonValue): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

function copy(source: JsonObject, members: readonly string[], target: JsonObject): void {
  for (const member of members) {
    const value = own(source, member);
    // A flag that is not set says nothing; a default may be false.
    if (value !== undefined && (value !== false || member === 'default')) target[member] = value;
  }
}
