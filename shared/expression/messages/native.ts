/**
 * What a value becomes as the field of a message: numbers in the bits the field has, whatever stands in a `Struct` as JSON has it. Upstream's texts tell
 * which values do not fit. Everything that is gone through is counted as work.
 */
import { capitalize } from '../../values/capitalize';
import { printDuration, printTimestamp } from '../library/printing';
import type { Work } from '../values/equality';
import {
  ArrayList,
  Duration,
  EntryMap,
  Failure,
  ListValue,
  MapValue,
  OpaqueValue,
  OptionalValue,
  Timestamp,
  typeName,
  TypeValue,
  Uint,
  type MapKey,
  type Value,
} from '../values/value';

/** As upstream's texts spell them; entries and items are those of a `Struct` and of a `ListValue`. */
export type Native =
  | 'bool'
  | 'float32'
  | 'float64'
  | 'int32'
  | 'int64'
  | 'protoreflect.EnumNumber'
  | 'string'
  | 'uint8'
  | 'uint32'
  | 'uint64'
  | '[]uint8'
  | '*structpb.Struct'
  | '*structpb.ListValue'
  | 'entries'
  | 'items';

const OVERFLOW = new Failure('integer overflow');
const UNSIGNED_OVERFLOW = new Failure('unsigned integer overflow');
const NOTHING = new Failure('optional.none() dereference');
/** Integers that a double holds exactly; larger ones are texts in JSON. */
const MOST_EXACT = BigInt(Number.MAX_SAFE_INTEGER);

/** Undefined where the value is of no type that fits. */
type Fit = (value: Value, work: Work) => Value | undefined;

const signed =
  (bits: number): Fit =>
  (value) =>
    typeof value !== 'bigint' ? undefined : value === BigInt.asIntN(bits, value) ? value : OVERFLOW;
const unsigned =
  (bits: number): Fit =>
  (value) =>
    !(value instanceof Uint) ? undefined : value.value === BigInt.asUintN(bits, value.value) ? value : UNSIGNED_OVERFLOW;

const FITS: Readonly<Record<Native, Fit>> = {
  bool: (value) => (typeof value === 'boolean' ? value : undefined),
  float32: (value) => (typeof value === 'number' ? Math.fround(value) : undefined),
  float64: (value) => (typeof value === 'number' ? value : undefined),
  int32: signed(32),
  int64: signed(64),
  'protoreflect.EnumNumber': signed(32),
  string: (value) => (typeof value === 'string' ? value : value instanceof OpaqueValue ? value.print() : undefined),
  uint8: unsigned(8),
  uint32: unsigned(32),
  uint64: unsigned(64),
  '[]uint8': (value, work) => (value instanceof Uint8Array ? value : value instanceof ListValue ? bytesOf(value, work) : undefined),
  '*structpb.Struct': (value, work) => (value instanceof MapValue ? jsonMap(value, work) : undefined),
  '*structpb.ListValue': (value, work) =>
    value instanceof ListValue ? jsonList(value, work) : value instanceof MapValue ? listOfNoFields(value) : undefined,
  entries: (value, work) => (value instanceof MapValue ? jsonMap(value, work) : undefined),
  items: (value, work) => (value instanceof ListValue ? jsonList(value, work) : undefined),
};

/** A field of a message; a failure says which. */
export function fieldValue(value: Value, native: Native, field: string, work: Work): Value {
  if (native === 'entries' ? !(value instanceof MapValue) : native === 'items' && !(value instanceof ListValue)) {
    return new Failure(`unsupported field type for ${field}: ${spelled(value)}`);
  }
  const found = toNative(value, native, work);
  return found instanceof Failure ? new Failure(`field type conversion error for ${field} value type: ${found.message}`) : found;
}

/** Lists and maps are told without what is in them. */
const spelled = (value: Value): string => (value instanceof ListValue ? 'list()' : value instanceof MapValue ? 'map(, )' : typeName(value));

function toNative(value: Value, native: Native, work: Work): Value {
  work.spend(1);
  if (value instanceof OptionalValue) return value.value === undefined ? NOTHING : toNative(value.value, native, work);
  return FITS[native](value, work) ?? misfit(value, native);
}

function misfit(value: Value, native: string): Failure {
  if (typeof value === 'bigint' || value instanceof Uint)
    return new Failure(`unsupported type conversion from '${typeName(value)}' to ${native}`);
  if (typeof value === 'string') return new Failure(`unsupported native conversion from string to '${native}'`);
  if (value instanceof TypeValue) return new Failure("type conversion not supported for 'type'");
  return new Failure(`type conversion error from ${origin(value)} to '${native}'`);
}

function origin(value: Value): string {
  if (typeof value === 'number') return 'Double';
  if (value instanceof Uint8Array) return 'Bytes';
  if (typeof value === 'boolean' || value instanceof ListValue) return typeName(value);
  return value instanceof MapValue ? 'map' : `'${typeName(value).split('.').at(-1) ?? ''}'`;
}

function bytesOf(list: ListValue, work: Work): Value {
  const bytes: number[] = [];
  for (const item of list) {
    const byte = toNative(item, 'uint8', work);
    if (byte instanceof Failure) return byte;
    bytes.push(byte instanceof Uint ? Number(byte.value) : 0);
  }
  return new Uint8Array(bytes);
}

/** Upstream takes a map for the fields of the list itself, of which none has a name that a map could have. */
function listOfNoFields(map: MapValue): Value {
  for (const key of map.keys()) {
    const name = typeof key === 'string' ? capitalize(key) : key instanceof Uint ? key.value : key;
    const text = typeof name === 'string' || typeof name === 'bigint' ? String(name) : typeName(key);
    return new Failure(`type conversion error, no such field '${text}' in type 'structpb.ListValue'`);
  }
  return new ArrayList([]);
}

function jsonMap(map: MapValue, work: Work): Value {
  const made = new Map<MapKey, readonly [Value, Value]>();
  for (const key of map.keys()) {
    const name = toNative(key, 'string', work);
    if (typeof name !== 'string') return name;
    const value = toJson(map.find(key) ?? null, work);
    if (value instanceof Failure) return value;
    made.set(name, [name, value]);
  }
  return new EntryMap(made);
}

function jsonList(list: ListValue, work: Work): Value {
  const made: Value[] = [];
  for (const item of list) {
    const value = toJson(item, work);
    if (value instanceof Failure) return value;
    made.push(value);
  }
  return new ArrayList(made);
}

const jsonInteger = (value: bigint): Value => (value < -MOST_EXACT || value > MOST_EXACT ? String(value) : Number(value));

function toJson(value: Value, work: Work): Value {
  work.spend(1);
  if (value === null || typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string') return value;
  if (typeof value === 'bigint') return jsonInteger(value);
  if (value instanceof Uint) return jsonInteger(value.value);
  if (value instanceof ListValue) return jsonList(value, work);
  if (value instanceof MapValue) return jsonMap(value, work);
  if (value instanceof Duration) return printDuration(value);
  if (value instanceof Timestamp) return printTimestamp(value);
  if (value instanceof OptionalValue) return value.value === undefined ? NOTHING : toJson(value.value, work);
  if (value instanceof Uint8Array) {
    work.spend(value.length >> 3);
    return Buffer.from(value).toString('base64');
  }
  return value instanceof OpaqueValue || value instanceof TypeValue ? misfit(value, '*structpb.Value') : value;
}
