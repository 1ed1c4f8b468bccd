/**
 * Functions of lists, sets and optionals.
 */
import { compare, equal, type Work } from '../values/equality';
import { Duration, Failure, lengthOf, ListValue, MapValue, NONE, OptionalValue, Uint, type Value } from '../values/value';
import { INT_MAX, INT_MIN, UINT_MAX } from '../syntax/literals';
import { NO_OVERLOAD } from './operators';
import { binary, isAny, isList, isOptional, nullary, traversal, unary, type Costs, type FunctionRow } from './function';

/** Goes once through all items. */
const ONCE_THROUGH: Costs = {
  estimate: (sizes) => sizes.size(0) * (1 + traversal(sizes.itemSize(0))),
  charge: ([list = null]) => (list instanceof ListValue ? traversed(list) : 1),
};

/** What going through a value costs: a tenth of a text, one for other scalars. */
function traversed(value: Value): number {
  if (typeof value === 'string') return Math.floor(lengthOf(value) * 0.1);
  if (value instanceof Uint8Array) return Math.floor(value.length * 0.1);
  if (!(value instanceof ListValue)) return 1;
  let cost = 0;
  for (const item of value) cost += traversed(item);
  return cost;
}

const COMPARABLE = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes'];
const SUMMABLE = ['int', 'uint', 'double', 'duration'];

function isSorted(list: ListValue, work: Work): Value {
  for (let index = 1; index < list.size; index += 1) {
    const order = compare(list.at(index - 1), list.at(index), work);
    if (order === undefined) return new Failure(NO_OVERLOAD);
    if (order > 0) return false;
  }
  return true;
}

function extreme(name: string, keep: (order: number) => boolean): (list: ListValue, work: Work) => Value {
  return (list, work) => {
    if (list.size === 0) return new Failure(`${name} called on empty list`);
    let best: Value = list.at(0);
    for (let index = 1; index < list.size; index += 1) {
      const order = compare(list.at(index), best, work);
      if (order === undefined) return new Failure(NO_OVERLOAD);
      if (keep(order)) best = list.at(index);
    }
    return best;
  };
}

const ZERO: Readonly<Record<string, Value>> = { int: 0n, uint: new Uint(0n), double: 0, duration: new Duration(0n) };

function add(a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number') return a + b;
  if (typeof a === 'bigint' && typeof b === 'bigint') return within(a + b, INT_MIN, INT_MAX, (sum) => sum, 'integer overflow');
  if (a instanceof Uint && b instanceof Uint)
    return within(a.value + b.value, 0n, UINT_MAX, (sum) => new Uint(sum), 'unsigned integer overflow');
  if (a instanceof Duration && b instanceof Duration) {
    return within(a.nanos + b.nanos, INT_MIN, INT_MAX, (sum) => new Duration(sum), 'integer overflow');
  }
  return new Failure(NO_OVERLOAD);
}

function within(sum: bigint, least: bigint, most: bigint, make: (sum: bigint) => Value, fault: string): Value {
  return sum < least || sum > most ? new Failure(fault) : make(sum);
}

function sumOf(type: string): (list: ListValue, work: Work) => Value {
  return (list, work) => {
    let sum: Value = ZERO[type] ?? 0n;
    for (const item of list) {
      work.spend(1);
      sum = add(sum, item);
      if (sum instanceof Failure) return sum;
    }
    return sum;
  };
}

function indexOf(list: ListValue, item: Value, work: Work): Value {
  for (let index = 0; index < list.size; index += 1) if (equal(list.at(index), item, work)) return BigInt(index);
  return -1n;
}

function lastIndexOf(list: ListValue, item: Value, work: Work): Value {
  for (let index = list.size - 1; index >= 0; index -= 1) if (equal(list.at(index), item, work)) return BigInt(index);
  return -1n;
}

const has = (list: ListValue, item: Value, work: Work): boolean => indexOf(list, item, work) !== -1n;

function containsAll(list: ListValue, part: ListValue, work: Work): boolean {
  for (const item of part) if (!has(list, item, work)) return false;
  return true;
}

function intersects(a: ListValue, b: ListValue, work: Work): boolean {
  for (const item of a) if (has(b, item, work)) return true;
  return false;
}

/** Each item of one with each of the other. */
const CROSSED: Costs = { estimate: (sizes) => 1 + sizes.size(0) * sizes.size(1) };

function isZero(value: Value): boolean {
  if (value === null || value === false || value === 0n || value === 0 || value === '') return true;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Duration) return value.nanos === 0n;
  if (value instanceof Uint8Array) return value.length === 0;
  return (value instanceof ListValue || value instanceof MapValue) && value.size === 0;
}

const DEREFERENCE = new Failure('optional.none() dereference');

export const COLLECTION_ROWS: readonly FunctionRow[] = [
  ...COMPARABLE.map((type) => unary(`list(${type}).isSorted(): bool`, isList, isSorted, ONCE_THROUGH)),
  ...SUMMABLE.map((type) => unary(`list(${type}).sum(): ${type}`, isList, sumOf(type), ONCE_THROUGH)),
  ...COMPARABLE.map((type) =>
    unary(
      `list(${type}).min(): ${type}`,
      isList,
      extreme('min', (order) => order < 0),
      ONCE_THROUGH,
    ),
  ),
  ...COMPARABLE.map((type) =>
    unary(
      `list(${type}).max(): ${type}`,
      isList,
      extreme('max', (order) => order > 0),
      ONCE_THROUGH,
    ),
  ),
  binary('list(A).indexOf(A): int', isList, isAny, indexOf, ONCE_THROUGH),
  binary('list(A).lastIndexOf(A): int', isList, isAny, lastIndexOf, ONCE_THROUGH),
  binary('sets.contains(list(A), list(A)): bool', isList, isList, containsAll, CROSSED),
  binary('sets.intersects(list(A), list(A)): bool', isList, isList, intersects, CROSSED),
  binary('sets.equivalent(list(A), list(A)): bool', isList, isList, (a, b, work) => containsAll(a, b, work) && containsAll(b, a, work), {
    estimate: (sizes) => 1 + 2 * sizes.size(0) * sizes.size(1),
  }),
  nullary('optional.none(): optional(A)', () => NONE),
  unary('optional.of(A): optional(A)', isAny, (value) => new OptionalValue(value)),
  unary('optional.ofNonZeroValue(A): optional(A)', isAny, (value) => (isZero(value) ? NONE : new OptionalValue(value))),
  unary('optional(A).hasValue(): bool', isOptional, ({ value }) => value !== undefined),
  unary('optional(A).value(): A', isOptional, ({ value }) => (value === undefined ? DEREFERENCE : value)),
  binary('optional(A).or(optional(A)): optional(A)', isOptional, isOptional, (a, b) => (a.value === undefined ? b : a)),
  binary('optional(A).orValue(A): A', isOptional, isAny, ({ value }, other) => (value === undefined ? other : value)),
];
