/**
 * Converts values to the Go types of the fields of protobuf messages: numbers with a check of their range, values in a
 * `Struct` to JSON. Errors have upstream's messages. Spends work for everything that is traversed.
 */
import { capitalize } from '../../values/text/capitalize';
import { printDuration, printTimestamp } from '../library/printing';
import type { WorkContext } from '../values/equality';
import {
  ArrayList,
  Duration,
  EntryMap,
  ErrorValue,
  ListValue,
  MapValue,
  OpaqueValue,
  OptionalValue,
  Timestamp,
  valueTypeName,
  TypeValue,
  Uint,
  type MapKey,
  type Value,
} from '../values/value';

/**
 * The Go types of fields, as upstream's error messages name them. Two names are our own, since no message names their
 * types: `entries`, the field `fields` of a `Struct`, and `items`, the field `values` of a `ListValue`.
 */
export type NativeType =
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

const OVERFLOW = new ErrorValue('integer overflow');
const UNSIGNED_OVERFLOW = new ErrorValue('unsigned integer overflow');
const NONE_DEREFERENCE = new ErrorValue('optional.none() dereference');
/** A larger integer, which a double may not represent exactly, becomes a string in JSON. */
const MAX_EXACT = BigInt(Number.MAX_SAFE_INTEGER);

/** Returns the converted value or an error; `undefined` for a value of an unsupported type. */
type NativeConversion = (value: Value, work: WorkContext) => Value | undefined;

const signed =
  (bits: number): NativeConversion =>
  (value) => {
    if (typeof value !== 'bigint') return undefined;
    return value === BigInt.asIntN(bits, value) ? value : OVERFLOW;
  };
const unsigned =
  (bits: number): NativeConversion =>
  (value) => {
    if (!(value instanceof Uint)) return undefined;
    return value.value === BigInt.asUintN(bits, value.value) ? value : UNSIGNED_OVERFLOW;
  };

const NATIVE_CONVERSIONS: Readonly<Record<NativeType, NativeConversion>> = {
  bool: (value) => (typeof value === 'boolean' ? value : undefined),
  float32: (value) => (typeof value === 'number' ? Math.fround(value) : undefined),
  float64: (value) => (typeof value === 'number' ? value : undefined),
  int32: signed(32),
  int64: signed(64),
  'protoreflect.EnumNumber': signed(32),
  string: toNativeString,
  uint8: unsigned(8),
  uint32: unsigned(32),
  uint64: unsigned(64),
  '[]uint8': toNativeBytes,
  '*structpb.Struct': (value, work) => (value instanceof MapValue ? jsonMap(value, work) : undefined),
  '*structpb.ListValue': (value, work) => (value instanceof MapValue ? emptyListFromMap(value) : toJsonList(value, work)),
  entries: (value, work) => (value instanceof MapValue ? jsonMap(value, work) : undefined),
  items: toJsonList,
};

function toNativeString(value: Value): string | undefined {
  if (typeof value === 'string') return value;
  return value instanceof OpaqueValue ? value.print() : undefined;
}

function toNativeBytes(value: Value, work: WorkContext): Value | undefined {
  if (value instanceof Uint8Array) return value;
  return value instanceof ListValue ? bytesOf(value, work) : undefined;
}

function toJsonList(value: Value, work: WorkContext): Value | undefined {
  return value instanceof ListValue ? jsonList(value, work) : undefined;
}

/**
 * Converts the value of a field, or returns an error that names the field. `field` is its qualified name:
 * `google.protobuf.Struct.fields`.
 */
export function toFieldValue(value: Value, native: NativeType, field: string, work: WorkContext): Value {
  if ((native === 'entries' && !(value instanceof MapValue)) || (native === 'items' && !(value instanceof ListValue))) {
    return new ErrorValue(`unsupported field type for ${field}: ${displayType(value)}`);
  }
  const converted = toNative(value, native, work);
  return converted instanceof ErrorValue
    ? new ErrorValue(`field type conversion error for ${field} value type: ${converted.message}`)
    : converted;
}

/** The type of a value in messages, without the type parameters of lists and maps. */
function displayType(value: Value): string {
  if (value instanceof ListValue) return 'list()';
  return value instanceof MapValue ? 'map(, )' : valueTypeName(value);
}

