/**
 * The parts of a library function: overloads, each with a signature, an implementation and costs. An overload applies when
 * the arguments satisfy its guards, so a function may have an overload for each type. The functions themselves are in the
 * other files of this folder.
 */
import { appendToKey } from '../../values/append';
import type { WorkContext } from '../values/equality';
import { Duration, ErrorValue, ListValue, MapValue, OptionalValue, Timestamp, Uint, type OpaqueValue, type Value } from '../values/value';
import { parseSignature, type Signature } from '../types/type';

/** Whether an overload accepts a value as an argument. */
export type ValueGuard<T extends Value> = (value: Value) => value is T;

/** Returned by an overload that does not accept the arguments, so that the next one is tried. */
export const NO_MATCH = Symbol('no matching overload');

/**
 * Sizes of the arguments of a call, by position: characters of a string, bytes, or items. Cost formulas grow with the
 * sizes. An estimate evaluates them twice, with all minimum sizes and with all maximum sizes; a call evaluates them with
 * the actual sizes.
 */
export interface ArgumentSizes {
  size(argument: number): number;
  /** The size of the items of a list. */
  itemSize(argument: number): number;
  /** The value of an int argument; `undefined` when it is no int, or not known in an estimate. */
  count(argument: number): number | undefined;
}

/** The costs of an overload. */
export interface FunctionCosts {
  /** The cost of a call without that of evaluating its arguments; 1 when absent. */
  readonly estimate?: (sizes: ArgumentSizes) => number;
  /** The size of the result in an estimate; absent when it cannot be derived. */
  readonly size?: (sizes: ArgumentSizes) => number;
  /** The cost of a call at run time; when absent, {@link estimate} with the actual sizes. */
  readonly charge?: (args: readonly Value[], result: Value) => number;
}

/** One overload of a function or operator. */
export interface FunctionOverload extends FunctionCosts {
  readonly signature: Signature;
  /**
   * Returns the result, an ErrorValue for an error of the evaluation, or {@link NO_MATCH} when the overload does not accept
   * the arguments. Must have no side effects, and spend `work` (run/meter.ts) in proportion to its time.
   */
  readonly call: (args: readonly Value[], work: WorkContext) => Value | typeof NO_MATCH;
}

/** Overloads by name, of functions and methods. */
export type Library = ReadonlyMap<string, readonly FunctionOverload[]>;

/** Combines groups of overloads; overloads of one name keep their order. */
export function createLibrary(...groups: readonly (readonly FunctionOverload[])[]): Library {
  const byName = new Map<string, FunctionOverload[]>();
  for (const overload of groups.flat()) appendToKey(byName, overload.signature.name, overload);
  return byName;
}

// Guards for the values of each type. No guard accepts an error.

export const isBool: ValueGuard<boolean> = (value) => typeof value === 'boolean';
export const isInt: ValueGuard<bigint> = (value) => typeof value === 'bigint';
export const isUint: ValueGuard<Uint> = (value) => value instanceof Uint;
export const isDouble: ValueGuard<number> = (value) => typeof value === 'number';
export const isString: ValueGuard<string> = (value) => typeof value === 'string';
export const isBytes: ValueGuard<Uint8Array> = (value) => value instanceof Uint8Array;
export const isTimestamp: ValueGuard<Timestamp> = (value) => value instanceof Timestamp;
export const isDuration: ValueGuard<Duration> = (value) => value instanceof Duration;
export const isList: ValueGuard<ListValue> = (value) => value instanceof ListValue;
export const isMap: ValueGuard<MapValue> = (value) => value instanceof MapValue;
export const isOptional: ValueGuard<OptionalValue> = (value) => value instanceof OptionalValue;
export const isAny: ValueGuard<Exclude<Value, ErrorValue>> = (value): value is Exclude<Value, ErrorValue> => !(value instanceof ErrorValue);
/** Creates the guard for the values of an opaque type, such as quantities and URLs. */
export function isOpaque<T extends OpaqueValue>(kind: abstract new (...args: never) => T): ValueGuard<T> {
  return (value): value is T => value instanceof kind;
}

// Overloads with a fixed number of arguments. `signature` is the text that parseSignature accepts; the receiver of a
// method is the first argument.

/** An overload without arguments. */
export function nullary(signature: string, run: () => Value, costs: FunctionCosts = {}): FunctionOverload {
  return { signature: parseSignature(signature), call: run, ...costs };
}

/** An overload with one argument. */
export function unary<A extends Value>(
  signature: string,
  a: ValueGuard<A>,
  run: (a: A, work: WorkContext) => Value,
  costs: FunctionCosts = {},
): FunctionOverload {
  return {
    signature: parseSignature(signature),
    call: ([x = null], work) => (a(x) ? run(x, work) : NO_MATCH),
    ...costs,
  };
}

/** An overload with two arguments. `a` and `b` are the guards of the arguments. */
export function binary<A extends Value, B extends Value>(
  signature: string,
  [a, b]: readonly [ValueGuard<A>, ValueGuard<B>],
  run: (a: A, b: B, work: WorkContext) => Value,
  costs: FunctionCosts = {},
): FunctionOverload {
  return {
    signature: parseSignature(signature),
    call: ([x = null, y = null], work) => (a(x) && b(y) ? run(x, y, work) : NO_MATCH),
    ...costs,
  };
}

/** An overload with three arguments. */
export function ternary<A extends Value, B extends Value, C extends Value>(
  signature: string,
  [a, b, c]: readonly [ValueGuard<A>, ValueGuard<B>, ValueGuard<C>],
  run: (a: A, b: B, c: C, work: WorkContext) => Value,
  costs: FunctionCosts = {},
): FunctionOverload {
  return {
    signature: parseSignature(signature),
    call: ([x = null, y = null, z = null], work) => (a(x) && b(y) && c(z) ? run(x, y, z, work) : NO_MATCH),
    ...costs,
  };
}

/** An overload with four arguments. */
export function quaternary<A extends Value, B extends Value, C extends Value, D extends Value>(
  signature: string,
  [a, b, c, d]: readonly [ValueGuard<A>, ValueGuard<B>, ValueGuard<C>, ValueGuard<D>],
  run: (a: A, b: B, c: C, d: D, work: WorkContext) => Value,
  costs: FunctionCosts = {},
): FunctionOverload {
  return {
    signature: parseSignature(signature),
    call: ([w = null, x = null, y = null, z = null], work) => (a(w) && b(x) && c(y) && d(z) ? run(w, x, y, z, work) : NO_MATCH),
    ...costs,
  };
}

/** Cost of creating a list, without its elements, as cel-go counts it. */
export const LIST_COST = 10;
/** Cost of creating a map, without its entries, as cel-go counts it. */
export const MAP_COST = 30;

/** The cost of one pass over a text: a tenth of its length, rounded up. */
export const traversalCost = (size: number): number => Math.ceil(size * 0.1);

/** Costs of a function that passes over its first argument `times` times; `size` is that of the result. */
export function traversalCosts(times = 1, size?: FunctionCosts['size']): FunctionCosts {
  const estimate = (sizes: ArgumentSizes): number => traversalCost(sizes.size(0)) * times;
  return size === undefined ? { estimate } : { estimate, size };
}
