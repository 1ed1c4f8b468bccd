/**
 * The expression language of release 1.31 behind one interface: compile a text against typed variables, then ask what it may cost and evaluate it.
 * Whoever needs expressions (rules of custom resources, policies, match conditions) declares variables and reads values; nothing else of the
 * language is known outside. Never reads clocks, never does I/O; equal inputs give equal answers.
 */
import { check, type Checked } from './check/checker';
import { checkLiterals, visit } from './check/check-literals';
import { estimateCost, type Range } from './cost/estimate';
import { LIBRARY } from './library';
import { compileProgram, ConstantFault } from './run/program';
import type { Budget } from './run/meter';
import { OPTIONAL_SELECT, type Expr } from './syntax/ast';
import { parse } from './syntax/parser';
import { printIssues, type Issue } from './syntax/issues';
import type { Type } from './types/type';
import type { Value } from './values/value';

export { Budget, CostExceeded } from './run/meter';
export type { Type } from './types/type';
export { Failure, type Value } from './values/value';

export interface Expression {
  readonly type: Type;
  /** What an evaluation may cost, at least and at most; sizes are found below `root`. */
  estimate(root: Type): Range;
  uses(variable: string): boolean;
  /** Whether it reads `variable.member`, or `variable.?member`, by this name. */
  readsMember(variable: string, member: string): boolean;
  /** Throws `CostExceeded` when the call costs more than `limit`, or does more work than the budget has left. An error of the expression is a value. */
  evaluate(variables: ReadonlyMap<string, Value>, limit: number, budget: Budget): Value;
}

/** Why a text is no expression, in upstream's words. */
export interface CompileFault {
  readonly fault: string;
  /** Whether it was understood and a constant part of it cannot be evaluated. */
  readonly isUnderstood: boolean;
}

export function compileExpression(source: string, variables: ReadonlyMap<string, Type>): Expression | CompileFault {
  const parsed = parse(source);
  if ('issues' in parsed) return faultOf(source, parsed.issues);
  const { expr } = parsed;
  const issues: Issue[] = [];
  const checked = check(expr, { variables, library: LIBRARY }, issues);
  if (issues.length === 0) checkLiterals(expr, checked, issues);
  if (issues.length > 0) return faultOf(source, issues);
  return link(expr, checked, [...variables.keys()]);
}

const faultOf = (source: string, issues: readonly Issue[]): CompileFault => ({
  fault: `compilation failed: ${printIssues(source, issues)}`,
  isUnderstood: false,
});

function link(expr: Expr, checked: Checked, variables: readonly string[]): Expression | CompileFault {
  try {
    const program = compileProgram(expr, checked, variables);
    const used = new Set<string>();
    visit(expr, (each) => {
      const name = checked.names.get(each);
      if (name !== undefined) used.add(name);
    });
    return {
      type: checked.type,
      estimate: (root) => estimateCost(expr, checked, root),
      uses: (variable) => used.has(variable),
      readsMember: (variable, member) => readsMember(expr, variable, member),
      evaluate: (values, limit, budget) => program.run(values, limit, budget),
    };
  } catch (error) {
    if (error instanceof ConstantFault) return { fault: `program instantiation failed: ${error.message}`, isUnderstood: true };
    throw error;
  }
}

function readsMember(expr: Expr, variable: string, member: string): boolean {
  const isVariable = (each: Expr | undefined): boolean => each?.kind === 'ident' && each.name === variable;
  let found = false;
  visit(expr, (each) => {
    if (each.kind === 'select') found ||= each.field === member && isVariable(each.operand);
    if (each.kind === 'call' && each.name === OPTIONAL_SELECT) {
      const [operand, field] = each.args;
      found ||= isVariable(operand) && field?.kind === 'literal' && field.value === member;
    }
  });
  return found;
}
