/**
 * Arithmetic, comparison, membership, indexing and `size`. The logical operators (`&&`, `||`, `?:`) are declared here for
 * type checking and cost estimates only. run/branches.ts evaluates them, because their operands are evaluated
 * conditionally.
 */
import { parseSignature } from '../types/type';
import { compareValues, equalValues, findMember, identityText, isNumeric, measureText, type WorkContext } from '../values/equality';
import {
  ArrayList,
  Duration,
  ErrorValue,
  ConcatenatedList,
  ListValue,
  MapValue,
  OPTIONAL_NONE,
  OptionalValue,
  Timestamp,
  valueTypeName,
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
  traversalCost,
  unary,
  NO_MATCH,
  type FunctionCosts,
  type FunctionOverload,
  type ArgumentSizes,
} from './function';

const OVERFLOW = new ErrorValue('integer overflow');
const UNSIGNED_OVERFLOW = new ErrorValue('unsigned integer overflow');
/** The message of an operand or argument of a type that no overload accepts. */
export const NO_OVERLOAD = 'no such overload';

/** The result of int arithmetic, or an overflow error when it is out of the range of int64. */
export const toInt = (value: bigint): Value => (value < INT_MIN || value > INT_MAX ? OVERFLOW : value);
/** The result of uint arithmetic, or an overflow error when it is out of the range of uint64. */
export const toUint = (value: bigint): Value => (value < 0n || value > UINT_MAX ? UNSIGNED_OVERFLOW : new Uint(value));
/** The duration of this many nanoseconds, or an overflow error when they are out of the range of int64. */
export const toDuration = (nanos: bigint): Value => (nanos < INT_MIN || nanos > INT_MAX ? OVERFLOW : new Duration(nanos));
const toTimestamp = (nanos: bigint): Value =>
  nanos < MIN_TIMESTAMP || nanos > MAX_TIMESTAMP ? new ErrorValue('timestamp overflow') : new Timestamp(nanos);

/** Costs of an equality or order: a pass over the shorter operand. */
const COMPARISON_COSTS: FunctionCosts = { estimate: (sizes) => traversalCost(Math.min(sizes.size(0), sizes.size(1))), size: () => 1 };
const concatenatedSize = (sizes: ArgumentSizes): number => sizes.size(0) + sizes.size(1);
const CONCATENATION_COSTS: FunctionCosts = { estimate: (sizes) => traversalCost(concatenatedSize(sizes)), size: concatenatedSize };
/** Constant as upstream's, although {@link concatLists} copies the items of sets and map lists. */
const LIST_CONCATENATION_COSTS: FunctionCosts = { estimate: () => 1, size: concatenatedSize };

function arithmeticFunctions(): FunctionOverload[] {
  return [
    binary('_+_(int, int): int', [isInt, isInt], (a, b) => toInt(a + b)),
    binary('_+_(uint, uint): uint', [isUint, isUint], (a, b) => toUint(a.value + b.value)),
    binary('_+_(double, double): double', [isDouble, isDouble], (a, b) => a + b),
    binary('_+_(string, string): string', [isString, isString], concatStrings, CONCATENATION_COSTS),
    binary('_+_(bytes, bytes): bytes', [isBytes, isBytes], concatBytes, CONCATENATION_COSTS),
    binary('_+_(list(A), list(A)): list(A)', [isList, isList], concatLists, LIST_CONCATENATION_COSTS),
    binary('_+_(timestamp, duration): timestamp', [isTimestamp, isDuration], (a, b) => toTimestamp(a.nanos + b.nanos)),
    binary('_+_(duration, timestamp): timestamp', [isDuration, isTimestamp], (a, b) => toTimestamp(a.nanos + b.nanos)),
    binary('_+_(duration, duration): duration', [isDuration, isDuration], (a, b) => toDuration(a.nanos + b.nanos)),
    binary('_-_(int, int): int', [isInt, isInt], (a, b) => toInt(a - b)),
    binary('_-_(uint, uint): uint', [isUint, isUint], (a, b) => toUint(a.value - b.value)),
    binary('_-_(double, double): double', [isDouble, isDouble], (a, b) => a - b),
    binary('_-_(timestamp, timestamp): duration', [isTimestamp, isTimestamp], (a, b) => toDuration(a.nanos - b.nanos)),
    binary('_-_(timestamp, duration): timestamp', [isTimestamp, isDuration], (a, b) => toTimestamp(a.nanos - b.nanos)),
    binary('_-_(duration, duration): duration', [isDuration, isDuration], (a, b) => toDuration(a.nanos - b.nanos)),
    binary('_*_(int, int): int', [isInt, isInt], (a, b) => toInt(a * b)),
    binary('_*_(uint, uint): uint', [isUint, isUint], (a, b) => toUint(a.value * b.value)),
    binary('_*_(double, double): double', [isDouble, isDouble], (a, b) => a * b),
    binary('_/_(int, int): int', [isInt, isInt], (a, b) => (b === 0n ? new ErrorValue('division by zero') : toInt(a / b))),
    binary('_/_(uint, uint): uint', [isUint, isUint], (a, b) =>
      b.value === 0n ? new ErrorValue('division by zero') : toUint(a.value / b.value),
    ),
    binary('_/_(double, double): double', [isDouble, isDouble], (a, b) => a / b),
    binary('_%_(int, int): int', [isInt, isInt], (a, b) => (b === 0n ? new ErrorValue('modulus by zero') : intRemainder(a, b))),
    binary('_%_(uint, uint): uint', [isUint, isUint], (a, b) =>
      b.value === 0n ? new ErrorValue('modulus by zero') : toUint(a.value % b.value),
    ),
    unary('-_(int): int', isInt, (a) => toInt(-a)),
    unary('-_(double): double', isDouble, (a) => -a),
    unary('!_(bool): bool', isBool, (a) => !a),
  ];
}

