/**
 * Structural decoding: a parsed JSON object of a known type becomes a fresh canonical one. Unknown members are dropped and reported, times,
 * quantities and bytes take their canonical spelling, null counts as absent, members that output omits when zero are dropped when zero, and
 * members that output always has are filled in. So a decoded object equals the parsed text of its own encoding. Judges no values: that is
 * the strategies' work.
 */
import { isObject, setMember, cloneJson, type JsonArray, type JsonObject, type JsonValue, type NumberLiterals } from '../json';
import { Base64Fault, canonicalBase64 } from './base64';
import { DecodeError, kindOf } from './decode-error';
import { canonicalQuantity, QuantityFault } from './quantity';
import { schemaOf } from './tables';
import { canonicalMicroTime, canonicalTime, TimeFault } from './time';
import type { FieldSchema, FieldType, Scalar } from './types';

export interface Decoded {
  object: JsonObject;
  /** Paths of unknown members (`spec.ports[0].foo`) in order of appearance, at most 100. */
  unknown: string[];
}

const MOST_UNKNOWN = 100;
/** Free-form values may be this deep; what walks them later may then do so without a loop of its own. */
const MAX_RAW_DEPTH = 1000;

/** Decodes an object of the type. Shares nothing with `value`. `literals` is what the parser said about the spelling of numbers. */
export function decodeObject(type: string, value: JsonObject, literals?: NumberLiterals): Decoded {
  const context = new Context(literals);
  const object = structReader(type)(value, context, true);
  if (context.firstFault !== undefined) throw new DecodeError(context.firstFault);
  return { object, unknown: context.unknown };
}

/** The first wrong type is reported when all is read; a text that a time, quantity or … refuses stops at once. This is upstream's order. */
class Context {
  readonly unknown: string[] = [];
  /** Members, indexes, and map keys (as `\0key`) from the top to the object being read. */
  readonly path: (string | number)[] = [];
  firstFault: string | undefined;

  constructor(readonly literals: NumberLiterals | undefined) {}

  /** `found` is what the text has (`string`, `number 80.5`). */
  mismatch(found: string, owner: Owner): string {
    const members = this.path.filter((step) => typeof step === 'string' && !step.startsWith('\0'));
    return `json: cannot unmarshal ${found} into Go struct field ${owner.struct}.${[...members, owner.member].join('.')} of type ${owner.goType}`;
  }

  note(found: string, owner: Owner): void {
    this.firstFault ??= this.mismatch(found, owner);
  }

  addUnknown(member: string): void {
    if (this.unknown.length >= MOST_UNKNOWN) return;
    let text = '';
    for (const step of [...this.path, member]) {
      if (typeof step === 'number') text += `[${step}]`;
      else text += `${text === '' ? '' : '.'}${step.startsWith('\0') ? step.slice(1) : step}`;
    }
    this.unknown.push(text);
  }
}

/** Where a value stands, for error texts: the struct that has the member, the member, the wanted type. */
interface Owner {
  struct: string;
  member: string;
  goType: string;
}

/** `undefined` = nothing usable was there. `container` and `key` lead to the spelling of a number. */
type Reader = (value: JsonValue, context: Context, container: JsonObject | JsonArray, key: string | number) => JsonValue | undefined;
type StructReader = (value: JsonObject, context: Context, isTop: boolean) => JsonObject;

