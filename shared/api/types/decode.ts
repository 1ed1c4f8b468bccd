/**
 * Structural decoding: turns a parsed JSON object of a known type into a new canonical object.
 * - Unknown fields are dropped and reported.
 * - Times, quantities and bytes get their canonical spelling.
 * - A null field counts as absent. Zero values of `omitempty` fields are dropped.
 * - Fields that the output always has are filled in.
 *
 * A decoded object therefore equals the parsed text of its own encoding (encode.ts). The values are not validated; the
 * strategies of the kinds do that (apiserver/kinds).
 */
import { neutralSchemaMember } from '../../names/dialect';
import { isObject, setMember, type JsonArray, type JsonObject, type JsonValue } from '../../values/json';
import type { NumberLiterals } from '../../values/number-literals';
import { DecodeContext, MAX_DEPTH, type MemberLocation, type ValueReader } from './decode-context';
import { DecodeError, jsonKindOf } from './decode-error';
import { scalarReader } from './decode-scalars';
import { rejectDifferentSpellings } from './member-spellings';
import { schemaOf } from './tables';
import type { EitherType, FieldSchema, FieldType, Scalar, TypeSchema } from './types';
import { isZeroValue } from './zero-value';

/** The result of {@link decodeObject}. */
export interface DecodedType {
  object: JsonObject;
  /** Paths of unknown fields (`spec.ports[0].foo`) in order of appearance, at most 100. */
  unknown: string[];
}

/**
 * Decodes an object of the type. The result shares nothing with `value` except field sets, which are immutable.
 * `literals` holds the spelling of numbers recorded by the parser. Throws {@link DecodeError}.
 */
export function decodeObject(type: string, value: JsonObject, literals?: NumberLiterals): DecodedType {
  const context = new DecodeContext(literals);
  const object = structReader(type)(value, context, 'root');
  if (context.firstError !== undefined) throw context.firstError;
  return { object, unknown: context.unknown };
}

/** Of the root object, kind and apiVersion belong to the request and are dropped. Those of nested objects are kept. */
type StructPosition = 'root' | 'nested';
type StructReader = (value: JsonObject, context: DecodeContext, position: StructPosition) => JsonObject;

/** How one field is read. */
interface MemberReader {
  /** The canonical name, under which the value is stored. */
  name: string;
  read: ValueReader;
  /** Whether a zero value is dropped, because the output omits it. */
  omitsZero: boolean;
}

/** `omitempty` lists that are kept when they are empty: an empty list has a meaning of its own and prevents defaulting. */
const KEPT_WHEN_EMPTY: ReadonlySet<string> = new Set(['autoscaling.v2.HPAScalingRules/policies']);

const structReaders = new Map<string, StructReader>();

function structReader(type: string): StructReader {
  const known = structReaders.get(type);
  if (known !== undefined) return known;
  // A type may be recursive: while it is compiled, references to it resolve at each call.
  structReaders.set(type, (value, context, position) => structReader(type)(value, context, position));
  const compiled = compileStruct(type);
  structReaders.set(type, compiled);
  return compiled;
}

function compileStruct(type: string): StructReader {
  const schema = schemaOf(type);
  const readers = memberReadersOf(type, schema);
  // The locations of kind and apiVersion, which are not among the fields, for errors.
  const typeMetaOwners: ReadonlyMap<string, MemberLocation> = new Map(
    (schema.hasTypeMeta ? ['kind', 'apiVersion'] : []).map((member) => [member, { struct: schema.goName, member, goType: 'string' }]),
  );
  const filledMembers = schema.fields
    .filter((field) => field.presence === 'always' || field.presence === 'null')
    .map((field) => ({ name: field.name, zero: field.presence === 'null' ? (): null => null : zeroValueOf(field.type) }));
  return (value, context, position) => {
    if (context.depth > MAX_DEPTH) throw new DecodeError('exceeded max depth');
    const object: JsonObject = {};
    for (const member of Object.keys(value)) {
      const reader = readers.get(member);
      const memberValue = value[member] ?? null;
      if (reader === undefined) {
        const typeMetaOwner = typeMetaOwners.get(member);
        if (typeMetaOwner === undefined) context.addUnknown(member);
        else {
          const text = readTypeMetaMember(memberValue, context, typeMetaOwner);
          if (text !== '' && position === 'nested') object[member] = text;
        }
        continue;
      }
      if (memberValue === null) continue;
      const { name } = reader;
      if (name !== member) rejectDifferentSpellings(value, member, name);
      const result = reader.read(memberValue, context, value, member);
      if (result !== undefined && result !== null && !(reader.omitsZero && isZeroValue(result))) object[name] = result;
    }
    for (const { name, zero } of filledMembers) if (object[name] === undefined) object[name] = zero();
    return object;
  };
}

