/**
 * The canonical JSON of a decoded object: fields in upstream's order, map keys sorted by bytes, fields present or omitted
 * as the type tables define, strings escaped as upstream escapes them. This text is stored, and sent in JSON responses.
 * Unknown fields are not written.
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
import { isZeroValue } from './zero-value';

/**
 * How an empty list in a field that is always present is written: as `null`, like an absent list (this is the stored
 * form), or as `[]` (upstream sends it to webhooks when a client has sent it).
 */
type EmptyListMode = 'null' | 'kept';

/**
 * Returns `{"metadata":{…},…}`, without kind and apiVersion, because these depend on the version and dialect that is
 * served.
 */
export function encodeBody(type: string, object: JsonObject, lists: EmptyListMode = 'null'): string {
  return `{${structWriter(type, lists)(object)}}`;
}

/** {@link encodeBody} in steps, so that the caller can yield between them. */
export function encodeBodyInSteps(type: string, object: JsonObject): Steps<string> {
  return writeInSteps(() => encodeBody(type, object));
}

/** Placeholder for a part that is written later. JSON text never contains this character. */
const DEFERRED = '\0';
/** Longer lists and maps are deferred when encoding in steps, and written in chunks of this many items. */
const MAX_DIRECT_ITEMS = 2048;

/**
 * The deferred parts in the order of their placeholders; `undefined` when nothing may be deferred. Set only during `write`
 * in {@link writeInSteps}, which is synchronous: encodings with alternating steps do not share it.
 */
let deferred: Steps<string>[] | undefined;

/**
 * Runs `write`, during which long lists and maps put placeholders into the text and their writers into `deferred`. Then
 * writes the deferred parts, with a pause before each, and puts them in the places of their placeholders.
 */
function* writeInSteps(write: () => string): Steps<string> {
  const outer = deferred;
  const parts: Steps<string>[] = [];
  deferred = parts;
  let text: string;
  try {
    text = write();
  } finally {
    deferred = outer;
  }
  if (parts.length === 0) return text;
  const pieces = text.split(DEFERRED);
  let result = pieces[0] ?? '';
  for (const [index, writing] of parts.entries()) {
    yield;
    result += yield* writing;
    result += pieces[index + 1] ?? '';
  }
  return result;
}

/** The number of items that are joined at once. */
const JOIN_SIZE = 256;

/**
 * The texts of the items, separated by commas. A string concatenated from very many parts uses more memory than its
 * length until it is flattened, so the parts are joined in chunks.
 */
function joinItems<T>(items: readonly T[], write: (item: T) => string): string {
  if (items.length > MAX_DIRECT_ITEMS && deferred !== undefined) {
    deferred.push(joinItemsInSteps(items, write));
    return DEFERRED;
  }
  let result = '';
  for (let start = 0; start < items.length; start += JOIN_SIZE) {
    result += `${start === 0 ? '' : ','}${items
      .slice(start, start + JOIN_SIZE)
      .map(write)
      .join(',')}`;
  }
  return result;
}

function* joinItemsInSteps<T>(items: readonly T[], write: (item: T) => string): Steps<string> {
  let result = '';
  for (let start = 0; start < items.length; start += MAX_DIRECT_ITEMS) {
    if (start > 0) {
      yield;
      result += ',';
    }
    result += yield* writeInSteps(() => joinItems(items.slice(start, start + MAX_DIRECT_ITEMS), write));
  }
  return result;
}

/** Writes the fields of an object, without the braces. */
type StructWriter = (object: JsonObject) => string;
/** Writes a value that is not null. */
type ValueWriter = (value: JsonValue) => string;

/** The compiled writers by type. */
const writers: Readonly<Record<EmptyListMode, Map<string, StructWriter>>> = { null: new Map(), kept: new Map() };

function structWriter(type: string, lists: EmptyListMode): StructWriter {
  const known = writers[lists].get(type);
  if (known !== undefined) return known;
  // A type may be recursive: while it is compiled, references to it resolve at each call.
  writers[lists].set(type, (object) => structWriter(type, lists)(object));
  const compiled = compileStruct(type, lists);
  writers[lists].set(type, compiled);
  return compiled;
}

