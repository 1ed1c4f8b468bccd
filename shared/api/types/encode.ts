/**
 * The canonical JSON of an object: upstream's member order, map keys sorted by bytes, members present or omitted as the tables say, strings
 * escaped as upstream escapes them. What is stored and answered is exactly this text. Unknown members are not written.
 */
import {
  compareBytes,
  isObject,
  stringifyJsonNumber,
  stringifyJsonString,
  stringifyJson,
  type JsonObject,
  type JsonValue,
} from '../../values/json';
import type { Steps } from '../../scheduling/steps';
import { schemaOf } from './tables';
import type { EitherType, FieldSchema, FieldType, Scalar } from './types';

/** What an empty list is that output always has: storage does not tell it from none, whoever looks at an object that has just been sent does. */
type EmptyLists = 'null' | 'kept';

/** `{"metadata":{…},…}`: without kind and apiVersion, which depend on the version and dialect that is served. */
export function encodeBody(type: string, object: JsonObject, lists: EmptyLists = 'null'): string {
  return `{${structWriter(type, lists)(object)}}`;
}

/** The same in steps. */
export function encodingBody(type: string, object: JsonObject): Steps<string> {
  return inPieces(() => encodeBody(type, object));
}

/** Stands in a text for what is written later; no JSON text holds it. */
const LATER = '\0';
/** Longer lists and maps are written later where that is asked for, in pieces of as many items. */
const WIDE = 2048;

/** What is written later, in the order of the places that it leaves; undefined = everything is written at once. */
let later: Steps<string>[] | undefined;

function* inPieces(write: () => string): Steps<string> {
  const before = later;
  const long: Steps<string>[] = [];
  later = long;
  let text: string;
  try {
    text = write();
  } finally {
    later = before;
  }
  if (long.length === 0) return text;
  const around = text.split(LATER);
  let whole = around[0] ?? '';
  for (const [index, writing] of long.entries()) {
    yield;
    whole += yield* writing;
    whole += around[index + 1] ?? '';
  }
  return whole;
}

/** The items' texts with commas between them. A text of very many parts costs more memory than it is long until it is looked into, so it is put together in pieces. */
function joinedItems<T>(items: readonly T[], write: (item: T) => string): string {
  if (items.length > WIDE && later !== undefined) {
    later.push(longText(items, write));
    return LATER;
  }
  let whole = '';
  for (let start = 0; start < items.length; start += PIECE) {
    whole += `${start === 0 ? '' : ','}${items
      .slice(start, start + PIECE)
      .map(write)
      .join(',')}`;
  }
  return whole;
}

const PIECE = 256;

function* longText<T>(items: readonly T[], write: (item: T) => string): Steps<string> {
  let whole = '';
  for (let start = 0; start < items.length; start += WIDE) {
    if (start > 0) {
      yield;
      whole += ',';
    }
    whole += yield* inPieces(() => joinedItems(items.slice(start, start + WIDE), write));
  }
  return whole;
}

/** The members' text without the braces. */
type StructWriter = (object: JsonObject) => string;
type ValueWriter = (value: JsonValue) => string;

const writers: Readonly<Record<EmptyLists, Map<string, StructWriter>>> = { null: new Map(), kept: new Map() };

function structWriter(type: string, lists: EmptyLists): StructWriter {
  const known = writers[lists].get(type);
  if (known !== undefined) return known;
  // Types may refer to themselves: while one is compiled, what refers to it looks it up at each call.
  writers[lists].set(type, (object) => structWriter(type, lists)(object));
  const compiled = compileStruct(type, lists);
  writers[lists].set(type, compiled);
  return compiled;
}

interface MemberWriter {
  name: string;
  /** `"name":` */
  head: string;
  write: ValueWriter;
  omitZero: boolean;
  /** A text that is not written: whether a long map is empty is told more cheaply by its text. */
  omitted: string | undefined;
  /** Written when the member is absent; undefined = nothing. */
  whenAbsent: string | undefined;
}

function compileStruct(type: string, lists: EmptyLists): StructWriter {
  const members = schemaOf(type).fields.map((field) => compileMember(field, lists));
  return (object) => {
    let text = '';
    for (const member of members) {
      const value = object[member.name];
      if (value === undefined || value === null) {
        if (member.whenAbsent !== undefined) text += text === '' ? member.whenAbsent : `,${member.whenAbsent}`;
      } else if (!member.omitZero || !isZero(value)) {
        const written = member.write(value);
        if (written === member.omitted) continue;
        if (text !== '') text += ',';
        text += member.head;
        text += written;
      }
    }
    return text;
  };
}

function compileMember(field: FieldSchema, lists: EmptyLists): MemberWriter {
  const head = `${stringifyJsonString(field.name)}:`;
  const isKept = field.presence === 'always' || field.presence === 'null';
  return {
    name: field.name,
    head,
    write: compileType(field.type, lists, field.presence === 'always' ? lists : 'kept'),
    omitZero: field.presence === 'omit' && field.type.kind !== 'map',
    omitted: field.presence === 'omit' && field.type.kind === 'map' ? '{}' : undefined,
    whenAbsent: isKept ? `${head}${field.presence === 'null' ? 'null' : zeroText(field.type)}` : undefined,
  };
}

