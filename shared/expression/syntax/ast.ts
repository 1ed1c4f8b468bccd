/**
 * The syntax tree of an expression. Macros (`all`, `map`, `has`, …) are expanded into comprehensions and presence tests,
 * so types and costs are defined for few kinds of nodes. Operators are calls (operators.ts). The types of nodes are in
 * CheckedExpression (check/checked-expression.ts).
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

/** A variable, a type, or the first part of a qualified name. A leading dot is part of the name. */
export interface Ident extends Positioned {
  readonly kind: 'ident';
  readonly name: string;
}

/** `operand.field`. */
export interface Select extends Positioned {
  readonly kind: 'select';
  readonly operand: Expr;
  readonly field: string;
  /** True for `has(a.b)`, which tests whether the field is present instead of selecting it. */
  readonly testOnly: boolean;
}

/** A call of a function, a method, or an operator. */
export interface Call extends Positioned {
  readonly kind: 'call';
  readonly name: string;
  /** `x` in `x.f()`; `undefined` for functions and operators. */
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
  /** Whether it is written as `?key: value`: the value is an optional, and without a value there is no entry. */
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
  /** Whether it is written as `?name: value`: the value is an optional, and without a value the field is not set. */
  readonly isOptional: boolean;
}

/** `Name{field: value}`. */
export interface StructExpr extends Positioned {
  readonly kind: 'struct';
  readonly name: string;
  readonly fields: readonly StructField[];
}

/**
 * The macro that a comprehension was expanded from, so that it can be evaluated as a loop (run/loops.ts). `body` and
 * `filter` are the arguments of the macro, which are also parts of the comprehension's `step` or `result`.
 */
export interface MacroLoop {
  readonly macro: 'all' | 'exists' | 'exists_one' | 'map' | 'filter' | 'bind';
  /** The predicate of `all`, `exists` and `exists_one`, what `map` and `filter` collect, or the result of `bind`. */
  readonly body: Expr | undefined;
  /** The condition under which `map` and `filter` collect; `undefined` without one. */
  readonly filter: Expr | undefined;
}

/**
 * A loop over the elements of `range`. The accumulator starts as `init`. For each element, while `condition` holds, `step`
 * computes the next value of the accumulator. `result` is evaluated at the end.
 */
export interface Comprehension extends Positioned {
  readonly kind: 'comprehension';
  /** The name of the element in `condition` and `step`. */
  readonly variable: string;
  readonly range: Expr;
  /** The name of the accumulator in `condition`, `step` and `result`. */
  readonly accumulator: string;
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
  readonly loop: MacroLoop;
}

/** A node of the syntax tree. */
export type Expr = Literal | Ident | Select | Call | ListExpr | MapExpr | StructExpr | Comprehension;
