/**
 * Encodes objects to protobuf messages, with writers compiled from the type tables. The bytes are those of upstream's
 * encoder: fields are in ascending order of their numbers, and map keys are sorted. Plain scalars and structs are always
 * written, pointers, lists and maps only when they are set.
 */
import { isObject, sortedKeys, stringifyJson, type JsonObject, type JsonValue } from '../../values/json';
import { schemaOf } from '../../api/types/tables';
import { canonicalInstant, ZERO_SECONDS } from '../../values/time/time';
import type { EitherType, FieldSchema, FieldType, Scalar } from '../../api/types/types';
import { MAP_ENTRY, WIRE_TYPES, type WireWriter } from './wire';

/** Writes the fields of a message. */
type MessageWriter = (object: JsonObject, out: WireWriter) => void;
/** Writes one member of the object, with its tag; nothing when it is optional and unset. */
type MemberWriter = (object: JsonObject, out: WireWriter) => void;
/** Writes a value after its tag. */
type ValueWriter = (value: JsonValue | undefined, out: WireWriter) => void;

const writers = new Map<string, MessageWriter>();

/** JSON texts of sets of fields that were not parsed, by the entry of managed fields that contains the set. */
export const fieldSetTexts = new WeakMap<JsonObject, string>();

/** Returns the writer of a type, for canonical (decoded) objects. */
export function messageWriter(type: string): MessageWriter {
  const known = writers.get(type);
  if (known !== undefined) return known;
  // For recursive types: a writer that refers to a type that is still being compiled looks it up at each call.
  writers.set(type, (object, out) => messageWriter(type)(object, out));
  const compiled = compileMessage(type);
  writers.set(type, compiled);
  return compiled;
}

function compileMessage(type: string): MessageWriter {
  const members = schemaOf(type)
    .members.filter((member) => member.number > 0)
    .sort((a, b) => a.number - b.number)
    .map(compileMember);
  return (object, out) => {
    for (const member of members) member(object, out);
  };
}

function compileMember(field: FieldSchema): MemberWriter {
  const { name, number, type } = field;
  if (field.inline && type.kind === 'object') return compileInlineMember(number, type.type);
  if (type.kind === 'list') return compileListMember(field, type.element);
  if (type.kind === 'map') return compileMapMember(field, type.element);
  if (type.kind === 'scalar' && type.scalar === 'fields') return compileFieldSetMember(field);
  const { wire, write } = valueWriter(type);
  // The scalars `bytes` and `strings` are slices in Go: nil when they are unset.
  const isOptional =
    field.presence === 'pointer' ||
    field.presence === 'null' ||
    (type.kind === 'scalar' && (type.scalar === 'bytes' || type.scalar === 'strings'));
  return (object, out) => {
    const value = object[name];
    if (isOptional && (value === undefined || value === null)) return;
    write(value, out.field(number, wire));
  };
}

/** The message of an embedded struct is a field of its own, but its fields are members of the object itself. */
function compileInlineMember(number: number, type: string): MemberWriter {
  const write = messageWriter(type);
  return (object, out) => {
    out.field(number, WIRE_TYPES.bytes).message(() => write(object, out));
  };
}

/** A list is a field that occurs once for each item. */
function compileListMember({ name, number }: FieldSchema, element: FieldType): MemberWriter {
  const { wire, write } = valueWriter(element);
  return (object, out) => {
    const list = object[name];
    if (!Array.isArray(list)) return;
    for (const item of list) write(item, out.field(number, wire));
  };
}

/** A map is a field that occurs once for each entry. */
function compileMapMember({ name, number }: FieldSchema, element: FieldType): MemberWriter {
  const { wire, write } = valueWriter(element);
  return (object, out) => {
    const map = object[name];
    if (!isObject(map)) return;
    for (const key of sortedKeys(map)) {
      out.field(number, WIRE_TYPES.bytes).message(() => {
        out.field(MAP_ENTRY.key, WIRE_TYPES.bytes).text(key);
        write(map[key], out.field(MAP_ENTRY.value, wire));
      });
    }
  };
}

/** A set of fields is any JSON value but null, because only the sets of the object's own metadata are validated. */
function compileFieldSetMember({ name, number }: FieldSchema): MemberWriter {
  return (object, out) => {
    const text = fieldSetTexts.get(object);
    if (text !== undefined) writeJsonText(text, out.field(number, WIRE_TYPES.bytes));
    else if (object[name] !== undefined && object[name] !== null) writeJson(object[name], out.field(number, WIRE_TYPES.bytes));
  };
}

function valueWriter(type: FieldType): { wire: number; write: ValueWriter } {
  if (type.kind === 'scalar') return { wire: WIRES[type.scalar], write: SCALAR_WRITERS[type.scalar] };
  if (type.kind === 'object') {
    const write = messageWriter(type.type);
    return { wire: WIRE_TYPES.bytes, write: (value, out) => out.message(() => write(isObject(value) ? value : {}, out)) };
  }
  if (type.kind === 'either') return { wire: WIRE_TYPES.bytes, write: eitherWriter(type) };
  throw new Error('protobuf has no lists of lists or maps of maps');
}

