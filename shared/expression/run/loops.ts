/**
 * Evaluates the macros `all`, `exists`, `exists_one`, `map` and `filter` as loops over the items. Charges the cost of
 * cel-go's comprehension (syntax/macros.ts), which evaluates its condition and step for each item and its result once:
 * that of the accumulator, which is a variable, of the operators and of the collected lists, besides the cost of the
 * macro's own arguments. An error of an item is the result, except when another item decides `all` or `exists`.
 */
import { LIST_COST } from '../library/function';
import { ArrayList, ErrorValue, type Value } from '../values/value';
import { NO_SUCH_OVERLOAD, type Activation, type Evaluator } from './evaluator';

/** Runs the loop for one evaluation. */
type LoopRunner = (activation: Activation, items: Iterable<Value>) => Value;
/** `slot` is that of the loop variable; `filter` is `undefined` for all items to be included, and in a quantifier. */
type MakeLoop = (body: Evaluator, filter: Evaluator | undefined, slot: number) => LoopRunner;

/** `all` ends at the first item for which the body is `false`, `exists` at the first for which it is `true`. */
function quantifier(macro: 'all' | 'exists'): MakeLoop {
  const deciding = macro === 'exists';
  // Reading the accumulator in the condition and in the step, and the functions of the condition, of which `exists` has
  // two. Logical operators cost nothing.
  const costPerItem = macro === 'exists' ? 4 : 3;
  return (body, _filter, slot) => (activation, items) => {
    const { slots, meter } = activation;
    let error: ErrorValue | undefined;
    for (const item of items) {
      meter.charge(costPerItem);
      slots[slot] = item;
      const value = body(activation);
      if (value === deciding) {
        meter.charge(1);
        return deciding;
      }
      if (value === !deciding) continue;
      error ??= value instanceof ErrorValue ? value : NO_SUCH_OVERLOAD;
    }
    meter.charge(1);
    return error ?? !deciding;
  };
}

/** Whether the body is `true` for exactly one item. */
const existsOne: MakeLoop = (body, _filter, slot) => (activation, items) => {
  const { slots, meter } = activation;
  let count = 0;
  let error: ErrorValue | undefined;
  for (const item of items) {
    meter.spend(1);
    slots[slot] = item;
    const value = body(activation);
    if (value === true) {
      count += 1;
      meter.charge(2); // `accumulator + 1`
    } else if (value !== false) error = value instanceof ErrorValue ? value : NO_SUCH_OVERLOAD;
  }
  meter.charge(2); // `accumulator == 1`
  return error ?? count === 1;
};

/** Cost of `accumulator + [element]`: 1 for the variable, 1 for the operator, and the new list. */
const COLLECT_COST = 2 + LIST_COST;

/** `map` and `filter`: the list of the bodies of all items that satisfy the filter. */
const collect: MakeLoop = (body, filter, slot) => (activation, items) => {
  const { slots, meter } = activation;
  const collected: Value[] = [];
  let error: ErrorValue | undefined;
  for (const item of items) {
    meter.spend(1);
    slots[slot] = item;
    const isIncluded = filter === undefined ? true : filter(activation);
    if (isIncluded === true) {
      const value = body(activation);
      meter.charge(COLLECT_COST);
      if (value instanceof ErrorValue) error ??= value;
      else collected.push(value);
    } else if (isIncluded !== false) error ??= isIncluded instanceof ErrorValue ? isIncluded : NO_SUCH_OVERLOAD;
  }
  meter.charge(1);
  return error ?? new ArrayList(collected);
};

/** The loops of the macros, by the name of the macro. */
export const LOOPS: Readonly<Record<'all' | 'exists' | 'exists_one' | 'map' | 'filter', MakeLoop>> = {
  all: quantifier('all'),
  exists: quantifier('exists'),
  exists_one: existsOne,
  map: collect,
  filter: collect,
};