function isZero(value: JsonValue): boolean {
  if (typeof value !== 'object') return value === '' || value === 0 || value === false;
  if (value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  for (const member in value) if (Object.hasOwn(value, member)) return false;
  return true;
}

const ZERO_TEXTS: Record<Scalar, string> = {
  bool: 'false',
  int32: '0',
  int64: '0',
  uint32: '0',
  float64: '0',
  string: '""',
  bytes: 'null',
  time: 'null',
  microTime: 'null',
  duration: '"0s"',
  quantity: '"0"',
  intOrString: '0',
  raw: 'null',
  json: 'null',
  fields: 'null',
  strings: 'null',
};

function zeroText(type: FieldType): string {
  switch (type.kind) {
    case 'object':
      return `{${structWriter(type.type, 'null')({})}}`;
    case 'list':
    case 'map':
    case 'either':
      return 'null';
    case 'scalar':
      return ZERO_TEXTS[type.scalar];
  }
}

/** What an object inside another one says of its own kind. */
function typeMetaText(object: JsonObject): string {
  const member = (name: string): string => {
    const value = object[name];
    return typeof value === 'string' && value !== '' ? `"${name}":${stringifyJsonString(value)}` : '';
  };
  return joined(member('kind'), member('apiVersion'));
}

function joined(first: string, second: string): string {
  return first === '' || second === '' ? first + second : `${first},${second}`;
}

/** `empty` = what this very list is without items. */
function compileType(type: FieldType, lists: EmptyLists, empty: EmptyLists = 'kept'): ValueWriter {
  switch (type.kind) {
    case 'object': {
      const write = structWriter(type.type, lists);
      if (schemaOf(type.type).hasTypeMeta) return (value) => (isObject(value) ? `{${joined(typeMetaText(value), write(value))}}` : '{}');
      return (value) => (isObject(value) ? `{${write(value)}}` : '{}');
    }
    case 'either':
      return compileEither(type, lists);
    case 'list':
      return compileList(type.of, lists, empty);
    case 'map':
      return compileMap(type.of, lists);
    case 'scalar':
      return SCALAR_WRITERS[type.scalar];
  }
}

function compileEither({ object, or }: EitherType, lists: EmptyLists): ValueWriter {
  const write = structWriter(object, lists);
  const one: ValueWriter = (value) => (isObject(value) ? `{${write(value)}}` : '{}');
  const other = or === 'list' ? listOf(one) : writeAny;
  return (value) => (isObject(value) ? one(value) : other(value));
}

const listOf =
  (write: ValueWriter): ValueWriter =>
  (value) =>
    Array.isArray(value) ? `[${value.map(write).join(',')}]` : 'null';

function compileList(of: FieldType, lists: EmptyLists, empty: EmptyLists): ValueWriter {
  const write = compileType(of, lists);
  const zero = of.kind === 'object' ? '{}' : zeroText(of);
  return (value) => {
    if (!Array.isArray(value) || (empty === 'null' && value.length === 0)) return 'null';
    return `[${joinedItems(value, (item) => (item === null ? zero : write(item)))}]`;
  };
}

function compileMap(of: FieldType, lists: EmptyLists): ValueWriter {
  const write = compileType(of, lists);
  const zero = of.kind === 'object' ? '{}' : of.kind === 'scalar' && of.scalar === 'bytes' ? '""' : zeroText(of);
  return (value) => {
    if (!isObject(value)) return '{}';
    const keys = Object.keys(value);
    if (keys.length > 1) keys.sort(compareBytes);
    const member = (key: string): string => {
      const item = value[key] ?? null;
      return `${stringifyJsonString(key)}:${item === null ? zero : write(item)}`;
    };
    return `{${joinedItems(keys, member)}}`;
  };
}

const writeText: ValueWriter = (value) => (typeof value === 'string' ? stringifyJsonString(value) : stringifyJson(value));
/** Canonical texts hold nothing that needs an escape. */
const writeCanonical: ValueWriter = (value) => (typeof value === 'string' ? `"${value}"` : stringifyJson(value));
const writeNumber: ValueWriter = (value) =>
  typeof value === 'number' || typeof value === 'bigint' ? stringifyJsonNumber(value) : stringifyJson(value);
const writeBoolean: ValueWriter = (value) => (value === true ? 'true' : 'false');
const writeAny: ValueWriter = (value) => stringifyJson(value);

/** What upstream escapes and the machine's own writer does not, and lone surrogates, which the two write differently. */
const NEEDS_CARE = /[<>&\u2028\u2029]|\\ud/;

/** Who owns what is half of many an object and holds texts and objects only, which the machine's own writer knows how to write. */
const writeFieldSet: ValueWriter = (value) => {
  const nodes = nodesOf(value, 0);
  if (nodes === undefined) return stringifyJson(value);
  if (nodes > WIDE) return writeLongSet(value);
  const text = JSON.stringify(value);
  return NEEDS_CARE.test(text) ? stringifyJson(value) : text;
};

/** How many nodes a set has, `counted` added, as far as that counts; undefined = it holds something else. */
function nodesOf(value: JsonValue, counted: number): number | undefined {
  if (!isObject(value)) return undefined;
  let count = counted + 1;
  for (const name in value) {
    const more = nodesOf(value[name] ?? null, count);
    if (more === undefined || more > WIDE) return more;
    count = more;
  }
  return count;
}

function writeLongSet(value: JsonValue): string {
  if (!isObject(value)) return stringifyJson(value);
  return `{${joinedItems(Object.keys(value), (name) => `${stringifyJsonString(name)}:${writeLongSet(value[name] ?? null)}`)}}`;
}

const SCALAR_WRITERS: Record<Scalar, ValueWriter> = {
  bool: writeBoolean,
  int32: writeNumber,
  int64: writeNumber,
  uint32: writeNumber,
  float64: writeNumber,
  string: writeText,
  bytes: writeCanonical,
  time: writeCanonical,
  microTime: writeCanonical,
  duration: writeText,
  quantity: writeCanonical,
  intOrString: (value) => (typeof value === 'string' ? stringifyJsonString(value) : writeNumber(value)),
  raw: writeAny,
  json: (value) => stringifyJson(value, 'sorted'),
  fields: writeFieldSet,
  strings: writeAny,
};
