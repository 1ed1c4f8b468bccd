/**
 * Arithmetic, comparison, membership and sizes. Logic (`&&`, `||`, `?:`) is declared here for the types; it is run where errors can be set aside.
 */
import { compare, equal, findMember, identityText, measure } from '../values/equality';
import {
  ArrayList,
  Duration,
  Failure,
  JoinedList,
  ListValue,
  MapValue,
  NONE,
  OptionalValue,
  Timestamp,
  typeName,
  Uint,
  type Value,
} from '../values/value';
import { INT_MAX, INT_MIN, MAX_TIMESTAMP, MIN_TIMESTAMP, UINT_MAX } from '../syntax/literals';
import {
  binary,
  isAny,
  isBool,
  isBytes,
  isDouble,
  isDuration,
  isInt,
  isList,
  isMap,
  isString,
  isTimestamp,
  isUint,
  ternary,
  traversal,
  unary,
  UNFIT,
  type Costs,
  type FunctionRow,
  type Sizes,
} from './function';
import type { Work } from '../values/equality';

const OVERFLOW = new Failure('integer overflow');
const UNSIGNED_OVERFLOW = new Failure('unsigned integer overflow');
export const NO_OVERLOAD = 'no such overload';

const int = (value: bigint): Value => (value < INT_MIN || value > INT_MAX ? OVERFLOW : value);
const uint = (value: bigint): Value => (value < 0n || value > UINT_MAX ? UNSIGNED_OVERFLOW : new Uint(value));
const duration = (nanos: bigint): Value => (nanos < INT_MIN || nanos > INT_MAX ? OVERFLOW : new Duration(nanos));
const timestamp = (nanos: bigint): Value =>
  nanos < MIN_TIMESTAMP || nanos > MAX_TIMESTAMP ? new Failure('timestamp overflow') : new Timestamp(nanos);

/** What comparing two values costs: a tenth of the shorter one. */
const COMPARISON: Costs = { estimate: (sizes) => traversal(Math.min(sizes.size(0), sizes.size(1))), size: () => 1 };
const ADDED: Costs = {
  estimate: (sizes) => traversal(sizes.size(0) + sizes.size(1)),
  size: (sizes) => sizes.size(0) + sizes.size(1),
};
const CONCATENATED: Costs = { estimate: () => 1, size: ADDED.size ?? (() => 0) };

function arithmetic(): FunctionRow[] {
  return [
    binary('_+_(int, int): int', isInt, isInt, (a, b) => int(a + b)),
    binary('_+_(uint, uint): uint', isUint, isUint, (a, b) => uint(a.value + b.value)),
    binary('_+_(double, double): double', isDouble, isDouble, (a, b) => a + b),
    binary('_+_(string, string): string', isString, isString, joinTexts, ADDED),
    binary('_+_(bytes, bytes): bytes', isBytes, isBytes, joinBytes, ADDED),
    binary('_+_(list(A), list(A)): list(A)', isList, isList, concatenate, CONCATENATED),
    binary('_+_(timestamp, duration): timestamp', isTimestamp, isDuration, (a, b) => timestamp(a.nanos + b.nanos)),
    binary('_+_(duration, timestamp): timestamp', isDuration, isTimestamp, (a, b) => timestamp(a.nanos + b.nanos)),
    binary('_+_(duration, duration): duration', isDuration, isDuration, (a, b) => duration(a.nanos + b.nanos)),
    binary('_-_(int, int): int', isInt, isInt, (a, b) => int(a - b)),
    binary('_-_(uint, uint): uint', isUint, isUint, (a, b) => uint(a.value - b.value)),
    binary('_-_(double, double): double', isDouble, isDouble, (a, b) => a - b),
    binary('_-_(timestamp, timestamp): duration', isTimestamp, isTimestamp, (a, b) => duration(a.nanos - b.nanos)),
    binary('_-_(timestamp, duration): timestamp', isTimestamp, isDuration, (a, b) => timestamp(a.nanos - b.nanos)),
    binary('_-_(duration, duration): duration', isDuration, isDuration, (a, b) => duration(a.nanos - b.nanos)),
    binary('_*_(int, int): int', isInt, isInt, (a, b) => int(a * b)),
    binary('_*_(uint, uint): uint', isUint, isUint, (a, b) => uint(a.value * b.value)),
    binary('_*_(double, double): double', isDouble, isDouble, (a, b) => a * b),
    binary('_/_(int, int): int', isInt, isInt, (a, b) => (b === 0n ? new Failure('division by zero') : int(a / b))),
    binary('_/_(uint, uint): uint', isUint, isUint, (a, b) => (b.value === 0n ? new Failure('division by zero') : uint(a.value / b.value))),
    binary('_/_(double, double): double', isDouble, isDouble, (a, b) => a / b),
    binary('_%_(int, int): int', isInt, isInt, (a, b) =>
      b === 0n ? new Failure('modulus by zero') : a === INT_MIN && b === -1n ? OVERFLOW : a % b,
    ),
    binary('_%_(uint, uint): uint', isUint, isUint, (a, b) => (b.value === 0n ? new Failure('modulus by zero') : uint(a.value % b.value))),
    unary('-_(int): int', isInt, (a) => int(-a)),
    unary('-_(double): double', isDouble, (a) => -a),
    unary('!_(bool): bool', isBool, (a) => !a),
  ];
}

