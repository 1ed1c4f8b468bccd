/**
 * Structural decoding: a parsed JSON object of a known type becomes a fresh canonical one. Unknown members are dropped and reported, times,
 * quantities and bytes take their canonical spelling, null counts as absent, members that output omits when zero are dropped when zero, and
 * members that output always has are filled in. So a decoded object equals the parsed text of its own encoding. Judges no values: that is
 * the strategies' work.
 */
import { neutralSchemaMember } from '../../names/dialect';
import { isObject, setMember, type JsonArray, type JsonObject, type JsonValue } from '../../values/json';
import type { NumberLiterals } from '../../values/number-literals';
import { Context, MAX_DEPTH, type MemberPlace, type ValueReader } from './decode-context';
import { DecodeError, kindOf } from './decode-error';
import { scalarReader } from './decode-scalars';
import { refuseDifferentSpellings } from './member-spellings';
import { schemaOf } from './tables';
import type { EitherType, FieldSchema, FieldType, Scalar } from './types';

export interface DecodedType {
  object: JsonObject;
  /** Paths of unknown members (`spec.ports[0].foo`) in order of appearance, at most 100. */
  unknown: string[];
}

/** Decodes an object of the type. Shares nothing with `value` but sets of fields, which are never changed. `literals` is what the parser said about the spelling of numbers. */
export function decodeObject(type: string, value: JsonObject, literals?: NumberLiterals): DecodedType {
  const context = new Context(literals);
  const object = structReader(type)(value, context, true);
  if (context.firstFault !== undefined) throw context.firstFault;
  return { object, unknown: context.unknown };
}

type StructReader = (value: JsonObject, context: Context, isTop: boolean) => JsonObject;

interface Slot {
  /** The canonical name, under which the value is stored. */
  name: string;
  read: ValueReader;
  /** Drop a zero value: output would omit it. */
  omitZero: boolean;
}

/** An empty list there says something: no default takes its place. */
const KEPT_EMPTY: ReadonlySet<string> = new Set(['autoscaling.v2.HPAScalingRules/policies']);

const structReaders = new Map<string, StructReader>();

function structReader(type: string): StructReader {
  const known = structReaders.get(type);
  if (known !== undefined) return known;
  // Types may refer to themselves: while one is compiled, what refers to it looks it up at each call.
  structReaders.set(type, (value, context, isTop) => structReader(type)(value, context, isTop));
  const compiled = compileStruct(type);
  structReaders.set(type, compiled);
  return compiled;
}

function compileStruct(type: string): StructReader {
  const schema = schemaOf(type);
  const slots = new Map<string, Slot>(
    schema.fields.flatMap((field) => {
      const slot = {
        name: field.name,
        read: compileField(schema.goName, field),
        omitZero: field.presence === 'omit' && field.type.kind !== 'map' && !KEPT_EMPTY.has(`${type}/${field.name}`),
      };
      const neutral = neutralSchemaMember(field.name);
      return [[field.name, slot] as const, ...(neutral === undefined ? [] : [[neutral, slot] as const])];
    }),
  );
  const fills = schema.fields
    .filter((field) => field.presence === 'always' || field.presence === 'null')
    .map((field) => ({ name: field.name, zero: field.presence === 'null' ? (): null => null : zeroOf(field.type) }));
  const { hasTypeMeta } = schema;
  return (value, context, isTop) => {
    if (context.depth > MAX_DEPTH) throw new DecodeError('exceeded max depth');
    const object: JsonObject = {};
    for (const member of Object.keys(value)) {
      const slot = slots.get(member);
      const found = value[member] ?? null;
      if (slot === undefined) {
        if (!hasTypeMeta || (member !== 'kind' && member !== 'apiVersion')) context.addUnknown(member);
        else if (found !== null && typeof found !== 'string')
          context.note(kindOf(found), { struct: schema.goName, member, goType: 'string' });
        else if (!isTop && found !== null && found !== '') object[member] = found;
        continue;
      }
      if (found === null) continue;
      const { name } = slot;
      if (name !== member) refuseDifferentSpellings(value, member, name);
      const result = slot.read(found, context, value, member);
      if (result !== undefined && result !== null && !(slot.omitZero && isZero(result))) object[name] = result;
    }
    for (const { name, zero } of fills) if (object[name] === undefined) object[name] = zero();
    return object;
  };
}

