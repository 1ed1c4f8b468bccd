/**
 * Estimates from a schema alone how much work its patterns can be for any object, so that expensive definitions are
 * checked in a worker thread.
 */
import { compilePattern } from '../../values/text/pattern';
import type { ValueValidation, SchemaNode } from './schema-node';

/**
 * The maximum number of steps per character of an object, as `CheckContext.trySpend` counts them: a string is matched
 * with all patterns on its path through the schema.
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