interface Slot {
  read: Reader;
  /** Drop a zero value: output would omit it. */
  omitZero: boolean;
}

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
    schema.fields.map((field) => [field.name, { read: compileField(schema.goName, field), omitZero: field.presence === 'omit' }]),
  );
  const fills = schema.fields
    .filter((field) => field.presence === 'always' || field.presence === 'null')
    .map((field) => ({ name: field.name, zero: field.presence === 'null' ? (): null => null : zeroOf(field.type) }));
  const { hasTypeMeta } = schema;
  return (value, context, isTop) => {
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
      const result = slot.read(found, context, value, member);
      if (result !== undefined && result !== null && !(slot.omitZero && isZero(result))) object[member] = result;
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
function zeroOf(type: FieldType): () => JsonValue {
  switch (type.kind) {
    case 'object': {
      const name = type.type;
      return () => structReader(name)({}, new Context(undefined), false);
    }
    case 'list':
    case 'map':
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
  fields: null,
  strings: null,
};

function compileField(struct: string, field: FieldSchema): Reader {
  return compileType(field.type, { struct, member: field.name, goType: field.goType });
}

function compileType(type: FieldType, owner: Owner): Reader {
  switch (type.kind) {
    case 'scalar':
      return compileScalar(type.scalar, owner);
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
    case 'list':
      return compileList(type.of, owner);
    case 'map':
      return compileMap(type.of, owner);
  }
}

/** The Go type of a list's or map's items: `[]v1.X` → `v1.X`; a named type's items go by their own name. */
function itemOwner(owner: Owner, of: FieldType): Owner {
  const stripped = owner.goType.replace(/^(?:\[\]|map\[string\])/, '');
  return { ...owner, goType: stripped !== owner.goType ? stripped : defaultItemName(of) };
}

function defaultItemName(of: FieldType): string {
  if (of.kind === 'scalar') return of.scalar === 'quantity' ? 'resource.Quantity' : of.scalar;
  return of.kind === 'object' ? of.type.slice(of.type.indexOf('.') + 1) : of.kind;
}

function compileList(of: FieldType, owner: Owner): Reader {
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

function compileMap(of: FieldType, owner: Owner): Reader {
  const item = itemOwner(owner, of);
  const zero = zeroOf(of);
  const read = of.kind === 'object' ? undefined : compileType(of, item);
  const readStruct = of.kind === 'object' ? structReader(of.type) : undefined;
  const emptyValue = of.kind === 'scalar' && of.scalar === 'bytes' ? '' : undefined;
  return (value, context) => {
    if (!isObject(value)) return void context.note(kindOf(value), owner);
    const map: JsonObject = {};
    for (const key of Object.keys(value)) {
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

function compileScalar(scalar: Scalar, owner: Owner): Reader {
  switch (scalar) {
    case 'string':
      return (value, context) => (typeof value === 'string' ? value : void context.note(kindOf(value), owner));
    case 'bool':
      return (value, context) => (typeof value === 'boolean' ? value : void context.note(kindOf(value), owner));
    case 'int32':
      return integer(owner, -2_147_483_648n, 2_147_483_647n);
    case 'uint32':
      return integer(owner, 0n, 4_294_967_295n);
    case 'int64':
      return integer(owner, -(1n << 63n), (1n << 63n) - 1n);
    case 'float64':
      return (value, context) => {
        if (typeof value === 'number') return value;
        return typeof value === 'bigint' ? Number(value) : void context.note(kindOf(value), owner);
      };
    case 'bytes':
      return bytesReader(owner);
    case 'time':
      return text(owner, canonicalTime);
    case 'microTime':
      return text(owner, canonicalMicroTime);
    case 'duration':
      return text(owner, (value) => value);
    case 'quantity':
      return (value, context, container, key) => {
        const spelled = typeof value === 'string' ? value : isNumber(value) ? spelling(value, context, container, key) : kindOf(value);
        return refusing(() => canonicalQuantity(spelled));
      };
    case 'intOrString': {
      const read = integer({ ...owner, goType: 'int32' }, -2_147_483_648n, 2_147_483_647n);
      return (value, context, container, key) => {
        if (typeof value === 'string') return value;
        if (isNumber(value)) {
          const before = context.firstFault;
          context.firstFault = undefined;
          const result = read(value, context, container, key);
          if (context.firstFault !== undefined) throw new DecodeError(context.firstFault);
          context.firstFault = before;
          return result;
        }
        throw new DecodeError(context.mismatch(kindOf(value), { ...owner, goType: 'int32' }));
      };
    }
    case 'raw':
    case 'fields':
      return (value) => {
        if (isDeeper(value, MAX_RAW_DEPTH)) throw new DecodeError('exceeded max depth');
        return cloneJson(value);
      };
    case 'strings': {
      const item = { ...owner, goType: 'string' };
      return (value, context) => {
        if (!Array.isArray(value)) return void context.note(kindOf(value), owner);
        return value.map((found) => {
          if (typeof found === 'string') return found;
          if (found !== null) context.note(kindOf(found), item);
          return '';
        });
      };
    }
  }
}

/** Base64, or what upstream also takes: a list of byte values. */
function bytesReader(owner: Owner): Reader {
  const item = integer({ ...owner, goType: 'uint8' }, 0n, 255n);
  return (value, context) => {
    if (Array.isArray(value)) {
      const bytes = value.map((found, index) => (found === null ? 0 : Number(item(found, context, value, index) ?? 0)));
      return Buffer.from(bytes).toString('base64');
    }
    if (typeof value !== 'string') return void context.note(kindOf(value), owner);
    try {
      return canonicalBase64(value);
    } catch (error) {
      if (!(error instanceof Base64Fault)) throw error;
      context.firstFault ??= error.message;
      return undefined;
    }
  };
}

/** A text that a type of its own reads: anything wrong with it stops the decoding at once. */
function text(owner: Owner, canonical: (value: string) => string | null): Reader {
  const wanted = { ...owner, goType: 'string' };
  return (value, context) => {
    if (typeof value !== 'string') throw new DecodeError(context.mismatch(kindOf(value), wanted));
    return refusing(() => canonical(value));
  };
}

function refusing<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof TimeFault || error instanceof QuantityFault) throw new DecodeError(error.message);
    throw error;
  }
}

function integer(owner: Owner, least: bigint, most: bigint): Reader {
  const low = Number(least);
  const high = Number(most);
  return (value, context, container, key) => {
    if (typeof value === 'number') {
      const isExact = Number.isSafeInteger(value) && value >= low && value <= high;
      if (isExact && (context.literals === undefined || context.literals.get(container)?.get(key) === undefined))
        return value === 0 ? 0 : value;
    } else if (typeof value === 'bigint') {
      if (value >= least && value <= most) return Number.isSafeInteger(Number(value)) ? Number(value) : value;
    } else {
      return void context.note(kindOf(value), owner);
    }
    return void context.note(`number ${spelling(value, context, container, key)}`, owner);
  };
}

function isNumber(value: JsonValue): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

function spelling(value: number | bigint, context: Context, container: JsonObject | JsonArray, key: string | number): string {
  return context.literals?.get(container)?.get(key) ?? String(value);
}

/** A loop, because the depth is the client's choice. */
function isDeeper(value: JsonValue, limit: number): boolean {
  let level: JsonValue[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > limit) return true;
    level = level.flatMap((item): JsonValue[] => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
  return false;
}
