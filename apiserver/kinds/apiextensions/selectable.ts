/** Members of an object by which clients may select: simple paths to a text, a number without fractions or a boolean. */
import { duplicate, invalidValue, required, tooMany, type FieldError } from '../../../shared/api/errors/field-error';
import { objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { readSchema } from '../../../shared/api/structural/read-schema';
import type { SchemaNode } from '../../../shared/api/structural/schema-node';
import { listed } from '../rules/field-rules';

const MOST = 8;
const TYPES: readonly SchemaNode['type'][] = ['string', 'boolean', 'integer'];

export function selectableErrors(version: JsonObject, place: string): readonly FieldError[] {
  const fields = listed(version, 'selectableFields');
  if (fields.length === 0) return [];
  const schema = objectAt(objectAt(version, 'schema'), 'openAPIV3Schema');
  // The words are upstream's.
  if (schema === undefined)
    return [invalidValue(place, '', 'selectableFields may only be set when version.schema.openAPIV3Schema is not included')];
  if (fields.length > MOST) return [tooMany(place, fields.length, MOST)];
  const root = readSchema(schema);
  const paths = fields.map((field) => stringAt(field, 'jsonPath') ?? '');
  return paths.flatMap((path, index) => {
    const field = `${place}[${index}].jsonPath`;
    if (path === '') return [required(field)];
    const fault = pathFault(root, path);
    if (fault !== undefined) return [invalidValue(field, path, fault)];
    return paths.indexOf(path) < index ? [duplicate(field, path)] : [];
  });
}

const NO_FIELD = 'does not refer to a valid field';

function pathFault(root: SchemaNode, path: string): string | undefined {
  const found = follow(root, path);
  if (typeof found === 'string') return `is an invalid path: ${found}`;
  if (path.startsWith('.metadata.')) return 'must not point to fields in metadata';
  if (TYPES.includes(found.type)) return undefined;
  return 'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
}

/** Where the path leads, or why it leads nowhere. */
function follow(root: SchemaNode, path: string): SchemaNode | string {
  const tokens = path.match(/[[\].]|[^[\].]+/g) ?? [];
  let node = root;
  for (let at = 0; at < tokens.length; at += 2) {
    const mark = tokens[at] ?? '';
    if (mark === '[') return 'array notation is not allowed';
    if (mark !== '.') return `expected [ or . but got: ${mark}`;
    const name = tokens[at + 1];
    if (name === undefined) return 'unexpected end of JSON path';
    const member = memberOf(node, name);
    if (member === undefined) return NO_FIELD;
    node = member;
  }
  return node;
}

function memberOf({ properties, additionalProperties }: SchemaNode, name: string): SchemaNode | undefined {
  return properties.get(name) ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
}
