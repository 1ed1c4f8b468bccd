/**
 * Checks of the lines of recordings: a check is a type guard for a parsed value, and `Checked` is the type that it
 * guards, so that a format is stated once. `shape` rejects an object with a member that it does not name, so that no
 * recorded member is overlooked.
 */
import type { Body, Json } from './json-response';

export type Check<T> = (value: unknown) => value is T;

/** The type of the values that a check accepts: `Checked<typeof isCase>`. */
export type Checked<C> = C extends Check<infer T> ? T : never;

type Checks = Readonly<Record<string, Check<unknown>>>;
type CheckedMembers<M> = { readonly [K in keyof M]: Checked<M[K]> };

export const text: Check<string> = (value): value is string => typeof value === 'string';
export const number: Check<number> = (value): value is number => typeof value === 'number';
export const boolean: Check<boolean> = (value): value is boolean => typeof value === 'boolean';
export const nullValue: Check<null> = (value): value is null => value === null;
/** Any value except `undefined`, which parsed JSON does not contain. */
export const anything: Check<Json> = (value): value is Json => value !== undefined;
/** Any object. */
export const body: Check<Body> = (value): value is Body => isRecord(value);

/** One of these values. */
export function oneOf<const T extends readonly (string | number | boolean)[]>(...values: T): Check<T[number]> {
  return (value): value is T[number] => values.some((allowed) => allowed === value);
}

export function either<A, B>(first: Check<A>, second: Check<B>): Check<A | B> {
  return (value): value is A | B => first(value) || second(value);
}

/** A list of any length. */
export function listOf<T>(item: Check<T>): Check<readonly T[]> {
  return (value): value is readonly T[] => Array.isArray(value) && value.every(item);
}

/** A list with exactly these items. */
export function tupleOf<C extends readonly Check<unknown>[]>(...items: C): Check<CheckedMembers<C>> {
  return (value): value is CheckedMembers<C> =>
    Array.isArray(value) && value.length === items.length && items.every((isItem, index) => isItem(value[index]));
}

/** An object with any names, and members of one type. */
export function mapOf<T>(item: Check<T>): Check<Readonly<Record<string, T>>> {
  return (value): value is Readonly<Record<string, T>> => isRecord(value) && Object.values(value).every(item);
}

/** An object with all of `members`, optionally with those of `more`, and no others. */
export function shape<M extends Checks, O extends Checks>(members: M, more: O): Check<CheckedMembers<M> & Partial<CheckedMembers<O>>>;
export function shape<M extends Checks>(members: M): Check<CheckedMembers<M>>;
export function shape(members: Checks, more: Checks = {}): Check<Readonly<Record<string, unknown>>> {
  return (value): value is Readonly<Record<string, unknown>> =>
    isRecord(value) &&
    Object.entries(members).every(([name, isMember]) => isMember(value[name])) &&
    Object.keys(value).every((name) => Object.hasOwn(members, name) || more[name]?.(value[name]) === true);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
