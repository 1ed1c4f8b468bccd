/**
 * Everything that a custom resource's schema refuses, but for its rules in the expression language. What was wrong before an update and has not
 * changed is tolerated. The objects have been decoded and defaulted; they are whole, with apiVersion, kind and metadata.
 */
import type { FieldError } from '../errors/field-error';
import type { JsonObject } from '../../values/json';
import { CheckContext, MOST_ERRORS } from './check-context';
import { checkOf } from './check-value';
import { Correlation } from './correlate';
import { validateEmbedded } from './embedded';
import { validateListTypes } from './list-types';
import type { SchemaNode } from './schema-node';

/** `old` is what the object replaces; `others` = what else is wrong with the object, reported after its types and before its lists. */
export function validateSchema(node: SchemaNode, object: JsonObject, old?: JsonObject, others: readonly FieldError[] = []): FieldError[] {
  const context = new CheckContext(new Correlation());
  checkOf(node)(object, context, old);
  const lists = old !== undefined && validateListTypes(node, old).length > 0 ? [] : validateListTypes(node, object);
  return [...context.found, ...others, ...validateEmbedded(node, object), ...lists].slice(0, MOST_ERRORS);
}
