/**
 * What a function of the expression language is: rows of a signature, what it does and what it costs. A row is tried when the values fit its guards, so
 * one name may have a row for each type. Holds no functions itself; see the files beside.
 */
import { appendToKey } from '../../values/append';
import type { Work } from '../values/equality';
import { Duration, Failure, ListValue, MapValue, OptionalValue, Timestamp, Uint, type OpaqueValue, type Value } from '../values/value';
import { readSignature, type Signature } from '../types/type';

export type ValueGuard<T extends Value> = (value: Value) => value is T;

/** Whether a value fits, and whether a call did: no row fitting is an error of the expression. */
export const UNFIT = Symbol('no row fits');

/**
 * What is known of an argument's size before the expression runs: characters, bytes, items. The formulas are monotone, so they are asked once with all
 * the least sizes and once with all the greatest ones.
 */
export interface Sizes {
  size(argument: number): number;
  /** The size of the items of a list. */
  itemSize(argument: number): number;
  /** The argument where it is a number that is known. */
  count(argument: number): number | undefined;
}

export interface Costs {
  /** What the call may cost, beyond its arguments; 1 when nothing is said. */
  readonly estimate?: (sizes: Sizes) => number;
  /** The size of the result, where something is known of it. */
  readonly size?: (sizes: Sizes) => number;
  /** What the call did cost; as {@link estimate} with the actual sizes when nothing is said. */
  readonly charge?: (args: readonly Value[], result: Value) => number;
}

export interface FunctionRow extends Costs {
  readonly signature: Signature;
  readonly call: (args: readonly Value[], work: Work) => Value | typeof UNFIT;
}

/** Functions by name; a name holds functions and methods alike. */
export type Library = ReadonlyMap<string, readonly FunctionRow[]>;

export function library(...groups: readonly (readonly FunctionRow[])[]): Library {
  const byName = new Map<string, FunctionRow[]>();
  for (const row of groups.flat()) appendToKey(byName, row.signature.name, row);
  return byName;
}

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
export const isAny: ValueGuard<Exclude<Value, Failure>> = (value): value is Exclude<Value, Failure> => !(value instanceof Failure);
export function isOpaque<T extends OpaqueValue>(kind: abstract new (...args: never) => T): ValueGuard<T> {
  return (value): value is T => value instanceof kind;
}

export function nullary(signature: string, run: () => Value, costs: Costs = {}): FunctionRow {
  return { signature: readSignature(signature), call: run, ...costs };
}

export function unary<A extends Value>(
  signature: string,
  a: ValueGuard<A>,
  run: (a: A, work: Work) => Value,
  costs: Costs = {},
): FunctionRow {
  return {
    signature: readSignature(signature),
    call: ([x = null], work) => (a(x) ? run(x, work) : UNFIT),
    ...costs,
  };
}

export function binary<A extends Value, B extends Value>(
  signature: string,
  a: ValueGuard<A>,
  b: ValueGuard<B>,
  run: (a: A, b: B, work: Work) => Value,
  costs: Costs = {},
): FunctionRow {
  return {
    signature: readSignature(signature),
    call: ([x = null, y = null], work) => (a(x) && b(y) ? run(x, y, work) : UNFIT),
    ...costs,
  };
}

export function ternary<A extends Value, B extends Value, C extends Value>(
  signature: string,
  guards: readonly [ValueGuard<A>, ValueGuard<B>, ValueGuard<C>],
  run: (a: A, b: B, c: C, work: Work) => Value,
  costs: Costs = {},
): FunctionRow {
  const [a, b, c] = guards;
  return {
    signature: readSignature(signature),
    call: ([x = null, y = null, z = null], work) => (a(x) && b(y) && c(z) ? run(x, y, z, work) : UNFIT),
    ...costs,
  };
}

export function quaternary<A extends Value, B extends Value, C extends Value, D extends Value>(
  signature: string,
  guards: readonly [ValueGuard<A>, ValueGuard<B>, ValueGuard<C>, ValueGuard<D>],
  run: (a: A, b: B, c: C, d: D, work: Work) => Value,
  costs: Costs = {},
): FunctionRow {
  const [a, b, c, d] = guards;
  return {
    signature: readSignature(signature),
    call: ([w = null, x = null, y = null, z = null], work) => (a(w) && b(x) && c(y) && d(z) ? run(w, x, y, z, work) : UNFIT),
    ...costs,
  };
}

/** A tenth of a text's length: what going through it once costs. */
export const traversal = (size: number): number => Math.ceil(size * 0.1);

/** Costs of a function that goes through its first argument `times` times. */
export function traverses(times = 1, size?: Costs['size']): Costs {
  const estimate = (sizes: Sizes): number => traversal(sizes.size(0)) * times;
  return size === undefined ? { estimate } : { estimate, size };
}
