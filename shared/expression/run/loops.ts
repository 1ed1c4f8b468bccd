/** How comprehensions go through their items, and what each item costs. */
import { ArrayList, Failure, type Value } from '../values/value';
import { NO_SUCH_OVERLOAD, type Activation, type Evaluator } from './evaluator';

type Loop = (frame: Activation, items: Iterable<Value>) => Value;
type MakeLoop = (body: Evaluator, filter: Evaluator | undefined, slot: number) => Loop;

/** `all` and `exists`: the loop ends with the first item that decides. */
function quantifier(deciding: boolean): MakeLoop {
  const perItem = deciding ? 4 : 3;
  return (body, _filter, slot) => (frame, items) => {
    const { slots, meter } = frame;
    let held: Failure | undefined;
    for (const item of items) {
      meter.charge(perItem);
      slots[slot] = item;
      const value = body(frame);
      if (value === deciding) {
        meter.charge(1);
        return deciding;
      }
      if (value === !deciding) continue;
      held ??= value instanceof Failure ? value : NO_SUCH_OVERLOAD;
    }
    meter.charge(1);
    return held ?? !deciding;
  };
}

const existsOne: MakeLoop = (body, _filter, slot) => (frame, items) => {
  const { slots, meter } = frame;
  let count = 0;
  let failure: Failure | undefined;
  for (const item of items) {
    meter.spend(1);
    slots[slot] = item;
    const value = body(frame);
    if (value === true) {
      count += 1;
      meter.charge(2);
    } else if (value !== false) failure = value instanceof Failure ? value : NO_SUCH_OVERLOAD;
  }
  meter.charge(2);
  return failure ?? count === 1;
};

const collect: MakeLoop = (body, filter, slot) => (frame, items) => {
  const { slots, meter } = frame;
  const collected: Value[] = [];
  let failure: Failure | undefined;
  for (const item of items) {
    meter.spend(1);
    slots[slot] = item;
    const wanted = filter === undefined ? true : filter(frame);
    if (wanted === true) {
      const value = body(frame);
      meter.charge(12);
      if (value instanceof Failure) failure ??= value;
      else collected.push(value);
    } else if (wanted !== false) failure ??= wanted instanceof Failure ? wanted : NO_SUCH_OVERLOAD;
  }
  meter.charge(1);
  return failure ?? new ArrayList(collected);
};

export const LOOPS: Readonly<Record<'all' | 'exists' | 'exists_one' | 'map' | 'filter', MakeLoop>> = {
  all: quantifier(false),
  exists: quantifier(true),
  exists_one: existsOne,
  map: collect,
  filter: collect,
};
