/**
 * The compiled form of a node of an expression: a function of the activation, which is the state of an evaluation.
 * program.ts compiles an expression once; its evaluators are called for each evaluation.
 */
import { NO_OVERLOAD } from '../library/operators';
import { ErrorValue, type Value } from '../values/value';
import type { CostMeter } from './meter';

/** The state of one evaluation. */
export interface Activation {
  /** The values of the variables, and of loop variables while their loop runs. program.ts assigns each a slot. */
  readonly slots: Value[];
  /** Counts the cost and the work of this evaluation. */
  readonly meter: CostMeter;
}

/** Returns the value of the node, or an {@link ErrorValue}. */
export type Evaluator = (activation: Activation) => Value;

/** The error of operands of types that no overload accepts. */
export const NO_SUCH_OVERLOAD = new ErrorValue(NO_OVERLOAD);
