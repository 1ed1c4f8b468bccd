/**
 * CEL (Common Expression Language) of release 1.31: compiles an expression against declared variables, estimates its cost
 * and evaluates it. Validation rules, admission policies and match conditions compile and evaluate through this file; they
 * take types, values and the authorizer from their own files. Expressions read no clock and do no I/O.
 */
import type { CheckedExpression } from './check/checked-expression';
import { checkExpression } from './check/checker';
import { checkLiterals, visitNodes } from './check/check-literals';
import { estimateCost, type CostRange } from './cost/estimate';
import { LIBRARY } from './library';
import { compileProgram, InstantiationError } from './run/program';
import type { CostBudget } from './run/meter';
import type { Expr } from './syntax/ast';
import { OPTIONAL_SELECT } from './syntax/operators';
import { parseExpression } from './syntax/parser';
import { printIssues, type Issue } from './syntax/issues';
import type { Type } from './types/type';
import type { Value } from './values/value';

export { CostBudget, CostExceededError } from './run/meter';
export type { Type } from './types/type';
export { ErrorValue, type Value } from './values/value';

/** A compiled expression. Immutable: it may be shared and evaluated at any time. */
export interface Expression {
  /** The type of the result. */
  readonly type: Type;
  /** The minimum and maximum cost of an evaluation. The sizes of values that variables contain are those of `root`. */
  estimate(root: Type): CostRange;
  /** Whether the expression refers to the declared variable. */
  usesVariable(variable: string): boolean;
  /** Whether the expression selects `variable.member` or `variable.?member`. */
  readsMember(variable: string, member: string): boolean;
  /**
   * Returns the value of the expression; an ErrorValue for an error of the expression. Deducts the cost from `budget`,
   * which becomes negative when it is exceeded. Throws CostExceededError when the evaluation costs more than `limit` or
   * exceeds the work limit of the budget.
   */
  evaluate(variables: ReadonlyMap<string, Value>, limit: number, budget: CostBudget): Value;
}

/** Why a text could not be compiled, with upstream's message. */
export interface CompileError {
  readonly error: string;
  /** Whether the expression parses and type-checks, but a constant part of it cannot be evaluated. */
  readonly isChecked: boolean;
}

/**
 * Compiles an expression against the types of its variables. Limits of length, depth and the size of types bound the time
 * that this takes.
 */
export function compileExpression(source: string, variables: ReadonlyMap<string, Type>): Expression | CompileError {
  const parsed = parseExpression(source);
  if ('issues' in parsed) return compileErrorOf(source, parsed.issues);
  const { expr } = parsed;
  const issues: Issue[] = [];
  const checked = checkExpression(expr, { variables, library: LIBRARY }, issues);
  if (issues.length === 0) checkLiterals(expr, checked, issues);
  if (issues.length > 0) return compileErrorOf(source, issues);
  return planExpression(expr, checked, [...variables.keys()]);
}

const compileErrorOf = (source: string, issues: readonly Issue[]): CompileError => ({
  error: `compilation failed: ${printIssues(source, issues)}`,
  isChecked: false,
});

function planExpression(expr: Expr, checked: CheckedExpression, variables: readonly string[]): Expression | CompileError {
  try {
    const program = compileProgram(expr, checked, variables);
    const used = new Set<string>();
    visitNodes(expr, (node) => {
      const name = checked.names.get(node);
      if (name !== undefined) used.add(name);
    });
    return {
      type: checked.type,
      estimate: (root) => estimateCost(expr, checked, root),
      usesVariable: (variable) => used.has(variable),
      readsMember: (variable, member) => readsMember(expr, variable, member),
      evaluate: (values, limit, budget) => program.run(values, limit, budget),
    };
  } catch (error) {
    if (error instanceof InstantiationError) return { error: `program instantiation failed: ${error.message}`, isChecked: true };
    throw error;
  }
}

function readsMember(expr: Expr, variable: string, member: string): boolean {
  const isVariable = (node: Expr | undefined): boolean => node?.kind === 'ident' && node.name === variable;
  let isRead = false;
  visitNodes(expr, (node) => {
    if (node.kind === 'select') isRead ||= node.field === member && isVariable(node.operand);
    if (node.kind === 'call' && node.name === OPTIONAL_SELECT) {
      const [operand, field] = node.args;
      isRead ||= isVariable(operand) && field?.kind === 'literal' && field.value === member;
    }
  });
  return isRead;
}
