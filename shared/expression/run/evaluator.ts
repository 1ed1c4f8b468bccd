/** What a node of an expression is compiled to: a function of the values it works on. */
import { NO_OVERLOAD } from '../library/operators';
import { Failure, type Value } from '../values/value';
import type { Meter } from './meter';

/** What an evaluation works on: variables and loop variables by place. */
export interface Activation {
  readonly slots: Value[];
  readonly meter: Meter;
}

export type Evaluator = (frame: Activation) => Value;

export const NO_SUCH_OVERLOAD = new Failure(NO_OVERLOAD);
