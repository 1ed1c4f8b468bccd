/** What matching the patterns of a schema may take, found without an object. Matches nothing. */
import { compilePattern } from '../../values/pattern';
import type { Restrictions, SchemaNode } from './schema-node';

/** Steps per character of an object at worst, as `CheckContext.affords` counts them: a text meets all patterns on its way through the schema. */
export function patternSteps(node: Restrictions & Partial<Pick<SchemaNode, 'additionalProperties'>>): number {
  const { pattern, allOf, anyOf, oneOf, not, properties, items, additionalProperties } = node;
  const compiled = pattern === '' ? undefined : compilePattern(pattern);
  let steps = compiled?.type === 'good' ? compiled.stepsPerCharacter : 0;
  for (const alternative of [...allOf, ...anyOf, ...oneOf, ...(not === undefined ? [] : [not])]) steps += patternSteps(alternative);
  let below = 0;
  for (const child of properties.values()) below = Math.max(below, patternSteps(child));
  if (items !== undefined) below = Math.max(below, patternSteps(items));
  if (typeof additionalProperties === 'object') below = Math.max(below, patternSteps(additionalProperties));
  return steps + below;
}
