/**
 * The compiled form of an expression's node: a function of the activation. Compiled once per expression and called for
 * every object.
 */
import { NO_OVERLOAD } from '../library/operators';
import { ErrorValue, type Value } from '../values/value';
import type { CostMeter } from './meter';

/** The state of an evaluation: variables and loop variables by slot. */
export interface Activation {
  /** Values of the variables, and of loop variables while their loop runs; the compiler assigns the slots. */
  readonly slots: Value[];
  /** Counts the cost of this evaluation. */
  readonly meter: CostMeter;
}

/** Returns the value of the node, or an {@link ErrorValue}. */
export type Evaluator = (frame: Activation) => Value;

/** The error of operands of types that no overload accepts. */
export const NO_SUCH_OVERLOAD = new ErrorValue(NO_OVERLOAD);
