/** The compiled form of a node: a function of the activation. */
import { NO_OVERLOAD } from '../library/operators';
import { ErrorValue, type Value } from '../values/value';
import type { CostMeter } from './meter';

/** The state of an evaluation: variables and loop variables by slot. */
export interface Activation {
  readonly slots: Value[];
  readonly meter: CostMeter;
}

export type Evaluator = (frame: Activation) => Value;

export const NO_SUCH_OVERLOAD = new ErrorValue(NO_OVERLOAD);
