/**
 * Functions of lists, sets and optionals. A function over all items costs in proportion to their number and size. A list
 * of type `list(dyn)` may have items of any types; where a function does not support them, the result is an error.
 */
import { compareValues, equalValues, type WorkContext } from '../values/equality';
import {
  Duration,
  ErrorValue,
  codePointLength,
  ListValue,
  MapValue,
  OPTIONAL_NONE,
  OptionalValue,
  Uint,
  type Value,
} from '../values/value';
import { NO_OVERLOAD, toDuration, toInt, toUint } from './operators';
import { binary, isAny, isList, isOptional, nullary, traversalCost, unary, type FunctionCosts, type FunctionOverload } from './function';

/** Costs of one pass over all items and what is in them. */
const TRAVERSAL_COSTS: FunctionCosts = {
  estimate: (sizes) => sizes.size(0) * (1 + traversalCost(sizes.itemSize(0))),
  charge: ([list = null]) => (list instanceof ListValue ? valueTraversalCost(list) : 1),
};

/** The cost of traversing a value: a tenth of the length of a string or bytes, the sum of a list's items, otherwise 1. */
function valueTraversalCost(value: Value): number {
  if (typeof value === 'string') return Math.floor(codePointLength(value) * 0.1);
  if (value instanceof Uint8Array) return Math.floor(value.length * 0.1);
  if (!(value instanceof ListValue)) return 1;
  let cost = 0;
  for (const item of value) cost += valueTraversalCost(item);
  return cost;
}

/** Types of items with an order, and types of items that can be added. */
const COMPARABLE = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes'];
const SUMMABLE = ['int', 'uint', 'double', 'duration'];

function isSorted(list: ListValue, work: WorkContext): Value {
  for (let index = 1; index < list.size; index += 1) {
    const order = compareValues(list.at(index - 1), list.at(index), work);
    if (order === undefined) return new ErrorValue(NO_OVERLOAD);
    if (order > 0) return false;
  }
  return true;
}

/** `min` or `max`. `isBetter` decides by the order of an item and the best item so far. */
function extremum(name: string, isBetter: (order: number) => boolean): (list: ListValue, work: WorkContext) => Value {
  return (list, work) => {
    if (list.size === 0) return new ErrorValue(`${name} called on empty list`);
    let best: Value = list.at(0);
    for (let index = 1; index < list.size; index += 1) {
      const order = compareValues(list.at(index), best, work);
      if (order === undefined) return new ErrorValue(NO_OVERLOAD);
      if (isBetter(order)) best = list.at(index);
    }
    return best;
  };
}

/** The sum of an empty list, by the type of its items. */
const EMPTY_SUMS: Readonly<Record<string, Value>> = { int: 0n, uint: new Uint(0n), double: 0, duration: new Duration(0n) };

function addValues(a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number') return a + b;
  if (typeof a === 'bigint' && typeof b === 'bigint') return toInt(a + b);
  if (a instanceof Uint && b instanceof Uint) return toUint(a.value + b.value);
  if (a instanceof Duration && b instanceof Duration) return toDuration(a.nanos + b.nanos);
  return new ErrorValue(NO_OVERLOAD);
}

function sumOf(type: string): (list: ListValue, work: WorkContext) => Value {
  return (list, work) => {
    let sum: Value = EMPTY_SUMS[type] ?? 0n;
    for (const item of list) {
      work.spend(1);
      sum = addValues(sum, item);
      if (sum instanceof ErrorValue) return sum;
    }
    return sum;
  };
}

function indexOf(list: ListValue, item: Value, work: WorkContext): Value {
  for (let index = 0; index < list.size; index += 1) if (equalValues(list.at(index), item, work)) return BigInt(index);
  return -1n;
}

function lastIndexOf(list: ListValue, item: Value, work: WorkContext): Value {
  for (let index = list.size - 1; index >= 0; index -= 1) if (equalValues(list.at(index), item, work)) return BigInt(index);
  return -1n;
}

const includesItem = (list: ListValue, item: Value, work: WorkContext): boolean => indexOf(list, item, work) !== -1n;

function containsAll(list: ListValue, part: ListValue, work: WorkContext): boolean {
  for (const item of part) if (!includesItem(list, item, work)) return false;
  return true;
}

function intersects(a: ListValue, b: ListValue, work: WorkContext): boolean {
  for (const item of a) if (includesItem(b, item, work)) return true;
  return false;
}

/** Costs of comparing each item of one list with each item of the other. */
const CROSS_PRODUCT_COSTS: FunctionCosts = { estimate: (sizes) => 1 + sizes.size(0) * sizes.size(1) };

/** Whether a value is the zero value of its type, which `optional.ofNonZeroValue` treats as absent. */
function isZero(value: Value): boolean {
  if (value === null || value === false || value === 0n || value === 0 || value === '') return true;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Duration) return value.nanos === 0n;
  if (value instanceof Uint8Array) return value.length === 0;
  return (value instanceof ListValue || value instanceof MapValue) && value.size === 0;
}

const NONE_DEREFERENCE = new ErrorValue('optional.none() dereference');

/** The overloads, each with its signature, its checks of arguments, its function and its costs. */
export const COLLECTION_FUNCTIONS: readonly FunctionOverload[] = [
  ...COMPARABLE.map((type) => unary(`list(${type}).isSorted(): bool`, isList, isSorted, TRAVERSAL_COSTS)),
  ...SUMMABLE.map((type) => unary(`list(${type}).sum(): ${type}`, isList, sumOf(type), TRAVERSAL_COSTS)),
  ...COMPARABLE.map((type) =>
    unary(
      `list(${type}).min(): ${type}`,
      isList,
      extremum('min', (order) => order < 0),
      TRAVERSAL_COSTS,
    ),
  ),
  ...COMPARABLE.map((type) =>
    unary(
      `list(${type}).max(): ${type}`,
      isList,
      extremum('max', (order) => order > 0),
      TRAVERSAL_COSTS,
    ),
  ),
  binary('list(A).indexOf(A): int', [isList, isAny], indexOf, TRAVERSAL_COSTS),
  binary('list(A).lastIndexOf(A): int', [isList, isAny], lastIndexOf, TRAVERSAL_COSTS),
  binary('sets.contains(list(A), list(A)): bool', [isList, isList], containsAll, CROSS_PRODUCT_COSTS),
  binary('sets.intersects(list(A), list(A)): bool', [isList, isList], intersects, CROSS_PRODUCT_COSTS),
  binary('sets.equivalent(list(A), list(A)): bool', [isList, isList], (a, b, work) => containsAll(a, b, work) && containsAll(b, a, work), {
    estimate: (sizes) => 1 + 2 * sizes.size(0) * sizes.size(1),
  }),
  nullary('optional.none(): optional(A)', () => OPTIONAL_NONE),
  unary('optional.of(A): optional(A)', isAny, (value) => new OptionalValue(value)),
  unary('optional.ofNonZeroValue(A): optional(A)', isAny, (value) => (isZero(value) ? OPTIONAL_NONE : new OptionalValue(value))),
  unary('optional(A).hasValue(): bool', isOptional, ({ value }) => value !== undefined),
  unary('optional(A).value(): A', isOptional, ({ value }) => (value === undefined ? NONE_DEREFERENCE : value)),
  binary('optional(A).or(optional(A)): optional(A)', [isOptional, isOptional], (a, b) => (a.value === undefined ? b : a)),
  binary('optional(A).orValue(A): A', [isOptional, isAny], ({ value }, other) => (value === undefined ? other : value)),
];