/** The readers of the fields, by each of their spellings (see `neutralSchemaMember`). */
function memberReadersOf(type: string, schema: TypeSchema): ReadonlyMap<string, MemberReader> {
  return new Map(
    schema.fields.flatMap((field) => {
      const reader: MemberReader = {
        name: field.name,
        read: compileField(schema.goName, field),
        omitsZero: field.presence === 'omit' && field.type.kind !== 'map' && !KEPT_WHEN_EMPTY.has(`${type}/${field.name}`),
      };
      const neutral = neutralSchemaMember(field.name);
      return [[field.name, reader] as const, ...(neutral === undefined ? [] : [[neutral, reader] as const])];
    }),
  );
}

/** A kind or apiVersion; empty for null, and for a value of a wrong type, which is recorded. */
function readTypeMetaMember(value: JsonValue, context: DecodeContext, owner: MemberLocation): string {
  if (typeof value === 'string') return value;
  if (value !== null) context.recordMismatch(jsonKindOf(value), owner);
  return '';
}

/** The zero values of scalars, for fields that are always present. */
const ZEROS: Record<Scalar, null | boolean | number | string> = {
  bool: false,
  int32: 0,
  int64: 0,
  uint32: 0,
  float64: 0,
  string: '',
  bytes: null,
  time: null,
  microTime: null,
  duration: '0s',
  quantity: '0',
  intOrString: 0,
  raw: null,
  json: null,
  fields: null,
  strings: null,
};

/** Returns a function that creates the value of an unset field that is always present. */
export function zeroValueOf(type: FieldType): () => JsonValue {
  switch (type.kind) {
    case 'object': {
      const name = type.type;
      return () => structReader(name)({}, new DecodeContext(undefined), 'nested');
    }
    case 'list':
    case 'map':
    case 'either':
      return () => null;
    case 'scalar': {
      const zero = ZEROS[type.scalar];
      return () => zero;
    }
  }
}

/** `struct` is the name of the Go struct that has the field, for errors. */
function compileField(struct: string, field: FieldSchema): ValueReader {
  const owner = { struct, member: field.name, goType: field.goType };
  const { type } = field;
  // The output omits an empty map. `compileMap` checks this itself, because listing the keys of a long map twice is
  // expensive.
  if (type.kind !== 'map') return compileType(type, owner);
  return compileMap(type.element, owner, field.presence === 'omit' ? 'omitted' : 'kept');
}

function compileType(type: FieldType, owner: MemberLocation): ValueReader {
  switch (type.kind) {
    case 'scalar':
      return scalarReader(type.scalar, owner);
    case 'object': {
      const read = structReader(type.type);
      const { member } = owner;
      return (value, context) => {
        if (!isObject(value)) return void context.recordMismatch(jsonKindOf(value), owner);
        context.path.push(member);
        const object = read(value, context, 'nested');
        context.path.pop();
        return object;
      };
    }
    case 'either':
      return compileEither(type, owner);
    case 'list':
      return compileList(type.element, owner);
    case 'map':
      return compileMap(type.element, owner, 'kept');
  }
}

/**
 * The location, for errors, of the items of a list or map: the Go type `[]v1.X` of the owner becomes `v1.X`. A named list
 * or map type (`v1.ResourceList`) does not contain the name of its items.
 */
function itemOwner(owner: MemberLocation, element: FieldType): MemberLocation {
  const stripped = owner.goType.replace(/^(?:\[\]|map\[string\])/, '');
  return { ...owner, goType: stripped !== owner.goType ? stripped : defaultItemName(element) };
}

function defaultItemName(element: FieldType): string {
  if (element.kind === 'scalar') return element.scalar === 'quantity' ? 'resource.Quantity' : element.scalar;
  return element.kind === 'object' || element.kind === 'either' ? element.type.slice(element.type.indexOf('.') + 1) : element.kind;
}

