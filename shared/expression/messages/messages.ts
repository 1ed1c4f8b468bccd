/**
 * The protobuf messages that an expression may construct, such as `google.protobuf.Int32Value{value: 1}`: their types,
 * fields and resulting values. A constructed message is an ordinary CEL value: of a wrapper the wrapped value, of a
 * `Struct` a map, of a `ListValue` a list.
 */
import { NANOS_PER_SECOND } from '../library/printing';
import { INT_MAX, INT_MIN } from '../syntax/literals';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listTypeOf,
  mapTypeOf,
  STRING,
  TIMESTAMP,
  UINT,
  wrapperTypeOf,
  type PrimitiveType,
  type Type,
} from '../types/type';
import { ArrayList, Duration, EntryMap, ErrorValue, Timestamp, Uint, type Value } from '../values/value';
import type { NativeType } from './native';

/** A field of a message. */
export interface MessageField {
  readonly type: Type;
  /** The Go type to which the value of the field is converted (native.ts). */
  readonly native: NativeType;
}

/** A message that expressions may construct. */
export interface Message {
  readonly name: string;
  readonly type: Type;
  readonly fields: ReadonlyMap<string, MessageField>;
  /** Creates the value from the fields that are set, converted to their native types, in the order of the expression. */
  create(fields: ReadonlyMap<string, Value>): Value;
}

/** Largest distance from 1970 of a timestamp that can be printed: about 250,000 years. */
const MAX_SECONDS = 8_000_000_000_000n;
const JSON_MAP = mapTypeOf(STRING, DYN);
const JSON_LIST = listTypeOf(DYN);

const fieldsOf = (fields: Readonly<Record<string, readonly [Type, NativeType]>>): Message['fields'] =>
  new Map(Object.entries(fields).map(([name, [type, native]]) => [name, { type, native }]));

/** `zero` is the value of a wrapper in which `value` is not set. */
const wrapperMessage = (name: string, wrapped: PrimitiveType, native: NativeType, zero: Value): Message => ({
  name: `google.protobuf.${name}`,
  type: wrapperTypeOf(wrapped),
  fields: fieldsOf({ value: [wrapped, native] }),
  create: (fields) => fields.get('value') ?? zero,
});

const SECONDS = fieldsOf({ seconds: [INT, 'int64'], nanos: [INT, 'int32'] });

function secondsOf(fields: ReadonlyMap<string, Value>): { readonly seconds: bigint; readonly nanos: bigint } {
  const read = (name: string): bigint => {
    const value = fields.get(name);
    return typeof value === 'bigint' ? value : 0n;
  };
  return { seconds: read('seconds'), nanos: read('nanos') };
}

/** Seconds out of range are clamped, regardless of the nanoseconds. */
function makeDuration(fields: ReadonlyMap<string, Value>): Value {
  const { seconds, nanos } = secondsOf(fields);
  const whole = seconds * NANOS_PER_SECOND;
  const total = whole < INT_MIN || whole > INT_MAX ? whole : whole + nanos;
  if (total < INT_MIN) return new Duration(INT_MIN);
  return new Duration(total > INT_MAX ? INT_MAX : total);
}

/** Permits any year that can be formatted: upstream enforces the years 1 to 9999 only in calculations. */
function makeTimestamp(fields: ReadonlyMap<string, Value>): Value {
  const { seconds, nanos } = secondsOf(fields);
  if (seconds < -MAX_SECONDS || seconds > MAX_SECONDS) return new ErrorValue('timestamp overflow');
  return new Timestamp(seconds * NANOS_PER_SECOND + nanos);
}

/** The fields are alternatives (a oneof): the last one that is set determines the value. */
function makeValue(fields: ReadonlyMap<string, Value>): Value {
  const [name, value = null] = [...fields].at(-1) ?? ['null_value'];
  return name === 'null_value' ? null : value;
}

/** The only enum constant that expressions can name. Its value is zero. */
export const NULL_CONSTANT = 'google.protobuf.NullValue.NULL_VALUE';

const MESSAGE_LIST: readonly Message[] = [
  wrapperMessage('BoolValue', BOOL, 'bool', false),
  wrapperMessage('BytesValue', BYTES, '[]uint8', new Uint8Array()),
  wrapperMessage('DoubleValue', DOUBLE, 'float64', 0),
  wrapperMessage('FloatValue', DOUBLE, 'float32', 0),
  wrapperMessage('Int32Value', INT, 'int32', 0n),
  wrapperMessage('Int64Value', INT, 'int64', 0n),
  wrapperMessage('StringValue', STRING, 'string', ''),
  wrapperMessage('UInt32Value', UINT, 'uint32', new Uint(0n)),
  wrapperMessage('UInt64Value', UINT, 'uint64', new Uint(0n)),
  { name: 'google.protobuf.Duration', type: DURATION, fields: SECONDS, create: makeDuration },
  { name: 'google.protobuf.Timestamp', type: TIMESTAMP, fields: SECONDS, create: makeTimestamp },
  {
    name: 'google.protobuf.Struct',
    type: JSON_MAP,
    fields: fieldsOf({ fields: [JSON_MAP, 'entries'] }),
    create: (fields) => fields.get('fields') ?? new EntryMap(new Map()),
  },
  {
    name: 'google.protobuf.ListValue',
    type: JSON_LIST,
    fields: fieldsOf({ values: [JSON_LIST, 'items'] }),
    create: (fields) => fields.get('values') ?? new ArrayList([]),
  },
  {
    name: 'google.protobuf.Value',
    type: DYN,
    fields: fieldsOf({
      null_value: [INT, 'protoreflect.EnumNumber'],
      number_value: [DOUBLE, 'float64'],
      string_value: [STRING, 'string'],
      bool_value: [BOOL, 'bool'],
      struct_value: [JSON_MAP, '*structpb.Struct'],
      list_value: [JSON_LIST, '*structpb.ListValue'],
    }),
    create: makeValue,
  },
];

/** The messages by qualified name. */
export const MESSAGES: ReadonlyMap<string, Message> = new Map(MESSAGE_LIST.map((message) => [message.name, message]));

/** The message of a qualified name, which may have a leading dot; `undefined` when there is none. */
export const findMessage = (name: string): Message | undefined => MESSAGES.get(name.startsWith('.') ? name.slice(1) : name);