/** The remainder overflows where the quotient does (upstream behaviour), although it would be 0. */
const intRemainder = (a: bigint, b: bigint): Value => (a === INT_MIN && b === -1n ? OVERFLOW : a % b);

function concatStrings(a: string, b: string, work: WorkContext): string {
  // A step for 16 characters: V8 joins them only when the text is first read.
  work.spend((a.length + b.length) >> 4);
  return a + b;
}

function concatBytes(a: Uint8Array, b: Uint8Array, work: WorkContext): Uint8Array {
  // A step for 256 bytes, which are copied as a block.
  work.spend((a.length + b.length) >> 8);
  return new Uint8Array(Buffer.concat([a, b]));
}

/**
 * Concatenates two lists. If the first one is a set or a map list (its `semantics`), merges the second one into it as
 * server-side apply does: an item with a known identity replaces the item of a map list, and is dropped from a set.
 */
function concatLists(a: ListValue, b: ListValue, work: WorkContext): Value {
  const { semantics } = a;
  if (semantics === undefined) return new ConcatenatedList(a, b);
  work.spend(a.size + b.size);
  const items = [...a];
  const positions = new Map<string, number>();
  items.forEach((item, index) => positions.set(identityText(semantics.identity(item), work), index));
  for (const item of b) {
    const text = identityText(semantics.identity(item), work);
    const position = positions.get(text);
    if (position === undefined) {
      positions.set(text, items.length);
      items.push(item);
    } else if (semantics.isKeyed) items[position] = item;
  }
  return new MergedList(items, a);
}

/** A merged list keeps the semantics of the first list. */
class MergedList extends ArrayList {
  constructor(
    items: readonly Value[],
    private readonly original: ListValue,
  ) {
    super(items);
  }

  override get semantics(): ListValue['semantics'] {
    return this.original.semantics;
  }
}

/** Parameters of comparisons that charge a constant cost, and of those that charge by the size of the operands. */
const SCALAR_COMPARISONS = [
  ...['bool', 'int', 'uint', 'double', 'timestamp', 'duration'].map((type) => `${type}, ${type}`),
  ...['int, uint', 'int, double', 'uint, int', 'uint, double', 'double, int', 'double, uint'],
];
const SIZED_COMPARISONS = ['string, string', 'bytes, bytes'];

/** The overloads of an order operator. `holds` decides by the order of the operands, as of a comparison function. */
function comparisonFunctions(name: string, holds: (order: number) => boolean): FunctionOverload[] {
  const overload = (params: string, costs: FunctionCosts): FunctionOverload => ({
    signature: parseSignature(`${name}(${params}): bool`),
    call: ([a = null, b = null], work) => {
      const order = compareValues(a, b, work);
      if (order !== undefined) return holds(order);
      // Two numbers have no order when one is NaN: each comparison with it is false.
      return isNumeric(a) && isNumeric(b) ? false : NO_MATCH;
    },
    ...costs,
  });
  return [
    ...SCALAR_COMPARISONS.map((params) => overload(params, {})),
    ...SIZED_COMPARISONS.map((params) => overload(params, COMPARISON_COSTS)),
  ];
}

function isInList(item: Value, list: ListValue, work: WorkContext): Value {
  for (let index = 0; index < list.size; index += 1) {
    if (equalValues(item, list.at(index), work)) return true;
  }
  return false;
}

