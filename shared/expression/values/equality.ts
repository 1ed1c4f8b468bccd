/**
 * Equality and order of values. Numbers of different types are compared by their numeric value; values of different types are unequal.
 * The two spellings of a name (`kubernetes.io/tls`, `platform.io/tls`) are equal, so that a rule in one spelling applies to both.
 * Comparisons charge the work budget in proportion to the size of the values.
 */
import { isSameName, otherNamespaceOrUser, otherSpelling } from '../../names/spellings';
import { appendToKey } from '../../values/append';
import { compareBytes } from '../../values/json';
import {
  Duration,
  Failure,
  keyOf,
  lengthOf,
  ListValue,
  MapValue,
  OpaqueValue,
  OptionalValue,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from './value';

/**
 * Which texts are compared as names with two spellings: all names of the product (admission and authorization), only system namespaces and their service accounts
 * (claims of tokens), or none (rules of custom kinds, whose values are not names of the product).
 */
export type Spellings = 'names' | 'accounts' | 'none';

export interface Work {
  /** Counts steps and ends the run when there have been too many. */
  spend(steps: number): void;
  readonly spellings: Spellings;
}

const LONG = 1024;
let measured = { text: '', length: 0 };

/** {@link lengthOf}, counted; the last long text is remembered, because loops ask for the same one again and again. */
export function measure(text: string, work: Work): number {
  if (text.length < LONG) return lengthOf(text);
  if (text !== measured.text) {
    work.spend(text.length >> 3);
    measured = { text, length: lengthOf(text) };
  }
  return measured.length;
}

type Numeric = bigint | number | Uint;

export function isNumeric(value: Value): value is Numeric {
  return typeof value === 'bigint' || typeof value === 'number' || value instanceof Uint;
}

/** Less than, equal to or greater than zero; undefined where one is not a number. An integer meets a double as a double, as upstream has it. */
export function compareNumbers(a: Numeric, b: Numeric): number | undefined {
  const x = a instanceof Uint ? a.value : a;
  const y = b instanceof Uint ? b.value : b;
  if (typeof x === 'bigint' && typeof y === 'bigint') return order(x, y);
  return Number.isNaN(x) || Number.isNaN(y) ? undefined : order(Number(x), Number(y));
}

const order = <T extends bigint | number>(x: T, y: T): number => (x < y ? -1 : x > y ? 1 : 0);

export function equal(a: Value, b: Value, work: Work): boolean {
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
    return a.value === undefined || b.value === undefined ? a.value === b.value : equal(a.value, b.value, work);
  }
  return false;
}

function equalLists(a: ListValue, b: ListValue, work: Work): boolean {
  if (a.size !== b.size) return false;
  const { semantics } = a;
  if (semantics !== undefined) return equalUnordered(a, b, semantics.identity, work);
  for (let index = 0; index < a.size; index += 1) {
    if (!equal(a.at(index), b.at(index), work)) return false;
  }
  return true;
}

/** Whether each item of one has an equal one in the other; items are found by the text of their identity. */
function equalUnordered(a: ListValue, b: ListValue, identity: (item: Value) => Value, work: Work): boolean {
  const buckets = new Map<string, Value[]>();
  for (const item of b) appendToKey(buckets, identityText(identity(item), work), item);
  for (const item of a) {
    const bucket = buckets.get(identityText(identity(item), work)) ?? [];
    if (!bucket.some((other) => equal(item, other, work))) return false;
  }
  return true;
}

/** The member of a map under either spelling of the key; `undefined` when there is none. */
export function findMember(map: MapValue, key: Value, work: Work): Value | undefined {
  const found = map.find(key);
  if (found !== undefined || typeof key !== 'string') return found;
  const other = otherText(key, work);
  return other === undefined ? undefined : map.find(other);
}

function isSameText(a: string, b: string, spellings: Spellings): boolean {
  return spellings === 'names' ? isSameName(a, b) : a === b || (spellings === 'accounts' && otherNamespaceOrUser(a) === b);
}

function otherText(text: string, { spellings }: Work): string | undefined {
  switch (spellings) {
    case 'names':
      return otherSpelling(text);
    case 'accounts':
      return otherNamespaceOrUser(text);
    case 'none':
      return undefined;
  }
}

/** Whether the predicate holds for the text or for its other spelling, if it is a name with two. */
export function holdsForEitherSpelling(text: string, work: Work, holds: (text: string) => boolean): boolean {
  if (holds(text)) return true;
  const other = otherText(text, work);
  return other !== undefined && holds(other);
}

function equalMaps(a: MapValue, b: MapValue, work: Work): boolean {
  if (a.size !== b.size) return false;
  for (const key of a.keys()) {
    const left = a.find(key);
    const right = findMember(b, key, work);
    if (left === undefined || right === undefined || !equal(left, right, work)) return false;
  }
  return true;
}

/** A text that equal values share; unequal ones share it only where {@link equal} has to decide. */
export function identityText(value: Value, work: Work): string {
  work.spend(16);
  if (typeof value === 'string') {
    work.spend(value.length >> 4);
    const other = otherText(value, work);
    return `string${other === undefined || value < other ? value : other}`;
  }
  const key = keyOf(value);
  if (key !== undefined) return `${typeof key}${String(key)}`;
  if (value instanceof ListValue) return `[${[...value].map((item) => identityText(item, work)).join('\u0000')}]`;
  if (value instanceof MapValue) {
    const entries = [...value.keys()].map((name) => `${identityText(name, work)}:${identityText(value.find(name) ?? null, work)}`);
    return `{${entries.sort().join('\u0000')}}`;
  }
  return value instanceof OpaqueValue || value === null || value instanceof Failure ? '' : typeof value;
}

/** Order of two values of one type, or of two numbers; undefined where there is none. */
export function compare(a: Value, b: Value, work: Work): number | undefined {
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
