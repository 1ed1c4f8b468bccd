/**
 * The CEL types of custom resources, derived from the schema. For cost estimates, types have maximum sizes: those of the
 * schema, or what fits into a request. Fields that the schema does not specify are not accessible.
 */
import type { SchemaNode } from '../../api/structural/schema-node';
import { BOOL, DOUBLE, INT, STRING, type Type } from '../types/type';
import { escapeFieldName } from './field-names';

/** Maximum size of a request in bytes. */
export const MAX_REQUEST_BYTES = 3 * 1024 * 1024;
/** The brackets or quotes around a value. */
const ENCLOSING_BYTES = 2;

/** The minimum size of a value in JSON, in bytes: that of `""`, `true`, `0` or `[]`, or of a text of the format. */
const MIN_JSON_BYTES = { string: 2, 'date-time': 21, date: 12, duration: 3, boolean: 4, number: 1, list: 2, object: 2 } as const;
/** The maximum length of texts of a format, as upstream counts it. */
const MAX_FORMAT_LENGTH: Readonly<Record<string, number>> = { 'date-time': 35, date: 12, duration: 32 };
/** Bytes of the quotes, colon and comma of a declared member. */
const MEMBER_OVERHEAD = 4;
/** Bytes added per entry of a map, as upstream counts them. */
const ENTRY_OVERHEAD = 6;
/** Maximum number of UTF-8 bytes per code point. */
const MAX_UTF8_BYTES = 4;

/** What is known about the node besides its schema. */
export interface DeclaredTypeOptions {
  /** Whether the node has apiVersion, kind and metadata that its schema need not specify. False by default. */
  readonly isResource?: boolean;
  /** Size in bytes of the object that contains the value; by default that of the largest request. */
  readonly bytes?: number;
  /** The name of the type in messages; `selfType` by default. */
  readonly name?: string;
}

/** The type of `self` in a rule at this node; `undefined` when the schema does not specify the value. */
export function declaredType(
  node: SchemaNode,
  { isResource = false, bytes = MAX_REQUEST_BYTES, name = 'selfType' }: DeclaredTypeOptions = {},
): Type | undefined {
  if (node.intOrString) return { kind: 'dyn', max: bytes - ENCLOSING_BYTES };
  switch (node.type) {
    case 'array':
      return listType(node, { bytes, name });
    case 'object':
      return objectType(node, { isResource: isResource || node.embeddedResource, bytes, name });
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

/** `undefined` when the schema does not specify the items. */
function listType(node: SchemaNode, { bytes, name }: Omit<Required<DeclaredTypeOptions>, 'isResource'>): Type | undefined {
  const item = node.items === undefined ? undefined : declaredType(node.items, { bytes, name: `${name}.@idx` });
  if (node.items === undefined || item === undefined) return undefined;
  // An item has a comma after it.
  return { kind: 'list', item, max: maxSize(node.maxItems, (bytes - ENCLOSING_BYTES) / (minJsonBytes(node.items) + 1), bytes) };
}

/**
 * The maximum number of elements: the schema's limit or what is available in an object of `bytes` bytes, whichever is
 * smaller. For an object of the size of the largest request only the schema's limit counts (upstream behaviour).
 */
function maxSize(limit: number | undefined, available: number, bytes: number): number {
  if (limit === undefined) return Math.floor(available);
  return Math.floor(bytes < MAX_REQUEST_BYTES ? Math.min(limit, available) : limit);
}

/** The maximum number of values of a node, each with a comma, that an object of `bytes` bytes can contain. */
export const maxValuesIn = (node: SchemaNode, bytes: number): number => Math.floor(bytes / (minJsonBytes(node) + 1));

function objectType(node: SchemaNode, { isResource, bytes, name }: Required<DeclaredTypeOptions>): Type | undefined {
  if (typeof node.additionalProperties === 'object') {
    const value = declaredType(node.additionalProperties, { bytes, name: `${name}.@prop` });
    if (value === undefined) return undefined;
    const available = (bytes - ENCLOSING_BYTES) / (minJsonBytes(node.additionalProperties) + ENTRY_OVERHEAD);
    return { kind: 'map', key: STRING, value, max: maxSize(node.maxProperties, available, bytes) };
  }
  const fields = new Map<string, Type>();
  for (const [member, child] of node.properties) {
    const escaped = escapeFieldName(member);
    const type = escaped === undefined ? undefined : declaredType(child, { bytes, name: `${name}.${member}` });
    if (escaped !== undefined && type !== undefined) fields.set(escaped, type);
  }
  if (isResource) {
    const text: Type = { kind: 'string', max: bytes - ENCLOSING_BYTES };
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
      return { kind: 'bytes', max: maxSize(node.maxLength, bytes - ENCLOSING_BYTES, bytes) };
    case 'duration':
      return { kind: 'duration', max: MAX_FORMAT_LENGTH[node.format] };
    case 'date':
    case 'date-time':
      return { kind: 'timestamp', max: MAX_FORMAT_LENGTH[node.format] };
    default:
      return { kind: 'string', max: maxStringLength(node, bytes) };
  }
}

function maxStringLength(node: SchemaNode, bytes: number): number {
  if (node.maxLength !== undefined) return maxSize(node.maxLength * MAX_UTF8_BYTES, bytes - ENCLOSING_BYTES, bytes);
  if (node.enumValues === undefined || node.enumValues.length === 0) return bytes - ENCLOSING_BYTES;
  return node.enumValues.reduce<number>((most, value) => Math.max(most, typeof value === 'string' ? Buffer.byteLength(value) : 0), 0);
}

/** The minimum size of a value of the schema in JSON, in bytes. */
function minJsonBytes(node: SchemaNode): number {
  if (node.intOrString) return MIN_JSON_BYTES.number;
  switch (node.type) {
    case 'string':
      return node.format === 'date-time' || node.format === 'date' || node.format === 'duration'
        ? MIN_JSON_BYTES[node.format]
        : MIN_JSON_BYTES.string;
    case 'boolean':
      return MIN_JSON_BYTES.boolean;
    case 'integer':
    case 'number':
      return MIN_JSON_BYTES.number;
    case 'object':
      return minObjectBytes(node);
    case 'array':
    case undefined:
      return MIN_JSON_BYTES.list;
  }
}

/** The size of an object with only its required members, unless these have defaults. */
function minObjectBytes(node: SchemaNode): number {
  let size: number = MIN_JSON_BYTES.object;
  for (const name of new Set(node.required)) {
    const child = node.properties.get(name);
    if (child !== undefined && child.defaultValue === undefined) size += Buffer.byteLength(name) + minJsonBytes(child) + MEMBER_OVERHEAD;
  }
  return size;
}
