/**
 * Equality and order of values. Numbers of different types are compared by their numeric value; other values of different
 * types are unequal. Where an evaluation requests it ({@link NameSpellings}), the two spellings of a name
 * (`kubernetes.io/tls`, `platform.io/tls`) are equal, so that an expression in one spelling applies to both. Comparisons
 * spend work (run/meter.ts) in proportion to the size of the values: `>> 6` is a step for 64 characters.
 */
import { isSameName, otherNamespaceOrUser, otherSpelling } from '../../names/spellings';
import { appendToKey } from '../../values/append';
import { compareBytes } from '../../values/json';
import {
  Duration,
  ErrorValue,
  mapKeyOf,
  codePointLength,
  ListValue,
  MapValue,
  OpaqueValue,
  OptionalValue,
  Timestamp,
  TypeValue,
  Uint,
  type ListSemantics,
  type Value,
} from './value';

/**
 * Which strings are compared as names with two spellings:
 * - `names`: all names of the product, for admission and authorization
 * - `accounts`: system namespaces and their service accounts, for claims of tokens
 * - `none`: no strings, for rules of custom resources, which do not contain names of the product
 */
export type NameSpellings = 'names' | 'accounts' | 'none';

/** The work limit of an evaluation, and how it compares names. */
export interface WorkContext {
  /** Counts steps of work; throws CostExceededError when the limit is exceeded. */
  spend(steps: number): void;
  readonly spellings: NameSpellings;
}

/** Shorter texts, in UTF-16 units, are measured without charge. */
const LONG_TEXT = 1024;
/** The text that {@link measureText} measured last, of all evaluations. */
let lastMeasured = { text: '', length: 0 };

/**
 * {@link codePointLength}, charged to the work budget. The last long text is cached, because loops measure the same one
 * repeatedly.
 */
export function measureText(text: string, work: WorkContext): number {
  if (text.length < LONG_TEXT) return codePointLength(text);
  if (text !== lastMeasured.text) {
    work.spend(text.length >> 3);
    lastMeasured = { text, length: codePointLength(text) };
  }
  return lastMeasured.length;
}

type Numeric = bigint | number | Uint;

/** Whether the value is an int, uint or double. */
export function isNumeric(value: Value): value is Numeric {
  return typeof value === 'bigint' || typeof value === 'number' || value instanceof Uint;
}

/**
 * Less than, equal to or greater than zero; `undefined` for NaN. An integer and a double are compared as doubles, as
 * upstream does.
 */
export function compareNumbers(a: Numeric, b: Numeric): number | undefined {
  const x = a instanceof Uint ? a.value : a;
  const y = b instanceof Uint ? b.value : b;
  if (typeof x === 'bigint' && typeof y === 'bigint') return compareOrdered(x, y);
  return Number.isNaN(x) || Number.isNaN(y) ? undefined : compareOrdered(Number(x), Number(y));
}

function compareOrdered<T extends bigint | number>(x: T, y: T): number {
  if (x < y) return -1;
  return x > y ? 1 : 0;
}

/** CEL's `==`. NaN is not equal to itself. */
export function equalValues(a: Value, b: Value, work: WorkContext): boolean {
  work.spend(1);
  if (a === b) return !Number.isNaN(a);
  if (isNumeric(a)) return isNumeric(b) && compareNumbers(a, b) === 0;
  if (typeof a === 'string') {
    if (typeof b !== 'string') return false;
    if (a.length === b.length) work.spend(a.length >> 6);
    return isSameText(a, b, work.spellings);
  }
  if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null) return false;
  if (a instanceof ListValue) return b instanceof ListValue && equalLists(a, b, work);
  if (a instanceof MapValue) return b instanceof MapValue && equalMaps(a, b, work);
  if (a instanceof Uint8Array) {
    work.spend(a.length >> 6);
    return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  }
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name;
  if (a instanceof OpaqueValue) return b instanceof OpaqueValue && a.typeName === b.typeName && a.equals(b);
  if (a instanceof OptionalValue && b instanceof OptionalValue) {
    return a.value === undefined || b.value === undefined ? a.value === b.value : equalValues(a.value, b.value, work);
  }
  return false;
}