function toNative(value: Value, native: NativeType, work: WorkContext): Value {
  work.spend(1);
  if (value instanceof OptionalValue) return value.value === undefined ? NONE_DEREFERENCE : toNative(value.value, native, work);
  return NATIVE_CONVERSIONS[native](value, work) ?? conversionError(value, native);
}

/** The error of a value that cannot be converted to the type. cel-go's text depends on the type of the value. */
function conversionError(value: Value, native: string): ErrorValue {
  if (typeof value === 'bigint' || value instanceof Uint)
    return new ErrorValue(`unsupported type conversion from '${valueTypeName(value)}' to ${native}`);
  if (typeof value === 'string') return new ErrorValue(`unsupported native conversion from string to '${native}'`);
  if (value instanceof TypeValue) return new ErrorValue("type conversion not supported for 'type'");
  return new ErrorValue(`type conversion error from ${sourceTypeName(value)} to '${native}'`);
}

/** The type of a value in {@link conversionError}, where cel-go mixes Go's names with CEL's. */
function sourceTypeName(value: Value): string {
  if (typeof value === 'number') return 'Double';
  if (value instanceof Uint8Array) return 'Bytes';
  if (typeof value === 'boolean' || value instanceof ListValue) return valueTypeName(value);
  return value instanceof MapValue ? 'map' : `'${valueTypeName(value).split('.').at(-1) ?? ''}'`;
}

function bytesOf(list: ListValue, work: WorkContext): Value {
  const bytes: number[] = [];
  for (const item of list) {
    const byte = toNative(item, 'uint8', work);
    if (byte instanceof ErrorValue) return byte;
    bytes.push(byte instanceof Uint ? Number(byte.value) : 0);
  }
  return new Uint8Array(bytes);
}

/** Upstream interprets the map as fields of the ListValue struct, which has none with the name of a map key. */
function emptyListFromMap(map: MapValue): Value {
  for (const key of map.keys()) {
    return new ErrorValue(`type conversion error, no such field '${fieldNameOf(key)}' in type 'structpb.ListValue'`);
  }
  return new ArrayList([]);
}

function fieldNameOf(key: Value): string {
  if (typeof key === 'string') return capitalize(key);
  if (key instanceof Uint) return String(key.value);
  return typeof key === 'bigint' ? String(key) : valueTypeName(key);
}

function jsonMap(map: MapValue, work: WorkContext): Value {
  const converted = new Map<MapKey, readonly [Value, Value]>();
  for (const key of map.keys()) {
    const name = toNative(key, 'string', work);
    if (typeof name !== 'string') return name;
    const value = toJson(map.find(key) ?? null, work);
    if (value instanceof ErrorValue) return value;
    converted.set(name, [name, value]);
  }
  return new EntryMap(converted);
}

function jsonList(list: ListValue, work: WorkContext): Value {
  const converted: Value[] = [];
  for (const item of list) {
    const value = toJson(item, work);
    if (value instanceof ErrorValue) return value;
    converted.push(value);
  }
  return new ArrayList(converted);
}

const jsonInteger = (value: bigint): Value => (value < -MAX_EXACT || value > MAX_EXACT ? String(value) : Number(value));

/** The JSON of a value, as a CEL value. */
function toJson(value: Value, work: WorkContext): Value {
  work.spend(1);
  if (value === null || typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string') return value;
  if (typeof value === 'bigint') return jsonInteger(value);
  if (value instanceof Uint) return jsonInteger(value.value);
  if (value instanceof ListValue) return jsonList(value, work);
  if (value instanceof MapValue) return jsonMap(value, work);
  if (value instanceof Duration) return printDuration(value);
  if (value instanceof Timestamp) return printTimestamp(value);
  if (value instanceof OptionalValue) return value.value === undefined ? NONE_DEREFERENCE : toJson(value.value, work);
  if (value instanceof Uint8Array) {
    work.spend(value.length >> 3);
    return Buffer.from(value).toString('base64');
  }
  return value instanceof OpaqueValue || value instanceof TypeValue ? conversionError(value, '*structpb.Value') : value;
}