function joinTexts(a: string, b: string, work: Work): string {
  work.spend((a.length + b.length) >> 4);
  return a + b;
}

function joinBytes(a: Uint8Array, b: Uint8Array, work: Work): Uint8Array {
  work.spend((a.length + b.length) >> 8);
  return new Uint8Array(Buffer.concat([a, b]));
}

/** Sets and keyed lists merge, as server-side apply merges them; the first list says what it is. */
function concatenate(a: ListValue, b: ListValue, work: Work): Value {
  const { semantics } = a;
  if (semantics === undefined) return new JoinedList(a, b);
  work.spend(a.size + b.size);
  const items = [...a];
  const places = new Map<string, number>();
  items.forEach((item, index) => places.set(identityText(semantics.identity(item), work), index));
  for (const item of b) {
    const text = identityText(semantics.identity(item), work);
    const place = places.get(text);
    if (place === undefined) {
      places.set(text, items.length);
      items.push(item);
    } else if (semantics.keyed) items[place] = item;
  }
  return new SemanticList(items, a);
}

/** The sum of lists keeps what the first one says of order and keys. */
class SemanticList extends ArrayList {
  constructor(
    items: readonly Value[],
    private readonly like: ListValue,
  ) {
    super(items);
  }

  override get semantics(): ListValue['semantics'] {
    return this.like.semantics;
  }
}

const ORDERED: readonly (readonly [string, boolean])[] = [
  ['bool', false],
  ['int', false],
  ['uint', false],
  ['double', false],
  ['string', true],
  ['bytes', true],
  ['timestamp', false],
  ['duration', false],
];
const MIXED = ['int, uint', 'int, double', 'uint, int', 'uint, double', 'double, int', 'double, uint'];

function comparison(name: string, holds: (order: number) => boolean): FunctionRow[] {
  const row = (params: string, sized: boolean): FunctionRow => ({
    ...binary(`${name}(${params}): bool`, isAny, isAny, () => false, sized ? COMPARISON : {}),
    call: ([a = null, b = null], work) => {
      const order = compare(a, b, work);
      if (order !== undefined) return holds(order);
      return typeof a === 'number' || typeof b === 'number' ? (areNumbers(a, b) ? false : UNFIT) : UNFIT;
    },
  });
  return [...ORDERED.map(([type, sized]) => row(`${type}, ${type}`, sized)), ...MIXED.map((params) => row(params, false))];
}

const isNumber = (value: Value): boolean => typeof value === 'number' || typeof value === 'bigint' || value instanceof Uint;
const areNumbers = (a: Value, b: Value): boolean => isNumber(a) && isNumber(b);

const EQUALITY: Costs = { estimate: (sizes: Sizes) => traversal(Math.min(sizes.size(0), sizes.size(1))), size: () => 1 };

function inList(item: Value, list: ListValue, work: Work): Value {
  for (let index = 0; index < list.size; index += 1) {
    if (equal(item, list.at(index), work)) return true;
  }
  return false;
}