function equalLists(a: ListValue, b: ListValue, work: WorkContext): boolean {
  if (a.size !== b.size) return false;
  const { semantics } = a;
  if (semantics !== undefined) return equalUnordered(a, b, semantics, work);
  for (let index = 0; index < a.size; index += 1) {
    if (!equalValues(a.at(index), b.at(index), work)) return false;
  }
  return true;
}

/** Whether each item of `a` has an equal one in `b`; candidates are found by the text of their identity. */
function equalUnordered(a: ListValue, b: ListValue, { identity }: ListSemantics, work: WorkContext): boolean {
  const buckets = new Map<string, Value[]>();
  for (const item of b) appendToKey(buckets, identityText(identity(item), work), item);
  for (const item of a) {
    const bucket = buckets.get(identityText(identity(item), work)) ?? [];
    if (!bucket.some((other) => equalValues(item, other, work))) return false;
  }
  return true;
}

/** The member of a map under either spelling of the key; `undefined` when there is none. */
export function findMember(map: MapValue, key: Value, work: WorkContext): Value | undefined {
  const value = map.find(key);
  if (value !== undefined || typeof key !== 'string') return value;
  const other = otherText(key, work);
  return other === undefined ? undefined : map.find(other);
}

function isSameText(a: string, b: string, spellings: NameSpellings): boolean {
  if (spellings === 'names') return isSameName(a, b);
  return a === b || (spellings === 'accounts' && otherNamespaceOrUser(a) === b);
}

/** The text in its other spelling; `undefined` when it has none that counts. */
function otherText(text: string, { spellings }: WorkContext): string | undefined {
  switch (spellings) {
    case 'names':
      return otherSpelling(text);
    case 'accounts':
      return otherNamespaceOrUser(text);
    case 'none':
      return undefined;
  }
}

/** Whether the predicate holds for the text or, if it is a name with two spellings, for its other spelling. */
export function holdsForEitherSpelling(text: string, work: WorkContext, holds: (text: string) => boolean): boolean {
  if (holds(text)) return true;
  const other = otherText(text, work);
  return other !== undefined && holds(other);
}

function equalMaps(a: MapValue, b: MapValue, work: WorkContext): boolean {
  if (a.size !== b.size) return false;
  for (const key of a.keys()) {
    const left = a.find(key);
    const right = findMember(b, key, work);
    if (left === undefined || right === undefined || !equalValues(left, right, work)) return false;
  }
  return true;
}

/**
 * A text that equal values have in common. Unequal values may have it in common too, such as two timestamps; for them
 * {@link equalValues} decides.
 */
export function identityText(value: Value, work: WorkContext): string {
  work.spend(16);
  if (typeof value === 'string') {
    work.spend(value.length >> 4);
    const other = otherText(value, work);
    return `string${other === undefined || value < other ? value : other}`;
  }
  const key = mapKeyOf(value);
  if (key !== undefined) return `${typeof key}${String(key)}`;
  if (value instanceof ListValue) return `[${[...value].map((item) => identityText(item, work)).join('\u0000')}]`;
  if (value instanceof MapValue) {
    const entries = [...value.keys()].map((name) => `${identityText(name, work)}:${identityText(value.find(name) ?? null, work)}`);
    return `{${entries.sort().join('\u0000')}}`;
  }
  return value instanceof OpaqueValue || value === null || value instanceof ErrorValue ? '' : typeof value;
}

/** The order of two values of one type, or of two numbers; `undefined` when they are not comparable. */
export function compareValues(a: Value, b: Value, work: WorkContext): number | undefined {
  if (isNumeric(a)) return isNumeric(b) ? compareNumbers(a, b) : undefined;
  if (typeof a === 'string') {
    if (typeof b !== 'string') return undefined;
    work.spend(Math.min(a.length, b.length) >> 4);
    return compareBytes(a, b);
  }
  if (typeof a === 'boolean') return typeof b === 'boolean' ? Number(a) - Number(b) : undefined;
  if (a instanceof Timestamp) return b instanceof Timestamp ? compareNumbers(a.nanos, b.nanos) : undefined;
  if (a instanceof Duration) return b instanceof Duration ? compareNumbers(a.nanos, b.nanos) : undefined;
  if (a instanceof Uint8Array) return b instanceof Uint8Array ? Buffer.compare(a, b) : undefined;
  return undefined;
}
