/**
 * Compiles a validation rule: its expression and its message expression, and finds schemas that have rules. Evaluating
 * rules and limiting their cost are left to evaluate-rules.ts.
 */
import type { SchemaNode, ValidationRule } from '../../api/structural/schema-node';
import { compileExpression, type CompileError, type Expression, type Type } from '../engine';
import { optionalTypeOf } from '../types/type';

/** A rule with its compiled expressions; each may have failed to compile. */
export interface CompiledRule {
  readonly expression: Expression | CompileError;
  /** `undefined` when the rule has none, and when its expression does not compile. */
  readonly messageExpression: Expression | CompileError | undefined;
  /** Whether the rule refers to `oldSelf` (a transition rule); false when its expression does not compile. */
  readonly usesOldSelf: boolean;
}

/** The variables of a rule: the value of the node, and its value before the update. */
export const SELF = 'self';
export const OLD_SELF = 'oldSelf';

/** `self` is the type of the node that has the rule. */
export function compileRule(rule: ValidationRule, self: Type): CompiledRule {
  const variables = new Map([
    [SELF, self],
    [OLD_SELF, rule.optionalOldSelf === true ? optionalTypeOf(self) : self],
  ]);
  const expression = compileExpression(rule.rule, variables);
  const hasMessage = rule.messageExpression !== '' && !('error' in expression);
  return {
    expression,
    messageExpression: hasMessage ? compileExpression(rule.messageExpression, variables) : undefined,
    usesOldSelf: !('error' in expression) && expression.usesVariable(OLD_SELF),
  };
}

/** Whether the node or a node below it has rules. */
export function hasRules(node: SchemaNode): boolean {
  if (node.rules.length > 0) return true;
  if (node.items !== undefined && hasRules(node.items)) return true;
  if (typeof node.additionalProperties === 'object' && hasRules(node.additionalProperties)) return true;
  for (const child of node.properties.values()) if (hasRules(child)) return true;
  return false;
}
