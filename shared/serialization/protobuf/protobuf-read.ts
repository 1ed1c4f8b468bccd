/**
 * Decodes protobuf messages to objects in their JSON form, with readers compiled from the type tables. Unknown fields
 * are skipped, as in upstream. Types with a JSON form of their own, such as times and quantities, are read here by the
 * field numbers of upstream's messages; the wire format is left to wire.ts.
 */
import { isObject, setMember, type JsonObject, type JsonValue } from '../../values/json';
import { schemaOf } from '../../api/types/tables';
import { formatMicroTime, formatTime, type TimeType } from '../../values/time/time';
import type { EitherType, FieldSchema, FieldType, Scalar } from '../../api/types/types';
import { parseJson } from '../json/strict-json';
import { ParseError } from '../json/parse-error';
import { MAP_ENTRY, ProtobufError, WIRE_TYPES, type WireReader } from './wire';

/** Adds the fields of a message to the object. */
type MessageReader = (input: WireReader, object: JsonObject) => void;
type ValueReader = (input: WireReader) => JsonValue;

interface FieldReader {
  /** For errors. */
  name: string;
  /** The expected wire type. */
  wire: number;
  /** Reads the value of the field and adds it to the object. */
  read: (input: WireReader, object: JsonObject) => void;
}

const readers = new Map<string, MessageReader>();

/** The reader of a type, which throws ProtobufError and errors of protobufjs (see {@link withProtobufErrors}). */
export function messageReader(type: string): MessageReader {
  const known = readers.get(type);
  if (known !== undefined) return known;
  // For recursive types: a reader that refers to a type that is still being compiled looks it up at each call.
  readers.set(type, (input, object) => messageReader(type)(input, object));
  const compiled = compileMessage(type);
  readers.set(type, compiled);
  return compiled;
}

function compileMessage(type: string): MessageReader {
  const fieldReaders = new Map<number, FieldReader>();
  for (const member of schemaOf(type).members) if (member.number > 0) fieldReaders.set(member.number, compileMember(member));
  return (input, object) => {
    while (input.next()) {
      const field = fieldReaders.get(input.field);
      if (field === undefined) input.skipField();
      else if (field.wire !== input.wire) throw new ProtobufError(`proto: wrong wireType = ${input.wire} for field ${goName(field.name)}`);
      else field.read(input, object);
    }
  };
}

function goName(member: string): string {
  return member.charAt(0).toUpperCase() + member.slice(1);
}

function compileMember({ name, type, inline }: FieldSchema): FieldReader {
  if (inline && type.kind === 'object') return compileInlineMember(type.type);
  if (type.kind === 'list') return compileListMember(name, type.element);
  if (type.kind === 'map') return compileMapMember(name, type.element);
  const { wire, read } = valueReader(type);
  return { name, wire, read: (input, object) => void (object[name] = read(input)) };
}

/** The message of an embedded struct is a field of its own, but its fields are members of the object itself. */
function compileInlineMember(type: string): FieldReader {
  const read = messageReader(type);
  return {
    name: type.slice(type.lastIndexOf('.') + 1),
    wire: WIRE_TYPES.bytes,
    read: (input, object) => read(input.message(), object),
  };
}

/** A list is a field that occurs once for each item. */
function compileListMember(name: string, element: FieldType): FieldReader {
  const { wire, read } = valueReader(element);
  return {
    name,
    wire,
    read: (input, object) => {
      const list = object[name];
      if (Array.isArray(list)) list.push(read(input));
      else object[name] = [read(input)];
    },
  };
}

/** A map is a field that occurs once for each entry. */
function compileMapMember(name: string, element: FieldType): FieldReader {
  const { wire, read, zero } = valueReader(element);
  return {
    name,
    wire: WIRE_TYPES.bytes,
    read: (input, object) => {
      const entry = input.message();
      let key = '';
      let value = zero();
      while (entry.next()) {
        if (entry.field === MAP_ENTRY.key && entry.wire === WIRE_TYPES.bytes) key = entry.string();
        else if (entry.field === MAP_ENTRY.value && entry.wire === wire) value = read(entry);
        else entry.skipField();
      }
      const map = object[name];
      const target = isObject(map) ? map : {};
      object[name] = target;
      setMember(target, key, value);
    },
  };
}

/** The reader of a value that is not a list or map itself. */
function valueReader(type: FieldType): TypedValueReader {
  if (type.kind === 'scalar') return SCALAR_READERS[type.scalar];
  if (type.kind === 'object') {
    const read = messageReader(type.type);
    const readObject: ValueReader = (input) => {
      const object: JsonObject = {};
      read(input.message(), object);
      return object;
    };
    return { wire: WIRE_TYPES.bytes, read: readObject, zero: () => ({}) };
  }
  if (type.kind === 'either') return { wire: WIRE_TYPES.bytes, read: eitherReader(type), zero: () => null };
  throw new Error('protobuf has no lists of lists or maps of maps');
}

/** The object takes precedence when a message has both alternatives. */
function eitherReader({ object, or }: EitherType): ValueReader {
  const read = messageReader(object);
  const readNested = (message: WireReader): JsonObject => {
    const result: JsonObject = {};
    read(message, result);
    return result;
  };
  // A bool comes before its object, all other alternatives after it.
  const objectField = or === 'bool' ? 2 : 1;
  const otherField = or === 'bool' ? 1 : 2;
  return (input) => {
    const message = input.message();
    let result: JsonObject | undefined;
    let flag = false;
    const items: JsonValue[] = [];
    while (message.next()) {
      const isOther = message.field === otherField;
      if (message.field === objectField && message.wire === WIRE_TYPES.bytes) result = readNested(message.message());
      else if (isOther && or === 'bool' && message.wire === WIRE_TYPES.varint) flag = message.bool();
      else if (isOther && or === 'list' && message.wire === WIRE_TYPES.bytes) items.push(readNested(message.message()));
      else if (isOther && or === 'strings' && message.wire === WIRE_TYPES.bytes) items.push(message.string());
      else message.skipField();
    }
    return result ?? (or === 'bool' ? flag : items);
  };
}