/** How one field is written. */
interface MemberWriter {
  name: string;
  /** The field name in JSON with its colon. */
  prefix: string;
  write: ValueWriter;
  /** Whether nothing is written for a zero value. */
  omitsZero: boolean;
  /**
   * The text of a value that is omitted: `{}` for maps, because comparing the text of a long map is cheaper than listing
   * its keys. `undefined` when every text is written.
   */
  omittedText: string | undefined;
  /** The text written when the field is absent; `undefined` when nothing is written. */
  absentText: string | undefined;
}

function compileStruct(type: string, lists: EmptyListMode): StructWriter {
  const members = schemaOf(type).fields.map((field) => compileMember(field, lists));
  return (object) => {
    let text = '';
    for (const member of members) {
      const value = object[member.name];
      if (value === undefined || value === null) {
        if (member.absentText !== undefined) text += text === '' ? member.absentText : `,${member.absentText}`;
      } else if (!member.omitsZero || !isZeroValue(value)) {
        const written = member.write(value);
        if (written === member.omittedText) continue;
        if (text !== '') text += ',';
        text += member.prefix;
        text += written;
      }
    }
    return text;
  };
}

function compileMember(field: FieldSchema, lists: EmptyListMode): MemberWriter {
  const prefix = `${stringifyJsonString(field.name)}:`;
  const isAlwaysPresent = field.presence === 'always' || field.presence === 'null';
  return {
    name: field.name,
    prefix,
    write: compileType(field.type, lists, field.presence === 'always' ? lists : 'kept'),
    omitsZero: field.presence === 'omit' && field.type.kind !== 'map',
    omittedText: field.presence === 'omit' && field.type.kind === 'map' ? '{}' : undefined,
    absentText: isAlwaysPresent ? `${prefix}${field.presence === 'null' ? 'null' : zeroText(field.type)}` : undefined,
  };
}

/** The zero values of scalars: for fields that are always present, and for nulls in lists and maps. */
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

/** The kind and apiVersion of an object embedded in another one, such as a list item; those that are empty are omitted. */
function typeMetaText(object: JsonObject): string {
  const member = (name: string): string => {
    const value = object[name];
    return typeof value === 'string' && value !== '' ? `"${name}":${stringifyJsonString(value)}` : '';
  };
  return joinMembers(member('kind'), member('apiVersion'));
}

function joinMembers(first: string, second: string): string {
  return first === '' || second === '' ? first + second : `${first},${second}`;
}

/**
 * `lists` is how empty lists are written in the always present fields of the objects below. `empty` is how a list of this
 * type itself is written when it has no items: only the list directly in an `always` field may become `null`.
 */
function compileType(type: FieldType, lists: EmptyListMode, empty: EmptyListMode = 'kept'): ValueWriter {
  switch (type.kind) {
    case 'object': {
      const write = structWriter(type.type, lists);
      if (schemaOf(type.type).hasTypeMeta)
        return (value) => (isObject(value) ? `{${joinMembers(typeMetaText(value), write(value))}}` : '{}');
      return (value) => (isObject(value) ? `{${write(value)}}` : '{}');
    }
    case 'either':
      return compileEither(type, lists);
    case 'list':
      return compileList(type.element, lists, empty);
    case 'map':
      return compileMap(type.element, lists);
    case 'scalar':
      return SCALAR_WRITERS[type.scalar];
  }
}

function compileEither({ object, or }: EitherType, lists: EmptyListMode): ValueWriter {
  const write = structWriter(object, lists);
  const writeObject: ValueWriter = (value) => (isObject(value) ? `{${write(value)}}` : '{}');
  const writeOther = or === 'list' ? listWriter(writeObject) : writeAny;
  return (value) => (isObject(value) ? writeObject(value) : writeOther(value));
}

const listWriter =
  (write: ValueWriter): ValueWriter =>
  (value) =>
    Array.isArray(value) ? `[${value.map(write).join(',')}]` : 'null';

