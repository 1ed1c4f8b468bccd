/**
 * One rule of a schema, compiled: its own expression and the one that makes its message.
 */
import type { SchemaNode, ValidationRule } from '../../api/structural/schema-node';
import { compileExpression, type CompileFault, type Expression, type Type } from '../engine';
import { optionalOf } from '../types/type';

export interface CompiledRule {
  readonly expression: Expression | CompileFault;
  /** Undefined when there is none. */
  readonly messageExpression: Expression | CompileFault | undefined;
  /** Whether it compares with what was there before. */
  readonly usesOld: boolean;
}

export const SELF = 'self';
export const OLD_SELF = 'oldSelf';

export function compileRule(rule: ValidationRule, self: Type): CompiledRule {
  const variables = new Map([
    [SELF, self],
    [OLD_SELF, rule.optionalOldSelf === true ? optionalOf(self) : self],
  ]);
  const expression = compileExpression(rule.rule, variables);
  const hasMessage = rule.messageExpression !== '' && !('fault' in expression);
  return {
    expression,
    messageExpression: hasMessage ? compileExpression(rule.messageExpression, variables) : undefined,
    usesOld: !('fault' in expression) && expression.uses(OLD_SELF),
  };
}

/** Whether any rule stands at the node or below it. */
export function hasRules(node: SchemaNode): boolean {
  if (node.rules.length > 0) return true;
  if (node.items !== undefined && hasRules(node.items)) return true;
  if (typeof node.additionalProperties === 'object' && hasRules(node.additionalProperties)) return true;
  for (const child of node.properties.values()) if (hasRules(child)) return true;
  return false;
}
