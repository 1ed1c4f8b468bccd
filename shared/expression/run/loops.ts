/**
 * Evaluates comprehensions (`all`, `exists`, `exists_one`, `map`, `filter`) as loops over the items. Charges the cost
 * that cel-go's expansion of the macro would have: for each item, and once for the result. An error of an item is the
 * result, except when another item decides `all` or `exists`. Which expressions are comprehensions is left to the parser.
 */
import { ArrayList, ErrorValue, type Value } from '../values/value';
import { NO_SUCH_OVERLOAD, type Activation, type Evaluator } from './evaluator';

type LoopRunner = (frame: Activation, items: Iterable<Value>) => Value;
/** `slot` is that of the loop variable; `filter` is absent in a quantifier. */
type MakeLoop = (body: Evaluator, filter: Evaluator | undefined, slot: number) => LoopRunner;

/** `all` ends at the first item that is `false`, `exists` at the first that is `true`: the deciding value. */
function quantifier(macro: 'all' | 'exists'): MakeLoop {
  const deciding = macro === 'exists';
  const costPerItem = deciding ? 4 : 3;
  return (body, _filter, slot) => (frame, items) => {
    const { slots, meter } = frame;
    let error: ErrorValue | undefined;
    for (const item of items) {
      meter.charge(costPerItem);
      slots[slot] = item;
      const value = body(frame);
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

const existsOne: MakeLoop = (body, _filter, slot) => (frame, items) => {
  const { slots, meter } = frame;
  let count = 0;
  let error: ErrorValue | undefined;
  for (const item of items) {
    meter.spend(1);
    slots[slot] = item;
    const value = body(frame);
    if (value === true) {
      count += 1;
      meter.charge(2);
    } else if (value !== false) error = value instanceof ErrorValue ? value : NO_SUCH_OVERLOAD;
  }
  meter.charge(2);
  return error ?? count === 1;
};

const collect: MakeLoop = (body, filter, slot) => (frame, items) => {
  const { slots, meter } = frame;
  const collected: Value[] = [];
  let error: ErrorValue | undefined;
  for (const item of items) {
    meter.spend(1);
    slots[slot] = item;
    const isIncluded = filter === undefined ? true : filter(frame);
    if (isIncluded === true) {
      const value = body(frame);
      meter.charge(12);
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