/** The item at an index, which may be any number with an integral value. */
function indexList(list: ListValue, index: Value): Value {
  const position = index instanceof Uint ? index.value : index;
  if (typeof position === 'number' && !Number.isInteger(position)) return new ErrorValue(`unsupported index value ${position} in list`);
  if (typeof position !== 'bigint' && typeof position !== 'number')
    return new ErrorValue(`unsupported index type '${valueTypeName(position)}' in list`);
  return position < 0 || position >= list.size ? new ErrorValue(`index out of bounds: ${position}`) : list.at(Number(position));
}

/** A map key as messages print it. */
export function printKey(key: Value): string {
  if (key instanceof Uint) return String(key.value);
  return typeof key === 'object' ? '' : String(key);
}

/** `container[key]`. */
function lookUp(container: Value, key: Value, work: WorkContext): Value {
  if (container instanceof ListValue) return indexList(container, key);
  if (container instanceof MapValue) {
    const member = findMember(container, key, work);
    return member === undefined ? new ErrorValue(`no such key: ${printKey(key)}`) : member;
  }
  return container instanceof OptionalValue ? lookUpOptional(container, key, work) : new ErrorValue(`no such key: ${printKey(key)}`);
}

/** `container[?key]`: an optional, which is empty when the key or index does not exist. */
export function lookUpOptional(container: Value, key: Value, work: WorkContext): Value {
  if (container instanceof OptionalValue) return container.value === undefined ? OPTIONAL_NONE : lookUpOptional(container.value, key, work);
  if (container instanceof MapValue) {
    const member = findMember(container, key, work);
    return member === undefined ? OPTIONAL_NONE : new OptionalValue(member);
  }
  const element = lookUp(container, key, work);
  return element instanceof ErrorValue ? OPTIONAL_NONE : new OptionalValue(element);
}

function indexFunctions(): FunctionOverload[] {
  const index = (signature: string): FunctionOverload => binary(signature, [isAny, isAny], lookUp);
  const optionalIndex = (signature: string): FunctionOverload => binary(signature, [isAny, isAny], lookUpOptional);
  return [
    index('_[_](list(A), int): A'),
    index('_[_](map(K, V), K): V'),
    index('_[_](optional(list(V)), int): optional(V)'),
    index('_[_](optional(map(K, V)), K): optional(V)'),
    optionalIndex('_[?_](list(V), int): optional(V)'),
    optionalIndex('_[?_](optional(list(V)), int): optional(V)'),
    optionalIndex('_[?_](map(K, V), K): optional(V)'),
    optionalIndex('_[?_](optional(map(K, V)), K): optional(V)'),
  ];
}

/**
 * The operators and `size`, with cel-go's names: `@in` is the operator `in`; `@not_strictly_false` is the loop condition of
 * macros.
 */
export const OPERATOR_FUNCTIONS: readonly FunctionOverload[] = [
  ...arithmeticFunctions(),
  binary('_==_(A, A): bool', [isAny, isAny], equalValues, COMPARISON_COSTS),
  binary('_!=_(A, A): bool', [isAny, isAny], (a, b, work) => !equalValues(a, b, work), COMPARISON_COSTS),
  ...comparisonFunctions('_<_', (order) => order < 0),
  ...comparisonFunctions('_<=_', (order) => order <= 0),
  ...comparisonFunctions('_>_', (order) => order > 0),
  ...comparisonFunctions('_>=_', (order) => order >= 0),
  binary('@in(A, list(A)): bool', [isAny, isList], isInList, { estimate: (sizes) => sizes.size(1) }),
  binary('@in(A, map(A, B)): bool', [isAny, isMap], (key, map, work) => findMember(map, key, work) !== undefined),
  ...indexFunctions(),
  binary('_&&_(bool, bool): bool', [isBool, isBool], (a, b) => a && b, { estimate: () => 0 }),
  binary('_||_(bool, bool): bool', [isBool, isBool], (a, b) => a || b, { estimate: () => 0 }),
  ternary('_?_:_(bool, A, A): A', [isBool, isAny, isAny], (condition, whenTrue, whenFalse) => (condition ? whenTrue : whenFalse), {
    estimate: () => 0,
  }),
  unary('@not_strictly_false(bool): bool', isBool, (value) => value),
  ...['size(string): int', 'string.size(): int'].map((signature) =>
    unary(signature, isString, (text, work) => BigInt(measureText(text, work))),
  ),
  ...['size(bytes): int', 'bytes.size(): int'].map((signature) => unary(signature, isBytes, (bytes) => BigInt(bytes.length))),
  ...['size(list(A)): int', 'list(A).size(): int'].map((signature) => unary(signature, isList, (list) => BigInt(list.size))),
  ...['size(map(A, B)): int', 'map(A, B).size(): int'].map((signature) => unary(signature, isMap, (map) => BigInt(map.size))),
];
