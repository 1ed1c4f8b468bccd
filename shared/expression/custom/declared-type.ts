/**
 * The types that the rules of a custom resource see, from its schema, with the sizes that the schema or the size of a request allows. What a schema
 * says nothing of is not accessible.
 */
import type { SchemaNode } from '../../api/structural/schema-node';
import { BOOL, DOUBLE, INT, STRING, type Type } from '../types/type';
import { escapeMember } from './member-names';

/** The most bytes of a request. */
const REQUEST = 3 * 1024 * 1024;
/** What brackets or quotes around a whole object leave. */
const WITHIN = REQUEST - 2;

/** The fewest bytes of a value in JSON. */
const SMALLEST = { string: 2, 'date-time': 21, date: 12, duration: 3, boolean: 4, number: 1, list: 2, object: 2 } as const;
/** The most of what has a format. */
const LARGEST: Readonly<Record<string, number>> = { 'date-time': 35, date: 12, duration: 32 };
/** Quotes, colon and comma around a member's name. */
const MEMBER = 4;
const ENTRY = 6;
const UTF8 = 4;

const TEXT: Type = { kind: 'string', max: WITHIN };
const METADATA = new Map([
  ['name', TEXT],
  ['generateName', TEXT],
]);

/** What a rule at this node sees as `self`; undefined when nothing is known of the value. `whole` = an object with kind and metadata of its own. */
export function declaredType(node: SchemaNode, whole: boolean, name = 'selfType'): Type | undefined {
  if (node.intOrString) return { kind: 'dyn', max: WITHIN };
  switch (node.type) {
    case 'array':
      return listType(node, name);
    case 'object':
      return objectType(node, whole || node.embeddedResource, name);
    case 'string':
      return textType(node);
    case 'boolean':
      return BOOL;
    case 'integer':
      return INT;
    case 'number':
      return DOUBLE;
    case undefined:
      return undefined;
  }
}

function listType(node: SchemaNode, name: string): Type | undefined {
  const item = node.items === undefined ? undefined : declaredType(node.items, false, `${name}.@idx`);
  return node.items === undefined || item === undefined ? undefined : { kind: 'list', item, max: mostItems(node, node.items) };
}

/** The most items of a list. */
const mostItems = (list: SchemaNode, item: SchemaNode): number => list.maxItems ?? Math.floor(WITHIN / (smallest(item) + 1));
/** The most members of an object with free names. */
const mostEntries = (map: SchemaNode, value: SchemaNode): number => map.maxProperties ?? Math.floor(WITHIN / (smallest(value) + ENTRY));

/** How many values of a node a request can hold at most, whatever is around them. */
export const mostInRequest = (node: SchemaNode): number => Math.floor(REQUEST / (smallest(node) + 1));

function objectType(node: SchemaNode, whole: boolean, name: string): Type | undefined {
  if (typeof node.additionalProperties === 'object') {
    const value = declaredType(node.additionalProperties, false, `${name}.@prop`);
    return value === undefined ? undefined : { kind: 'map', key: STRING, value, max: mostEntries(node, node.additionalProperties) };
  }
  const fields = new Map<string, Type>();
  for (const [member, child] of node.properties) {
    const escaped = escapeMember(member);
    const type = escaped === undefined ? undefined : declaredType(child, false, `${name}.${member}`);
    if (escaped !== undefined && type !== undefined) fields.set(escaped, type);
  }
  if (whole) {
    fields.set('apiVersion', TEXT);
    fields.set('kind', TEXT);
    fields.set('metadata', { kind: 'object', name: `${name}.metadata`, fields: METADATA });
  }
  return { kind: 'object', name, fields };
}

function textType(node: SchemaNode): Type {
  switch (node.format) {
    case 'byte':
      return { kind: 'bytes', max: node.maxLength ?? WITHIN };
    case 'duration':
      return { kind: 'duration', max: LARGEST[node.format] };
    case 'date':
    case 'date-time':
      return { kind: 'timestamp', max: LARGEST[node.format] };
    default:
      return { kind: 'string', max: mostCharacters(node) };
  }
}

function mostCharacters(node: SchemaNode): number {
  if (node.maxLength !== undefined) return node.maxLength * UTF8;
  if (node.values === undefined || node.values.length === 0) return WITHIN;
  return node.values.reduce<number>((most, value) => Math.max(most, typeof value === 'string' ? Buffer.byteLength(value) : 0), 0);
}

/** The fewest bytes that a value of the schema takes in JSON. */
function smallest(node: SchemaNode): number {
  if (node.intOrString) return SMALLEST.number;
  switch (node.type) {
    case 'string':
      return node.format === 'date-time' || node.format === 'date' || node.format === 'duration' ? SMALLEST[node.format] : SMALLEST.string;
    case 'boolean':
      return SMALLEST.boolean;
    case 'integer':
    case 'number':
      return SMALLEST.number;
    case 'object':
      return smallestObject(node);
    case 'array':
    case undefined:
      return SMALLEST.list;
  }
}

function smallestObject(node: SchemaNode): number {
  let size: number = SMALLEST.object;
  for (const name of new Set(node.required)) {
    const child = node.properties.get(name);
    if (child !== undefined && child.defaultValue === undefined) size += Buffer.byteLength(name) + smallest(child) + MEMBER;
  }
  return size;
}
