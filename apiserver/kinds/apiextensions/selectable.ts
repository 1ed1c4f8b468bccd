/** Members of an object by which clients may select: simple paths to a text, a number without fractions or a boolean. */
import { duplicateValue, invalidValue, requiredValue, tooManyItems } from '../../../shared/api/errors/field-error';
import { readSchema } from '../../../shared/api/structural/read-schema';
import type { SchemaNode } from '../../../shared/api/structural/schema-node';
import type { Errors } from '../rules/checks';
import type {
  ApiextensionsV1CustomResourceDefinitionVersion,
  ApiextensionsV1SelectableField,
} from '../../../shared/api/types/generated/members';

const MOST = 8;
const TYPES: readonly SchemaNode['type'][] = ['string', 'boolean', 'integer'];

export function checkSelectable(version: ApiextensionsV1CustomResourceDefinitionVersion, place: string, errors: Errors): void {
  const fields = version.selectableFields ?? [];
  if (fields.length === 0) return;
  const schema = version.schema?.openAPIV3Schema;
  // The words are upstream's.
  if (schema === undefined)
    errors.push(invalidValue(place, '', 'selectableFields may only be set when version.schema.openAPIV3Schema is not included'));
  else if (fields.length > MOST) errors.push(tooManyItems(place, fields.length, MOST));
  else checkPaths(readSchema(schema), fields, place, errors);
}

function checkPaths(root: SchemaNode, fields: readonly ApiextensionsV1SelectableField[], place: string, errors: Errors): void {
  const paths = fields.map((field) => field.jsonPath ?? '');
  paths.forEach((path, index) => {
    const field = `${place}[${index}].jsonPath`;
    const fault = path === '' ? undefined : pathFault(root, path);
    if (path === '') errors.push(requiredValue(field));
    else if (fault !== undefined) errors.push(invalidValue(field, path, fault));
    else if (paths.indexOf(path) < index) errors.push(duplicateValue(field, path));
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