/** A field of a small message, which readers refer to by its number in upstream's .proto files. */
interface PlainField {
  wire: number;
  read: (input: WireReader) => number | bigint | string;
}

const int: PlainField = { wire: WIRE_TYPES.varint, read: (input) => input.integer() };
const int32: PlainField = { wire: WIRE_TYPES.varint, read: (input) => input.int32() };
const text: PlainField = { wire: WIRE_TYPES.bytes, read: (input) => input.string() };

/** How the values of a type are read. */
interface TypedValueReader {
  /** The expected wire type. */
  wire: number;
  read: ValueReader;
  /** The value of an entry of a map that has no value field. */
  zero: () => JsonValue;
}

function scalarReader(wire: number, zero: JsonValue, read: ValueReader): TypedValueReader {
  return { wire, read, zero: () => zero };
}

const SCALAR_READERS: Record<Scalar, TypedValueReader> = {
  bool: scalarReader(WIRE_TYPES.varint, false, (input) => input.bool()),
  int32: scalarReader(WIRE_TYPES.varint, 0, (input) => input.int32()),
  int64: scalarReader(WIRE_TYPES.varint, 0, (input) => input.integer()),
  uint32: scalarReader(WIRE_TYPES.varint, 0, (input) => input.uint32()),
  float64: scalarReader(WIRE_TYPES.fixed64, 0, (input) => input.double()),
  string: scalarReader(WIRE_TYPES.bytes, '', (input) => input.string()),
  bytes: scalarReader(WIRE_TYPES.bytes, '', (input) => input.bytes().toString('base64')),
  time: scalarReader(WIRE_TYPES.bytes, null, (input) => readInstant(input.message(), 'Time')),
  microTime: scalarReader(WIRE_TYPES.bytes, null, (input) => readInstant(input.message(), 'MicroTime')),
  // Field 1 has nanoseconds.
  duration: scalarReader(WIRE_TYPES.bytes, '0s', (input) => `${Number(readFields(input.message(), { 1: int }).get(1) ?? 0) / 1e9}s`),
  quantity: scalarReader(WIRE_TYPES.bytes, '0', (input) => readFields(input.message(), { 1: text }).get(1) ?? '0'),
  // Field 1 has the type (1 for a string), field 2 the number, field 3 the string.
  intOrString: scalarReader(WIRE_TYPES.bytes, 0, (input) => {
    const fields = readFields(input.message(), { 1: int, 2: int32, 3: text });
    return fields.get(1) === 1 ? (fields.get(3) ?? '') : (fields.get(2) ?? 0);
  }),
  raw: scalarReader(WIRE_TYPES.bytes, null, readJson),
  json: scalarReader(WIRE_TYPES.bytes, null, readJson),
  fields: scalarReader(WIRE_TYPES.bytes, null, readJson),
  strings: scalarReader(WIRE_TYPES.bytes, [], (input) => {
    const items: string[] = [];
    const message = input.message();
    while (message.next()) {
      if (message.field === 1 && message.wire === WIRE_TYPES.bytes) items.push(message.string());
      else message.skipField();
    }
    return items;
  }),
};

/** The values of a small message by field number; the last occurrence of a field counts. */
function readFields(message: WireReader, known: Record<number, PlainField>): Map<number, number | bigint | string> {
  const values = new Map<number, number | bigint | string>();
  while (message.next()) {
    const field = known[message.field];
    if (field === undefined || field.wire !== message.wire) message.skipField();
    else values.set(message.field, field.read(message));
  }
  return values;
}

/** 0000-01-01T00:00:00Z and 9999-12-31T23:59:59Z, in seconds since 1970: RFC 3339 has four digits for the year. */
const MIN_SECONDS = -62_167_219_200;
const MAX_SECONDS = 253_402_300_799;

/** Seconds since 1970 in field 1, nanoseconds in field 2. An empty message is the zero time, which is null in JSON. */
function readInstant(message: WireReader, type: TimeType): string | null {
  if (message.pos === message.len) return null;
  const fields = readFields(message, { 1: int, 2: int32 });
  const seconds = Number(fields.get(1) ?? 0);
  const nanos = Number(fields.get(2) ?? 0);
  const isInRange = seconds >= MIN_SECONDS && seconds <= MAX_SECONDS && nanos >= 0 && nanos < 1e9;
  if (!isInRange) throw new ProtobufError('proto: time out of range');
  return type === 'MicroTime' ? formatMicroTime({ seconds, nanos }) : formatTime({ seconds, nanos });
}

/** Reads a value that is stored as JSON text in field 1 of a message. */
function readJson(input: WireReader): JsonValue {
  const message = input.message();
  let value: JsonValue = null;
  while (message.next()) {
    if (message.field !== 1 || message.wire !== WIRE_TYPES.bytes) {
      message.skipField();
      continue;
    }
    const bytes = message.bytes();
    try {
      value = bytes.length === 0 ? null : parseJson(bytes).value;
    } catch (error) {
      if (error instanceof ParseError) throw new ProtobufError(error.message);
      throw error;
    }
  }
  return value;
}
