/**
 * The result of type checking (checker.ts): an expression with resolved identifiers, calls and types. Cost estimation and
 * compilation work on it.
 */
import type { FunctionOverload, Library } from '../library/function';
import type { Expr } from '../syntax/ast';
import type { Type } from '../types/type';

/** What an expression may refer to. */
export interface Declarations {
  readonly variables: ReadonlyMap<string, Type>;
  readonly library: Library;
}

/** A call of a known function. */
export interface ResolvedCall {
  /** The qualified name of the function, such as `size` or `sets.contains`. */
  readonly name: string;
  /** The overloads that may accept the arguments. Which one does is decided at run time, by their values. */
  readonly overloads: readonly FunctionOverload[];
  /** The target of a method call first. `sets` in `sets.contains(a, b)` is part of the name, not a target. */
  readonly args: readonly Expr[];
}

/** An expression with resolved identifiers, calls and types. */
export interface CheckedExpression {
  readonly type: Type;
  /** The type of a node of the expression. */
  typeAt(node: Expr): Type;
  /**
   * The nodes that denote a declared variable or a type, each with the qualified name of that: `a.b` for the select node
   * of `.a.b`. Nodes that denote a loop variable are not included.
   */
  readonly names: ReadonlyMap<Expr, string>;
  /** The resolved calls and operators of the expression, by node. */
  readonly calls: ReadonlyMap<Expr, ResolvedCall>;
}
