/** When a webhook is asked at all: expressions over the review, compiled once and bounded in what one question may cost. Asks nobody. */
import { Budget, compileExpression, CostExceeded, Failure, type Expression } from '../../../shared/expression/engine';
import { freeValue } from '../../../shared/expression/free-json';
import type { JsonObject } from '../../../shared/values/json';

/** `error` = one of them went wrong, and none is false. */
export type Match = 'yes' | 'no' | 'error';

export type MatchConditions = (spec: JsonObject) => Match;

/** What one expression may cost. */
const LIMIT = 1_000_000;
const VARIABLES = new Map([['request', { kind: 'dyn' } as const]]);

/** What is wrong with expressions, by their number; no faults = the conditions. */
export function compileConditions(
  expressions: readonly string[],
): { readonly conditions: MatchConditions } | { readonly faults: readonly { readonly index: number; readonly reason: string }[] } {
  const compiled = expressions.map((text) => compileExpression(text, VARIABLES));
  const faults = compiled.flatMap((one, index) => {
    if ('fault' in one) return [{ index, reason: one.fault }];
    return one.type.kind === 'bool' || one.type.kind === 'dyn' ? [] : [{ index, reason: 'must evaluate to bool' }];
  });
  if (faults.length > 0) return { faults };
  const all = compiled.filter((one): one is Expression => !('fault' in one));
  return {
    conditions(spec) {
      const variables = new Map([['request', freeValue({ groups: [], ...spec })]]);
      let hasFailed = false;
      for (const expression of all) {
        const value = evaluate(expression, variables);
        if (value === false) return 'no';
        hasFailed ||= value !== true;
      }
      return hasFailed ? 'error' : 'yes';
    },
  };
}

function evaluate(expression: Expression, variables: Parameters<Expression['evaluate']>[0]): unknown {
  try {
    const value = expression.evaluate(variables, LIMIT, new Budget(LIMIT));
    return value instanceof Failure ? undefined : value;
  } catch (error) {
    if (error instanceof CostExceeded) return undefined;
    throw error;
  }
}