function indexList(list: ListValue, index: Value): Value {
  const place = index instanceof Uint ? index.value : index;
  if (typeof place === 'number' && !Number.isInteger(place)) return new Failure(`unsupported index value ${place} in list`);
  if (typeof place !== 'bigint' && typeof place !== 'number') return new Failure(`unsupported index type '${typeName(place)}' in list`);
  return place < 0 || place >= list.size ? new Failure(`index out of bounds: ${place}`) : list.at(Number(place));
}

/** A key as messages print it. */
export function printKey(key: Value): string {
  if (key instanceof Uint) return String(key.value);
  return typeof key === 'object' ? '' : String(key);
}

function lookUp(container: Value, key: Value, work: Work): Value {
  if (container instanceof ListValue) return indexList(container, key);
  if (container instanceof MapValue) {
    const found = findMember(container, key, work);
    return found === undefined ? new Failure(`no such key: ${printKey(key)}`) : found;
  }
  return container instanceof OptionalValue ? lookUpOptional(container, key, work) : new Failure(`no such key: ${printKey(key)}`);
}

/** Nothing where there is no such key or index. */
export function lookUpOptional(container: Value, key: Value, work: Work): Value {
  if (container instanceof OptionalValue) return container.value === undefined ? NONE : lookUpOptional(container.value, key, work);
  if (container instanceof MapValue) {
    const found = findMember(container, key, work);
    return found === undefined ? NONE : new OptionalValue(found);
  }
  const found = lookUp(container, key, work);
  return found instanceof Failure ? NONE : new OptionalValue(found);
}

function indexing(): FunctionRow[] {
  const row = (signature: string): FunctionRow => binary(signature, isAny, isAny, lookUp);
  const optionalRow = (signature: string): FunctionRow => binary(signature, isAny, isAny, lookUpOptional);
  return [
    row('_[_](list(A), int): A'),
    row('_[_](map(K, V), K): V'),
    row('_[_](optional(list(V)), int): optional(V)'),
    row('_[_](optional(map(K, V)), K): optional(V)'),
    optionalRow('_[?_](list(V), int): optional(V)'),
    optionalRow('_[?_](optional(list(V)), int): optional(V)'),
    optionalRow('_[?_](map(K, V), K): optional(V)'),
    optionalRow('_[?_](optional(map(K, V)), K): optional(V)'),
  ];
}

export const OPERATOR_ROWS: readonly FunctionRow[] = [
  ...arithmetic(),
  binary('_==_(A, A): bool', isAny, isAny, equal, EQUALITY),
  binary('_!=_(A, A): bool', isAny, isAny, (a, b, work) => !equal(a, b, work), EQUALITY),
  ...comparison('_<_', (order) => order < 0),
  ...comparison('_<=_', (order) => order <= 0),
  ...comparison('_>_', (order) => order > 0),
  ...comparison('_>=_', (order) => order >= 0),
  binary('@in(A, list(A)): bool', isAny, isList, inList, { estimate: (sizes) => sizes.size(1) }),
  binary('@in(A, map(A, B)): bool', isAny, isMap, (key, map, work) => findMember(map, key, work) !== undefined),
  ...indexing(),
  binary('_&&_(bool, bool): bool', isBool, isBool, (a, b) => a && b, { estimate: () => 0 }),
  binary('_||_(bool, bool): bool', isBool, isBool, (a, b) => a || b, { estimate: () => 0 }),
  ternary('_?_:_(bool, A, A): A', [isBool, isAny, isAny], (condition, yes, no) => (condition ? yes : no), { estimate: () => 0 }),
  unary('@not_strictly_false(bool): bool', isBool, (value) => value),
  ...['size(string): int', 'string.size(): int'].map((signature) =>
    unary(signature, isString, (text, work) => BigInt(measure(text, work))),
  ),
  ...['size(bytes): int', 'bytes.size(): int'].map((signature) => unary(signature, isBytes, (bytes) => BigInt(bytes.length))),
  ...['size(list(A)): int', 'list(A).size(): int'].map((signature) => unary(signature, isList, (list) => BigInt(list.size))),
  ...['size(map(A, B)): int', 'map(A, B).size(): int'].map((signature) => unary(signature, isMap, (map) => BigInt(map.size))),
];
