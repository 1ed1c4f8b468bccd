/**
 * The types that the rules of a custom resource see, from its schema, with the sizes that the schema or the size of a request allows. What a schema
 * says nothing of is not accessible.
 */
import type { SchemaNode } from '../../api/structural/schema-node';
import { BOOL, DOUBLE, INT, STRING, type Type } from '../types/type';
import { escapeMember } from './field-names';

/** The most bytes of a request. */
export const REQUEST_BYTES = 3 * 1024 * 1024;
/** What is left of the brackets or quotes around a whole object. */
const AROUND = 2;

/** The fewest bytes of a value in JSON. */
const SMALLEST = { string: 2, 'date-time': 21, date: 12, duration: 3, boolean: 4, number: 1, list: 2, object: 2 } as const;
/** The most of what has a format. */
const LARGEST: Readonly<Record<string, number>> = { 'date-time': 35, date: 12, duration: 32 };
/** Quotes, colon and comma around a member's name. */
const MEMBER = 4;
const ENTRY = 6;
const UTF8 = 4;

/**
 * What a rule at this node sees as `self`; undefined when nothing is known of the value. `whole` = an object with kind and metadata of its own; `bytes` = the size of
 * the object in which the value stands.
 */
export function declaredType(node: SchemaNode, whole: boolean, bytes = REQUEST_BYTES, name = 'selfType'): Type | undefined {
  if (node.intOrString) return { kind: 'dyn', max: bytes - AROUND };
  switch (node.type) {
    case 'array':
      return listType(node, bytes, name);
    case 'object':
      return objectType(node, whole || node.embeddedResource, bytes, name);
    case 'string':
      return textType(node, bytes);
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

function listType(node: SchemaNode, bytes: number, name: string): Type | undefined {
  const item = node.items === undefined ? undefined : declaredType(node.items, false, bytes, `${name}.@idx`);
  if (node.items === undefined || item === undefined) return undefined;
  return { kind: 'list', item, max: mostOf(node.maxItems, (bytes - AROUND) / (smallest(node.items) + 1), bytes) };
}

/** Of the limit in the schema and of what there is room for. In a whole request the schema alone counts (upstream behaviour). */
function mostOf(limit: number | undefined, room: number, bytes: number): number {
  return Math.floor(limit === undefined ? room : bytes < REQUEST_BYTES ? Math.min(limit, room) : limit);
}

/** How many values of a node an object can hold at most, whatever is around them. */
export const mostIn = (node: SchemaNode, bytes: number): number => Math.floor(bytes / (smallest(node) + 1));

function objectType(node: SchemaNode, whole: boolean, bytes: number, name: string): Type | undefined {
  if (typeof node.additionalProperties === 'object') {
    const value = declaredType(node.additionalProperties, false, bytes, `${name}.@prop`);
    if (value === undefined) return undefined;
    const room = (bytes - AROUND) / (smallest(node.additionalProperties) + ENTRY);
    return { kind: 'map', key: STRING, value, max: mostOf(node.maxProperties, room, bytes) };
  }
  const fields = new Map<string, Type>();
  for (const [member, child] of node.properties) {
    const escaped = escapeMember(member);
    const type = escaped === undefined ? undefined : declaredType(child, false, bytes, `${name}.${member}`);
    if (escaped !== undefined && type !== undefined) fields.set(escaped, type);
  }
  if (whole) {
    const text: Type = { kind: 'string', max: bytes - AROUND };
    fields.set('apiVersion', text);
    fields.set('kind', text);
    const metadata = new Map([
      ['name', text],
      ['generateName', text],
    ]);
    fields.set('metadata', { kind: 'object', name: `${name}.metadata`, fields: metadata });
  }
  return { kind: 'object', name, fields };
}

function textType(node: SchemaNode, bytes: number): Type {
  switch (node.format) {
    case 'byte':
      return { kind: 'bytes', max: mostOf(node.maxLength, bytes - AROUND, bytes) };
    case 'duration':
      return { kind: 'duration', max: LARGEST[node.format] };
    case 'date':
    case 'date-time':
      return { kind: 'timestamp', max: LARGEST[node.format] };
    default:
      return { kind: 'string', max: mostCharacters(node, bytes) };
  }
}

function mostCharacters(node: SchemaNode, bytes: number): number {
  if (node.maxLength !== undefined) return mostOf(node.maxLength * UTF8, bytes - AROUND, bytes);
  if (node.enumValues === undefined || node.enumValues.length === 0) return bytes - AROUND;
  return node.enumValues.reduce<number>((most, value) => Math.max(most, typeof value === 'string' ? Buffer.byteLength(value) : 0), 0);
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
