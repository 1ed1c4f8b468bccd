/**
 * Validates selectable fields: at most eight distinct simple paths, each to a string, integer or boolean of the
 * version's schema. Selecting by the fields is left to the cache and the handlers.
 */
import { duplicateValue, invalidValue, requiredValue, tooManyItems } from '../../../shared/api/errors/field-error';
import { readSchema } from '../../../shared/api/structural/read-schema';
import type { SchemaNode } from '../../../shared/api/structural/schema-node';
import type { Errors } from '../rules/checks';
import type {
  ApiextensionsV1CustomResourceDefinitionVersion,
  ApiextensionsV1SelectableField,
} from '../../../shared/api/types/generated/members';

const MAX_FIELDS = 8;
const TYPES: readonly SchemaNode['type'][] = ['string', 'boolean', 'integer'];

export function checkSelectableFields(version: ApiextensionsV1CustomResourceDefinitionVersion, fieldPath: string, errors: Errors): void {
  const fields = version.selectableFields ?? [];
  if (fields.length === 0) return;
  const schema = version.schema?.openAPIV3Schema;
  if (schema === undefined) {
    // The message is upstream's, including its "not".
    errors.push(invalidValue(fieldPath, '', 'selectableFields may only be set when version.schema.openAPIV3Schema is not included'));
  } else if (fields.length > MAX_FIELDS) errors.push(tooManyItems(fieldPath, fields.length, MAX_FIELDS));
  else checkPaths(readSchema(schema), fields, fieldPath, errors);
}

function checkPaths(root: SchemaNode, fields: readonly ApiextensionsV1SelectableField[], fieldPath: string, errors: Errors): void {
  const paths = fields.map((field) => field.jsonPath ?? '');
  paths.forEach((path, index) => {
    const field = `${fieldPath}[${index}].jsonPath`;
    const error = path === '' ? undefined : pathError(root, path);
    if (path === '') errors.push(requiredValue(field));
    else if (error !== undefined) errors.push(invalidValue(field, path, error));
    else if (paths.indexOf(path) < index) errors.push(duplicateValue(field, path));
  });
}

const NO_FIELD = 'does not refer to a valid field';

/** `undefined` for a valid path. */
/** `undefined` for a valid path. */
function pathError(root: SchemaNode, path: string): string | undefined {
  const node = resolvePath(root, path);
  if (typeof node === 'string') return `is an invalid path: ${node}`;
  if (path.startsWith('.metadata.')) return 'must not point to fields in metadata';
  if (TYPES.includes(node.type)) return undefined;
  return 'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
}

/** The schema at the path, or an error text. */
function resolvePath(root: SchemaNode, path: string): SchemaNode | string {
  // Brackets and dots, and the texts between them: `.spec.color` -> `.`, `spec`, `.`, `color`.
  const tokens = path.match(/[[\].]|[^[\].]+/g) ?? [];
  let node = root;
  // The tokens alternate: a separator, then a name.
  for (let index = 0; index < tokens.length; index += 2) {
    const separator = tokens[index] ?? '';
    if (separator === '[') return 'array notation is not allowed';
    if (separator !== '.') return `expected [ or . but got: ${separator}`;
    const name = tokens[index + 1];
    if (name === undefined) return 'unexpected end of JSON path';
    const member = propertySchema(node, name);
    if (member === undefined) return NO_FIELD;
    node = member;
  }
  return node;
}

function propertySchema({ properties, additionalProperties }: SchemaNode, name: string): SchemaNode | undefined {
  return properties.get(name) ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
}