function compileList(element: FieldType, lists: EmptyListMode, empty: EmptyListMode): ValueWriter {
  const write = compileType(element, lists);
  const zero = element.kind === 'object' ? '{}' : zeroText(element);
  return (value) => {
    if (!Array.isArray(value) || (empty === 'null' && value.length === 0)) return 'null';
    return `[${joinItems(value, (item) => (item === null ? zero : write(item)))}]`;
  };
}

function compileMap(element: FieldType, lists: EmptyListMode): ValueWriter {
  const write = compileType(element, lists);
  const zero = zeroOfMapValue(element);
  return (value) => {
    if (!isObject(value)) return '{}';
    const keys = Object.keys(value);
    if (keys.length > 1) keys.sort(compareBytes);
    const member = (key: string): string => {
      const item = value[key] ?? null;
      return `${stringifyJsonString(key)}:${item === null ? zero : write(item)}`;
    };
    return `{${joinItems(keys, member)}}`;
  };
}

/** The text for a null in a map. */
function zeroOfMapValue(element: FieldType): string {
  if (element.kind === 'object') return '{}';
  return element.kind === 'scalar' && element.scalar === 'bytes' ? '""' : zeroText(element);
}

const writeString: ValueWriter = (value) => (typeof value === 'string' ? stringifyJsonString(value) : stringifyJson(value));
/** Canonical texts contain no character that needs escaping. */
const writeCanonical: ValueWriter = (value) => (typeof value === 'string' ? `"${value}"` : stringifyJson(value));
const writeNumber: ValueWriter = (value) =>
  typeof value === 'number' || typeof value === 'bigint' ? stringifyJsonNumber(value) : stringifyJson(value);
const writeBoolean: ValueWriter = (value) => (value === true ? 'true' : 'false');
const writeAny: ValueWriter = (value) => stringifyJson(value);

/**
 * Characters that upstream escapes and JSON.stringify does not, and the escapes of lone surrogates (`\ud800`), which
 * upstream writes as U+FFFD.
 */
const NEEDS_ESCAPING = /[<>&\u2028\u2029]|\\ud/;

/**
 * Writes a field set of managedFields. These are half the size of many objects. They normally contain only objects, which
 * JSON.stringify writes as upstream does, and fast.
 */
const writeFieldSet: ValueWriter = (value) => {
  const nodes = countNodes(value, 0);
  if (nodes === undefined) return stringifyJson(value);
  if (nodes > MAX_DIRECT_ITEMS) return writeLargeFieldSet(value);
  const text = JSON.stringify(value);
  return NEEDS_ESCAPING.test(text) ? stringifyJson(value) : text;
};

/**
 * The number of nodes of a field set plus `counted`; counting stops above {@link MAX_DIRECT_ITEMS}. `undefined` when the
 * set contains a value that is not an object.
 */
function countNodes(value: JsonValue, counted: number): number | undefined {
  if (!isObject(value)) return undefined;
  let count = counted + 1;
  for (const name in value) {
    const more = countNodes(value[name] ?? null, count);
    if (more === undefined || more > MAX_DIRECT_ITEMS) return more;
    count = more;
  }
  return count;
}

function writeLargeFieldSet(value: JsonValue): string {
  if (!isObject(value)) return stringifyJson(value);
  return `{${joinItems(Object.keys(value), (name) => `${stringifyJsonString(name)}:${writeLargeFieldSet(value[name] ?? null)}`)}}`;
}

const SCALAR_WRITERS: Record<Scalar, ValueWriter> = {
  bool: writeBoolean,
  int32: writeNumber,
  int64: writeNumber,
  uint32: writeNumber,
  float64: writeNumber,
  string: writeString,
  bytes: writeCanonical,
  time: writeCanonical,
  microTime: writeCanonical,
  duration: writeString,
  quantity: writeCanonical,
  intOrString: (value) => (typeof value === 'string' ? stringifyJsonString(value) : writeNumber(value)),
  raw: writeAny,
  json: (value) => stringifyJson(value, 'sorted'),
  fields: writeFieldSet,
  strings: writeAny,
};
