/**
 * Evaluators of nodes that do not evaluate all of their operands, or accept an error as an operand: the logical operators,
 * the conditional operator, `or` and `orValue`. Also tests the presence of fields.
 */
import { ErrorValue, ListValue, MapValue, OptionalValue, type Value } from '../values/value';
import { NO_SUCH_OVERLOAD, type Evaluator } from './evaluator';

/** The error of a field access on a list, with cel-go's message. */
export const UNSUPPORTED_INDEX = new ErrorValue("unsupported index type 'string' in list");

/** `has(operand.field)`. */
export function testPresence(operand: Value, field: string): Value {
  if (operand instanceof ErrorValue) return operand;
  if (operand instanceof MapValue) return operand.find(field) !== undefined;
  if (operand instanceof ListValue) return UNSUPPORTED_INDEX;
  return operand instanceof OptionalValue && operand.value !== undefined ? testPresence(operand.value, field) : false;
}

/** `&&` is decided by `false` and `||` by `true`; an error of one side is ignored when the other side decides. */
export function logicalEvaluator(operator: '&&' | '||', left: Evaluator, right: Evaluator): Evaluator {
  const deciding = operator === '||';
  return (activation) => {
    const a = left(activation);
    if (a === deciding) return deciding;
    const b = right(activation);
    if (b === deciding) return deciding;
    if (a instanceof ErrorValue) return a;
    if (b instanceof ErrorValue) return b;
    return typeof a === 'boolean' && typeof b === 'boolean' ? !deciding : NO_SUCH_OVERLOAD;
  };
}

/** `condition ? whenTrue : whenFalse`; an error of the condition is the result. */
export function conditionalEvaluator(condition: Evaluator, whenTrue: Evaluator, whenFalse: Evaluator): Evaluator {
  return (activation) => {
    const holds = condition(activation);
    if (holds === true) return whenTrue(activation);
    if (holds === false) return whenFalse(activation);
    return holds instanceof ErrorValue ? holds : NO_SUCH_OVERLOAD;
  };
}

/** Evaluates the alternative only when the optional is empty. `or` returns the optional, `orValue` its value. */
export function orElseEvaluator(method: 'or' | 'orValue', optional: Evaluator, alternative: Evaluator): Evaluator {
  const returnsOptional = method === 'or';
  return (activation) => {
    const value = optional(activation);
    if (value instanceof ErrorValue) return value;
    if (!(value instanceof OptionalValue)) return value;
    if (value.value === undefined) return alternative(activation);
    return returnsOptional ? value : value.value;
  };
}
