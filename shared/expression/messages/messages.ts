/**
 * The messages that an expression may build, such as `google.protobuf.Int32Value{value: 1}`: the type each has, its fields, and the value that it is. None
 * of them is a value of its own: a wrapper is what it wraps, a `Struct` a map, a `ListValue` a list. Never looks at expressions.
 */
import { BILLION } from '../library/printing';
import { INT_MAX, INT_MIN } from '../syntax/literals';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  STRING,
  TIMESTAMP,
  UINT,
  wrapperOf,
  type PrimitiveType,
  type Type,
} from '../types/type';
import { ArrayList, Duration, EntryMap, Failure, Timestamp, Uint, type Value } from '../values/value';
import type { Native } from './native';

export interface MessageField {
  readonly type: Type;
  /** What its values become. */
  readonly native: Native;
}

export interface Message {
  readonly name: string;
  readonly type: Type;
  readonly fields: ReadonlyMap<string, MessageField>;
  /** The value, of fields that have become what they have to be, in the order in which they are written. */
  make(fields: ReadonlyMap<string, Value>): Value;
}

/** Times that can still be shown: some 250,000 years around 1970. */
const MOST_SECONDS = 8_000_000_000_000n;
const JSON_MAP = mapOf(STRING, DYN);
const JSON_LIST = listOf(DYN);

const fieldsOf = (fields: Readonly<Record<string, readonly [Type, Native]>>): Message['fields'] =>
  new Map(Object.entries(fields).map(([name, [type, native]]) => [name, { type, native }]));

const wrapper = (name: string, of: PrimitiveType, native: Native, zero: Value): Message => ({
  name: `google.protobuf.${name}`,
  type: wrapperOf(of),
  fields: fieldsOf({ value: [of, native] }),
  make: (fields) => fields.get('value') ?? zero,
});

const SECONDS = fieldsOf({ seconds: [INT, 'int64'], nanos: [INT, 'int32'] });

function secondsOf(fields: ReadonlyMap<string, Value>): { readonly seconds: bigint; readonly nanos: bigint } {
  const read = (name: string): bigint => {
    const value = fields.get(name);
    return typeof value === 'bigint' ? value : 0n;
  };
  return { seconds: read('seconds'), nanos: read('nanos') };
}

/** Seconds that are too many are the most there can be, whatever the nanoseconds say. */
function makeDuration(fields: ReadonlyMap<string, Value>): Value {
  const { seconds, nanos } = secondsOf(fields);
  const whole = seconds * BILLION;
  const total = whole < INT_MIN || whole > INT_MAX ? whole : whole + nanos;
  return new Duration(total < INT_MIN ? INT_MIN : total > INT_MAX ? INT_MAX : total);
}

/** The years may be any that can be shown: upstream asks for the years 1 to 9999 only when it calculates. */
function makeTimestamp(fields: ReadonlyMap<string, Value>): Value {
  const { seconds, nanos } = secondsOf(fields);
  if (seconds < -MOST_SECONDS || seconds > MOST_SECONDS) return new Failure('timestamp overflow');
  return new Timestamp(seconds * BILLION + nanos);
}

/** Of the fields one counts: the last. */
function makeValue(fields: ReadonlyMap<string, Value>): Value {
  const [name, value = null] = [...fields].at(-1) ?? ['null_value'];
  return name === 'null_value' ? null : value;
}

/** The only constant of the only enumeration: zero. */
export const NULL_CONSTANT = 'google.protobuf.NullValue.NULL_VALUE';

const ALL: readonly Message[] = [
  wrapper('BoolValue', BOOL, 'bool', false),
  wrapper('BytesValue', BYTES, '[]uint8', new Uint8Array()),
  wrapper('DoubleValue', DOUBLE, 'float64', 0),
  wrapper('FloatValue', DOUBLE, 'float32', 0),
  wrapper('Int32Value', INT, 'int32', 0n),
  wrapper('Int64Value', INT, 'int64', 0n),
  wrapper('StringValue', STRING, 'string', ''),
  wrapper('UInt32Value', UINT, 'uint32', new Uint(0n)),
  wrapper('UInt64Value', UINT, 'uint64', new Uint(0n)),
  { name: 'google.protobuf.Duration', type: DURATION, fields: SECONDS, make: makeDuration },
  { name: 'google.protobuf.Timestamp', type: TIMESTAMP, fields: SECONDS, make: makeTimestamp },
  {
    name: 'google.protobuf.Struct',
    type: JSON_MAP,
    fields: fieldsOf({ fields: [JSON_MAP, 'entries'] }),
    make: (fields) => fields.get('fields') ?? new EntryMap(new Map()),
  },
  {
    name: 'google.protobuf.ListValue',
    type: JSON_LIST,
    fields: fieldsOf({ values: [JSON_LIST, 'items'] }),
    make: (fields) => fields.get('values') ?? new ArrayList([]),
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
    make: makeValue,
  },
];

export const MESSAGES: ReadonlyMap<string, Message> = new Map(ALL.map((message) => [message.name, message]));

/** A name may begin with a dot. */
export const messageNamed = (name: string): Message | undefined => MESSAGES.get(name.startsWith('.') ? name.slice(1) : name);
