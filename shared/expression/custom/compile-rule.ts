/**
 * Compiles the expressions of a validation rule, and finds out whether a schema has rules. check-rules.ts checks rules
 * when a schema is written; evaluate-rules.ts evaluates them on objects.
 */
import type { SchemaNode, ValidationRule } from '../../api/structural/schema-node';
import { compileExpression, type CompileError, type Expression, type Type } from '../engine';
import { optionalTypeOf } from '../types/type';

/** A rule with its compiled expressions; each may have failed to compile. */
export interface CompiledRule {
  readonly expression: Expression | CompileError;
  /** `undefined` when the rule has none, and when `expression` is an error. */
  readonly messageExpression: Expression | CompileError | undefined;
  /** Whether `expression` refers to `oldSelf` (a transition rule); false when `expression` is an error. */
  readonly usesOldSelf: boolean;
}

/** The variable with the value of the node that has the rule. */
export const SELF = 'self';
/** The variable with that value before the update. */
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