function isZero(value: JsonValue): boolean {
  if (typeof value !== 'object') return value === '' || value === 0 || value === false;
  if (value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  for (const member in value) if (Object.hasOwn(value, member)) return false;
  return true;
}

/** What output has for an unset member that it always has. */
export function zeroOf(type: FieldType): () => JsonValue {
  switch (type.kind) {
    case 'object': {
      const name = type.type;
      return () => structReader(name)({}, new Context(undefined), false);
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

function compileField(struct: string, field: FieldSchema): ValueReader {
  const owner = { struct, member: field.name, goType: field.goType };
  const { type } = field;
  // Output omits an empty map; a long one costs much to be asked whether it is empty.
  return type.kind === 'map' ? compileMap(type.of, owner, field.presence === 'omit') : compileType(type, owner);
}

function compileType(type: FieldType, owner: MemberPlace): ValueReader {
  switch (type.kind) {
    case 'scalar':
      return scalarReader(type.scalar, owner);
    case 'object': {
      const read = structReader(type.type);
      const { member } = owner;
      return (value, context) => {
        if (!isObject(value)) return void context.note(kindOf(value), owner);
        context.path.push(member);
        const object = read(value, context, false);
        context.path.pop();
        return object;
      };
    }
    case 'either':
      return compileEither(type, owner);
    case 'list':
      return compileList(type.of, owner);
    case 'map':
      return compileMap(type.of, owner, false);
  }
}

/** The Go type of a list's or map's items: `[]v1.X` → `v1.X`; a named type's items go by their own name. */
function itemOwner(owner: MemberPlace, of: FieldType): MemberPlace {
  const stripped = owner.goType.replace(/^(?:\[\]|map\[string\])/, '');
  return { ...owner, goType: stripped !== owner.goType ? stripped : defaultItemName(of) };
}

function defaultItemName(of: FieldType): string {
  if (of.kind === 'scalar') return of.scalar === 'quantity' ? 'resource.Quantity' : of.scalar;
  return of.kind === 'object' || of.kind === 'either' ? of.type.slice(of.type.indexOf('.') + 1) : of.kind;
}

function compileList(of: FieldType, owner: MemberPlace): ValueReader {
  const item = itemOwner(owner, of);
  if (of.kind === 'object') {
    const read = structReader(of.type);
    return (value, context) => {
      if (!Array.isArray(value)) return void context.note(kindOf(value), owner);
      const list: JsonArray = [];
      context.path.push(owner.member);
      for (let i = 0; i < value.length; i += 1) {
        const found = value[i] ?? {};
        if (!isObject(found)) {
          context.path.pop();
          context.note(kindOf(found), item);
          context.path.push(owner.member);
          continue;
        }
        context.path.push(i);
        list.push(read(found, context, false));
        context.path.pop();
      }
      context.path.pop();
      return list;
    };
  }
  const read = compileType(of, item);
  const zero = zeroOf(of);
  return (value, context) => {
    if (!Array.isArray(value)) return void context.note(kindOf(value), owner);
    return value.map((found, index) => (found === null ? undefined : read(found, context, value, index)) ?? zero());
  };
}

function compileMap(of: FieldType, owner: MemberPlace, omitsEmpty: boolean): ValueReader {
  const item = itemOwner(owner, of);
  const zero = zeroOf(of);
  const read = of.kind === 'object' ? undefined : compileType(of, item);
  const readStruct = of.kind === 'object' ? structReader(of.type) : undefined;
  const emptyValue = of.kind === 'scalar' && of.scalar === 'bytes' ? '' : undefined;
  return (value, context) => {
    if (!isObject(value)) return void context.note(kindOf(value), owner);
    const map: JsonObject = {};
    const keys = Object.keys(value);
    if (omitsEmpty && keys.length === 0) return undefined;
    for (const key of keys) {
      const found = value[key] ?? null;
      let result: JsonValue | undefined;
      if (found === null) result = undefined;
      else if (read !== undefined) result = read(found, context, value, key);
      else if (!isObject(found)) context.note(kindOf(found), item);
      else if (readStruct !== undefined) {
        context.path.push(owner.member, `\0${key}`);
        result = readStruct(found, context, false);
        context.path.length -= 2;
      }
      setMember(map, key, result ?? emptyValue ?? zero());
    }
    return map;
  };
}

function compileEither(type: EitherType, owner: MemberPlace): ValueReader {
  const read = structReader(type.object);
  const itemType = defaultItemName({ kind: 'object', type: type.object });
  const item = (value: JsonValue, context: Context): JsonValue => {
    if (type.or === 'strings' && typeof value === 'string') return value;
    if (type.or === 'list' && (isObject(value) || value === null)) return read(value ?? {}, context, false);
    if (value !== null) context.note(kindOf(value), { ...owner, goType: type.or === 'strings' ? 'string' : itemType });
    return '';
  };
  return (value, context) => {
    if (isObject(value)) return apart(context, owner, (inner) => read(value, inner, false));
    if (type.or === 'bool') {
      if (typeof value !== 'boolean') throw new DecodeError('boolean or JSON schema expected');
      return value;
    }
    // Anything else says as little as an empty list.
    if (!Array.isArray(value) || value.length === 0) return undefined;
    return apart(context, owner, (inner) => value.map((found) => item(found, inner)));
  };
}

/**
 * Reads a value as a text of its own: its unknown members are not told, and the first thing wrong in it stops the decoding and is told of the
 * member as a whole.
 */
function apart<T>(context: Context, owner: MemberPlace, read: (inner: Context) => T): T {
  const inner = new Context(context.literals, context.depth + 1);
  try {
    const result = read(inner);
    if (inner.firstFault === undefined) return result;
    throw inner.firstFault;
  } catch (error) {
    if (!(error instanceof DecodeError) || error.mismatch === undefined) throw error;
    throw context.mismatch(error.mismatch.found, { ...owner, goType: error.mismatch.goType });
  }
}
