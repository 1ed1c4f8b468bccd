/**
 * The tree of an expression. Macros (`all`, `map`, `has`, …) are already expanded into comprehensions and presence tests, so that types and costs follow
 * from few kinds of nodes. Holds no types and no values.
 */
import type { Value } from '../values/value';

interface Place {
  /** Where messages about the node point, as an offset in UTF-16 units. */
  readonly at: number;
}

export interface Literal extends Place {
  readonly kind: 'literal';
  readonly value: Value;
}

export interface Ident extends Place {
  readonly kind: 'ident';
  readonly name: string;
}

export interface Select extends Place {
  readonly kind: 'select';
  readonly operand: Expr;
  readonly field: string;
  /** `has(a.b)`: whether the member is there, instead of the member. */
  readonly testOnly: boolean;
}

export interface Call extends Place {
  readonly kind: 'call';
  readonly name: string;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}

export interface ListExpr extends Place {
  readonly kind: 'list';
  readonly items: readonly Expr[];
  /** Indexes of the items that are written `?item`. */
  readonly optional: ReadonlySet<number>;
}

export interface MapEntry extends Place {
  readonly key: Expr;
  readonly value: Expr;
  readonly optional: boolean;
}

export interface MapExpr extends Place {
  readonly kind: 'map';
  readonly entries: readonly MapEntry[];
}

export interface StructField extends Place {
  readonly name: string;
  readonly value: Expr;
  readonly optional: boolean;
}

export interface StructExpr extends Place {
  readonly kind: 'struct';
  readonly name: string;
  readonly fields: readonly StructField[];
}

/** What a loop is, so that it can be run without following its expansion; `body` and `filter` are parts of `step`. */
export interface Loop {
  readonly macro: 'all' | 'exists' | 'exists_one' | 'map' | 'filter' | 'bind';
  /** The predicate of `all`, `exists` and `exists_one`, what `map` makes of an item, what `bind` gives. */
  readonly body: Expr | undefined;
  readonly filter: Expr | undefined;
}

export interface Comprehension extends Place {
  readonly kind: 'comprehension';
  readonly variable: string;
  readonly range: Expr;
  readonly accumulator: string;
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
  readonly loop: Loop;
}

export type Expr = Literal | Ident | Select | Call | ListExpr | MapExpr | StructExpr | Comprehension;

/** Names of the operators, as messages spell them. */
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

export const CONDITIONAL = '_?_:_';
export const NOT = '!_';
export const NEGATE = '-_';
export const INDEX = '_[_]';
export const OPTIONAL_INDEX = '_[?_]';
export const OPTIONAL_SELECT = '_?._';
export const NOT_STRICTLY_FALSE = '@not_strictly_false';
export const ACCUMULATOR = '__result__';
