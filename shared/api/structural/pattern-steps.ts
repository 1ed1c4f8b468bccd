/**
 * Estimates from a schema alone how many steps its patterns can take for any object. Callers check objects of expensive
 * definitions in a worker thread. Limiting the steps of a check is left to `CheckContext`.
 */
import { compilePattern } from '../../values/text/pattern';
import type { ValueValidation, SchemaNode } from './schema-node';

/**
 * An upper bound of the steps per character of an object, as `CheckContext.trySpend` counts them. A value is matched
 * with the patterns of its schema and of all alternatives, so these are added up. A character belongs to one child of
 * each object or list on its path, so only the most expensive child counts.
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
