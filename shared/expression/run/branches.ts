/** What decides which part of an expression is evaluated, and what is there at all. */
import { Failure, ListValue, MapValue, OptionalValue, type Value } from '../values/value';
import { NO_SUCH_OVERLOAD, type Evaluator } from './evaluator';

export const UNINDEXED = new Failure("unsupported index type 'string' in list");

export function isPresent(operand: Value, field: string): Value {
  if (operand instanceof Failure) return operand;
  if (operand instanceof MapValue) return operand.find(field) !== undefined;
  if (operand instanceof ListValue) return UNINDEXED;
  return operand instanceof OptionalValue && operand.value !== undefined ? isPresent(operand.value, field) : false;
}

/** `&&` (which `false` decides) and `||` (which `true` decides); an error counts only when the other side does not decide. */
export function logical(left: Evaluator, right: Evaluator, deciding: boolean): Evaluator {
  return (frame) => {
    const a = left(frame);
    if (a === deciding) return deciding;
    const b = right(frame);
    if (b === deciding) return deciding;
    if (a instanceof Failure) return a;
    if (b instanceof Failure) return b;
    return typeof a === 'boolean' && typeof b === 'boolean' ? !deciding : NO_SUCH_OVERLOAD;
  };
}

export function conditional(condition: Evaluator, yes: Evaluator, no: Evaluator): Evaluator {
  return (frame) => {
    const holds = condition(frame);
    if (holds === true) return yes(frame);
    if (holds === false) return no(frame);
    return holds instanceof Failure ? holds : NO_SUCH_OVERLOAD;
  };
}

/** What stands behind `or` is evaluated only when it is needed. */
export function otherwise(optional: Evaluator, other: Evaluator, keepOptional: boolean): Evaluator {
  return (frame) => {
    const value = optional(frame);
    if (value instanceof Failure) return value;
    if (!(value instanceof OptionalValue)) return value;
    if (value.value === undefined) return other(frame);
    return keepOptional ? value : value.value;
  };
}
