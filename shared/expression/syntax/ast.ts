/**
 * The syntax tree of an expression. Macros (`all`, `map`, `has`, …) are already expanded into comprehensions and
 * presence tests, so types and costs are defined for few kinds of nodes. Contains no types.
 */
import type { Value } from '../values/value';

interface Positioned {
  /** The position that messages refer to, as an offset in UTF-16 units. */
  readonly at: number;
}

/** A constant. */
export interface Literal extends Positioned {
  readonly kind: 'literal';
  readonly value: Value;
}

/** A variable, a type, or the first part of a qualified name. */
export interface Ident extends Positioned {
  readonly kind: 'ident';
  readonly name: string;
}

/** `operand.field`. */
export interface Select extends Positioned {
  readonly kind: 'select';
  readonly operand: Expr;
  readonly field: string;
  /** `has(a.b)`: tests the presence of the field instead of selecting it. */
  readonly testOnly: boolean;
}

/** A call of a function, a method, or an operator. */
export interface Call extends Positioned {
  readonly kind: 'call';
  readonly name: string;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}

/** `[a, b]`. */
export interface ListExpr extends Positioned {
  readonly kind: 'list';
  readonly items: readonly Expr[];
  /** Indexes of the items that are written as `?item`. */
  readonly optionalIndexes: ReadonlySet<number>;
}

/** An entry of a map. */
export interface MapEntry extends Positioned {
  readonly key: Expr;
  readonly value: Expr;
  /** Written as `?key: value`. */
  readonly isOptional: boolean;
}

/** `{k: v}`. */
export interface MapExpr extends Positioned {
  readonly kind: 'map';
  readonly entries: readonly MapEntry[];
}

/** A field of a constructed message. */
export interface StructField extends Positioned {
  readonly name: string;
  readonly value: Expr;
  /** Written as `?name: value`. */
  readonly isOptional: boolean;
}

/** `Name{field: value}`. */
export interface StructExpr extends Positioned {
  readonly kind: 'struct';
  readonly name: string;
  readonly fields: readonly StructField[];
}

/**
 * The macro that a comprehension was expanded from, so that it can be run directly; `body` and `filter` are parts of
 * `step`.
 */
export interface MacroLoop {
  readonly macro: 'all' | 'exists' | 'exists_one' | 'map' | 'filter' | 'bind';
  /** The predicate of `all`, `exists` and `exists_one`, the transformation of `map`, or the result of `bind`. */
  readonly body: Expr | undefined;
  readonly filter: Expr | undefined;
}

/**
 * A loop over the elements of `range`: the accumulator starts as `init`; while `condition` holds, `step` computes its
 * next value for each element; `result` is evaluated at the end.
 */
export interface Comprehension extends Positioned {
  readonly kind: 'comprehension';
  readonly variable: string;
  readonly range: Expr;
  readonly accumulator: string;
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
  readonly loop: MacroLoop;
}

/** A node of the syntax tree. */
export type Expr = Literal | Ident | Select | Call | ListExpr | MapExpr | StructExpr | Comprehension;

/** Function names of the operators, as in messages. */
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
