/**
 * Estimates, from a schema alone, how many steps its patterns can take for any object. With it the API server decides
 * whether objects of a definition are validated in a worker thread. Limiting the steps of one validation is left to
 * `CheckContext` (validation/check-context.ts).
 */
import { compilePattern } from '../../values/text/pattern';
import type { ValueValidation, SchemaNode } from './schema-node';

/**
 * An upper bound of the steps per character of an object, in the unit of `CheckContext.trySpend`. A value is matched with
 * the patterns of its schema and of all alternatives (`anyOf` and so on), so their steps are added up. A character
 * belongs to only one child of each object or list that contains it, so only the most expensive child counts.
 */
export function patternStepsPerCharacter(node: ValueValidation & Partial<Pick<SchemaNode, 'additionalProperties'>>): number {
  const { pattern, allOf, anyOf, oneOf, not, properties, items, additionalProperties } = node;
  const compiled = pattern === '' ? undefined : compilePattern(pattern);
  let steps = compiled?.type === 'good' ? compiled.stepsPerCharacter : 0;
  for (const alternative of [...allOf, ...anyOf, ...oneOf, ...(not === undefined ? [] : [not])])
    steps += patternStepsPerCharacter(alternative);
  let stepsBelow = 0;
  for (const child of properties.values()) stepsBelow = Math.max(stepsBelow, patternStepsPerCharacter(child));
  if (items !== undefined) stepsBelow = Math.max(stepsBelow, patternStepsPerCharacter(items));
  if (typeof additionalProperties === 'object') stepsBelow = Math.max(stepsBelow, patternStepsPerCharacter(additionalProperties));
  return steps + stepsBelow;
}