function compileList(element: FieldType, owner: MemberLocation): ValueReader {
  const item = itemOwner(owner, element);
  if (element.kind === 'object') {
    const read = structReader(element.type);
    return (value, context) => {
      if (!Array.isArray(value)) return void context.recordMismatch(jsonKindOf(value), owner);
      const list: JsonArray = [];
      context.path.push(owner.member);
      for (let i = 0; i < value.length; i += 1) {
        const listItem = value[i] ?? {};
        if (!isObject(listItem)) {
          // The error itself adds `owner.member` to the path.
          context.path.pop();
          context.recordMismatch(jsonKindOf(listItem), item);
          context.path.push(owner.member);
          continue;
        }
        context.path.push(i);
        list.push(read(listItem, context, 'nested'));
        context.path.pop();
      }
      context.path.pop();
      return list;
    };
  }
  const read = compileType(element, item);
  const zero = zeroValueOf(element);
  return (value, context) => {
    if (!Array.isArray(value)) return void context.recordMismatch(jsonKindOf(value), owner);
    return value.map((listItem, index) => (listItem === null ? undefined : read(listItem, context, value, index)) ?? zero());
  };
}

function compileMap(element: FieldType, owner: MemberLocation, emptyMaps: 'kept' | 'omitted'): ValueReader {
  const item = itemOwner(owner, element);
  const zero = zeroValueOf(element);
  const read = element.kind === 'object' ? undefined : compileType(element, item);
  const readStruct = element.kind === 'object' ? structReader(element.type) : undefined;
  const emptyValue = element.kind === 'scalar' && element.scalar === 'bytes' ? '' : undefined;
  return (value, context) => {
    if (!isObject(value)) return void context.recordMismatch(jsonKindOf(value), owner);
    const map: JsonObject = {};
    const keys = Object.keys(value);
    if (emptyMaps === 'omitted' && keys.length === 0) return undefined;
    for (const key of keys) {
      const mapValue = value[key] ?? null;
      let result: JsonValue | undefined;
      if (mapValue === null) result = undefined;
      else if (read !== undefined) result = read(mapValue, context, value, key);
      else if (!isObject(mapValue)) context.recordMismatch(jsonKindOf(mapValue), item);
      else if (readStruct !== undefined) {
        // `\0` marks a map key, which errors do not show (see DecodeContext.path).
        context.path.push(owner.member, `\0${key}`);
        result = readStruct(mapValue, context, 'nested');
        context.path.length -= 2;
      }
      setMember(map, key, result ?? emptyValue ?? zero());
    }
    return map;
  };
}

function compileEither(type: EitherType, owner: MemberLocation): ValueReader {
  const read = structReader(type.object);
  const itemType = defaultItemName({ kind: 'object', type: type.object });
  const item = (value: JsonValue, context: DecodeContext): JsonValue => {
    if (type.or === 'strings' && typeof value === 'string') return value;
    if (type.or === 'list' && (isObject(value) || value === null)) return read(value ?? {}, context, 'nested');
    if (value !== null) context.recordMismatch(jsonKindOf(value), { ...owner, goType: type.or === 'strings' ? 'string' : itemType });
    return '';
  };
  return (value, context) => {
    if (isObject(value)) return readSeparately(context, owner, (inner) => read(value, inner, 'nested'));
    if (type.or === 'bool') {
      if (typeof value !== 'boolean') throw new DecodeError('boolean or JSON schema expected');
      return value;
    }
    // Any other value counts as an empty list.
    if (!Array.isArray(value) || value.length === 0) return undefined;
    return readSeparately(context, owner, (inner) => value.map((listItem) => item(listItem, inner)));
  };
}

/**
 * Reads a value as upstream's nested `UnmarshalJSON` does: unknown fields below it are dropped without being reported.
 * Its first error stops the whole decoding, and names only the field that holds the value.
 */
function readSeparately<T>(context: DecodeContext, owner: MemberLocation, read: (inner: DecodeContext) => T): T {
  const inner = new DecodeContext(context.literals, context.depth + 1);
  try {
    const result = read(inner);
    if (inner.firstError === undefined) return result;
    throw inner.firstError;
  } catch (error) {
    if (!(error instanceof DecodeError) || error.mismatch === undefined) throw error;
    throw context.mismatchError(error.mismatch.actual, { ...owner, goType: error.mismatch.goType });
  }
}
