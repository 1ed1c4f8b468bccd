/**
 * Validates a custom resource against its schema, except for its CEL rules (shared/expression). Tolerates errors of
 * values that an update does not change.
 */
import type { FieldError } from '../../errors/field-error';
import type { JsonObject } from '../../../values/json';
import { CheckContext, MAX_SCHEMA_ERRORS } from './check-context';
import { schemaCheckOf } from './check-value';
import { Correlation } from './correlate';
import { validateEmbedded } from '../embedded';
import { validateListTypes } from './list-types';
import type { SchemaNode } from '../schema-node';

/**
 * The errors of `object`, at most {@link MAX_SCHEMA_ERRORS}. Both objects are decoded and defaulted, and complete with
 * apiVersion, kind and metadata; `old` is the object that an update replaces. `otherErrors` are reported after those of
 * the schema and before those of embedded resources and list types.
 */
export function validateSchema(
  node: SchemaNode,
  object: JsonObject,
  old?: JsonObject,
  otherErrors: readonly FieldError[] = [],
): FieldError[] {
  const context = new CheckContext(new Correlation());
  schemaCheckOf(node)(object, context, old);
  // Sets and map lists are not ratcheted one by one: duplicates anywhere in the old object allow them everywhere.
  const lists = old !== undefined && validateListTypes(node, old).length > 0 ? [] : validateListTypes(node, object);
  return [...context.distinctErrors, ...otherErrors, ...validateEmbedded(node, object), ...lists].slice(0, MAX_SCHEMA_ERRORS);
}