/**
 * Field 1 has a bool and field 2 its object; all other alternatives follow their object, which has field 1. With an
 * object (a schema) in place of a boolean, upstream writes the boolean `true` as well.
 */
function eitherWriter({ object, or }: EitherType): ValueWriter {
  const write = messageWriter(object);
  const writeNested = (value: JsonObject, number: number, out: WireWriter): void => {
    out.field(number, WIRE_TYPES.bytes).message(() => write(value, out));
  };
  return (value, out) =>
    out.message(() => {
      if (or === 'bool') out.field(1, WIRE_TYPES.varint).bool(value === true || isObject(value));
      if (isObject(value)) writeNested(value, or === 'bool' ? 2 : 1, out);
      else if (Array.isArray(value))
        for (const item of value) {
          if (or === 'list') writeNested(isObject(item) ? item : {}, 2, out);
          else writeText(item, out.field(2, WIRE_TYPES.bytes));
        }
    });
}

const WIRES: Record<Scalar, number> = {
  bool: WIRE_TYPES.varint,
  int32: WIRE_TYPES.varint,
  int64: WIRE_TYPES.varint,
  uint32: WIRE_TYPES.varint,
  float64: WIRE_TYPES.fixed64,
  string: WIRE_TYPES.bytes,
  bytes: WIRE_TYPES.bytes,
  time: WIRE_TYPES.bytes,
  microTime: WIRE_TYPES.bytes,
  duration: WIRE_TYPES.bytes,
  quantity: WIRE_TYPES.bytes,
  intOrString: WIRE_TYPES.bytes,
  raw: WIRE_TYPES.bytes,
  json: WIRE_TYPES.bytes,
  fields: WIRE_TYPES.bytes,
  strings: WIRE_TYPES.bytes,
};

const writeInteger: ValueWriter = (value, out) => out.integer(typeof value === 'number' || typeof value === 'bigint' ? value : 0);
const writeText: ValueWriter = (value, out) => out.text(typeof value === 'string' ? value : '');

const SCALAR_WRITERS: Record<Scalar, ValueWriter> = {
  bool: (value, out) => out.bool(value === true),
  int32: writeInteger,
  int64: writeInteger,
  uint32: writeInteger,
  float64: (value, out) => out.double(typeof value === 'number' ? value : 0),
  string: writeText,
  bytes: (value, out) => out.bytes(Buffer.from(typeof value === 'string' ? value : '', 'base64')),
  time: writeInstant,
  microTime: writeInstant,
  duration: (value, out) =>
    out.message(() => out.field(1, WIRE_TYPES.varint).integer(durationNanos(typeof value === 'string' ? value : '0s'))),
  quantity: (value, out) => out.message(() => out.field(1, WIRE_TYPES.bytes).text(typeof value === 'string' ? value : '0')),
  // Field 1 has the type (1 for a string), field 2 the number, field 3 the string.
  intOrString: (value, out) =>
    out.message(() => {
      out.field(1, WIRE_TYPES.varint).integer(typeof value === 'string' ? 1 : 0);
      out.field(2, WIRE_TYPES.varint).integer(typeof value === 'number' ? value : 0);
      out.field(3, WIRE_TYPES.bytes).text(typeof value === 'string' ? value : '');
    }),
  raw: writeJson,
  json: (value, out) => writeJson(value, out, 'sorted'),
  fields: writeJson,
  strings: (value, out) =>
    out.message(() => {
      if (Array.isArray(value)) for (const item of value) writeText(item, out.field(1, WIRE_TYPES.bytes));
    }),
};

/** Seconds and nanoseconds since 1970; the zero time is an empty message. */
function writeInstant(value: JsonValue | undefined, out: WireWriter): void {
  out.message(() => {
    if (typeof value !== 'string') return;
    const { seconds, nanos } = canonicalInstant(value);
    if (seconds === ZERO_SECONDS && nanos === 0) return;
    out.field(1, WIRE_TYPES.varint).integer(seconds);
    out.field(2, WIRE_TYPES.varint).integer(nanos);
  });
}

/** Stores the value as JSON text in field 1 of a message. */
function writeJson(value: JsonValue | undefined, out: WireWriter, order?: 'sorted'): void {
  writeJsonText(value === undefined || value === null ? undefined : stringifyJson(value, order), out);
}

/** Stores JSON text in field 1 of a message, which is empty without a text. */
function writeJsonText(text: string | undefined, out: WireWriter): void {
  out.message(() => {
    if (text !== undefined) out.field(1, WIRE_TYPES.bytes).text(text);
  });
}

const UNIT_NANOS: Record<string, number> = { ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9, m: 6e10, h: 3.6e12 };

/** An amount with its unit: `1.5` and `m` of `-1.5m`. */
const DURATION_PART = /(?<!\d)(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g;

/** Nanoseconds of a duration such as `1m30s`, which the decoder has checked. */
function durationNanos(text: string): bigint {
  let nanos = 0;
  for (const [, amount = '0', unit = 's'] of text.matchAll(DURATION_PART)) nanos += Number(amount) * (UNIT_NANOS[unit] ?? 0);
  return BigInt(Math.round(text.startsWith('-') ? -nanos : nanos));
}
