/**
 * The operators of expressions. A call node of the syntax tree (ast.ts) names an operator as cel-go does: `a + b` is a call
 * of `_+_`. Also builds the nodes of chains of logical operators.
 */
import type { Expr } from './ast';
import { ParseAborted } from './issues';

/** The function names of the binary operators, as messages print them too. */
export const OPERATORS = {
  '==': '_==_',
  '!=': '_!=_',
  '<': '_<_',
  '<=': '_<=_',
  '>': '_>_',
  '>=': '_>=_',
  '+': '_+_',
  '-': '_-_',
  '*': '_*_',
  '/': '_/_',
  '%': '_%_',
  in: '@in',
  '&&': '_&&_',
  '||': '_||_',
} as const;

/** `a ? b : c`. */
export const CONDITIONAL = '_?_:_';
/** `!a`. */
export const NOT = '!_';
/** `-a`. */
export const NEGATE = '-_';
/** `a[b]`. */
export const INDEX = '_[_]';
/** `a[?b]`. */
export const OPTIONAL_INDEX = '_[?_]';
/** `a.?b`; its second argument is a literal with the name of the field. */
export const OPTIONAL_SELECT = '_?._';
/** The loop condition of the macros `all` and `exists`: true for every value but `false`, also for an error. */
export const NOT_STRICTLY_FALSE = '@not_strictly_false';
/** The name of the accumulator in an expanded macro. */
export const ACCUMULATOR = '__result__';

/** Whether a token is a binary operator. */
export function isOperator(text: string): text is keyof typeof OPERATORS {
  return Object.hasOwn(OPERATORS, text);
}

/**
 * Builds a balanced tree from a chain of `&&` or `||`, so that a long chain is not a deep tree: `a && b && c && d` becomes
 * `(a && b) && (c && d)`. `offsets` are the offsets of the operators between the terms.
 */
export function balanceOperators(name: string, terms: readonly Expr[], offsets: readonly number[]): Expr {
  const [first] = terms;
  if (first === undefined) throw new ParseAborted();
  /** The tree of the operators from `low` to `high`, which are indexes of `offsets`. */
  const balance = (low: number, high: number): Expr => {
    if (low > high) return terms[low] ?? first;
    const middle = Math.floor((low + high + 1) / 2);
    const left = middle === low ? (terms[low] ?? first) : balance(low, middle - 1);
    const right = middle === high ? (terms[high + 1] ?? first) : balance(middle + 1, high);
    return { kind: 'call', at: offsets[middle] ?? 0, name, target: undefined, args: [left, right] };
  };
  return balance(0, offsets.length - 1);
}
