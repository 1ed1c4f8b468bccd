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

export interface SchemaContext {
  /** Throws `TooLong` rather than take more than a few milliseconds. */
  readonly isHasty?: boolean;
  /** What else is wrong with the object; told after its types, before its lists. */
  readonly others?: readonly FieldError[];
}

/** `old` is what the object replaces. */
export function validateSchema(
  node: SchemaNode,
  object: JsonObject,
  old?: JsonObject,
  { isHasty = false, others = [] }: SchemaContext = {},
): FieldError[] {
  const context = new CheckContext(new Correlation(), isHasty);
  checkOf(node)(object, context, old);
  const lists = old !== undefined && validateListTypes(node, old).length > 0 ? [] : validateListTypes(node, object);
  return [...context.found, ...others, ...validateEmbedded(node, object), ...lists].slice(0, MOST_ERRORS);
}
