/**
 * JSON of a custom resource as CEL values, by its schema. Nothing is copied: members and items are wrapped when an
 * expression accesses them. In an object with declared properties, members that are null and members that the schema
 * does not declare are absent.
 */
import type { SchemaNode } from '../../api/structural/schema-node';
import { isObject, ownMember, type JsonArray, type JsonObject, type JsonValue } from '../../values/json';
import { readDuration, readTimestamp } from '../library/printing';
import { ArrayList, ErrorValue, ListValue, MapValue, type ListSemantics, type Value } from '../values/value';
import { readLongDuration, readLenientTime } from './lenient-formats';
import { escapeFieldName } from './field-names';

/** A member of an object, with its name in JSON. */
interface RecordMember {
  readonly name: string;
  readonly wrap: ValueWrapper;
}

/** Returns the CEL value of a JSON value of a schema; an ErrorValue when the JSON value is of another type. */
export type ValueWrapper = (value: JsonValue) => Value;

const TYPE_MISMATCH = new ErrorValue('invalid data, expected a value of the declared type');

/** What is known about the node besides its schema. */
export interface ValueWrapperOptions {
  /** Whether the node has apiVersion, kind and metadata that its schema need not specify. False by default. */
  readonly isResource?: boolean;
  /** The name of the type in messages; `selfType` by default. */
  readonly name?: string;
}

const wrapNumber: ValueWrapper = (value) => (typeof value === 'number' || typeof value === 'bigint' ? Number(value) : TYPE_MISMATCH);
const wrapString: ValueWrapper = (value) => (typeof value === 'string' || value === null ? value : TYPE_MISMATCH);

/** The wrapper of strings that `read` converts to another type. */
const parsingWrapper =
  (read: (text: string) => Value | undefined): ValueWrapper =>
  (value) =>
    typeof value === 'string' ? (read(value) ?? new ErrorValue('invalid data, cannot be converted')) : TYPE_MISMATCH;

const STRING_FORMAT_WRAPPERS: Readonly<Record<string, ValueWrapper>> = {
  byte: parsingWrapper((text) => new Uint8Array(Buffer.from(text, 'base64'))),
  'date-time': parsingWrapper((text) => readTimestamp(text) ?? readLenientTime(text)),
  date: parsingWrapper((text) => readTimestamp(`${text}T00:00:00Z`)),
  duration: parsingWrapper((text) => readDuration(text) ?? readLongDuration(text)),
};

/**
 * Creates the wrapper of the values of a schema; `undefined` when the schema does not specify them. Callers keep it, since
 * creating it visits the whole schema.
 */
export function valueWrapperOf(
  node: SchemaNode,
  { isResource = false, name = 'selfType' }: ValueWrapperOptions = {},
): ValueWrapper | undefined {
  if (node.intOrString) return (value) => (typeof value === 'number' || typeof value === 'bigint' ? wrapInteger(value) : wrapString(value));
  switch (node.type) {
    case 'array':
      return listWrapper(node, name);
    case 'object':
      return objectWrapper(node, { isResource: isResource || node.embeddedResource, name });
    case 'string':
      return ownMember(STRING_FORMAT_WRAPPERS, node.format) ?? wrapString;
    case 'boolean':
      return (value) => (typeof value === 'boolean' ? value : TYPE_MISMATCH);
    case 'integer':
      return wrapInteger;
    case 'number':
      return wrapNumber;
    case undefined:
      return undefined;
  }
}

function wrapInteger(value: JsonValue): Value {
  if (typeof value === 'bigint') return BigInt.asIntN(64, value);
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : TYPE_MISMATCH;
}

/** Wraps an item, or returns the cached value. Only objects are cached, because wrapping a scalar is as cheap as a lookup. */
function cachedValue<K>(cache: Map<K, Value>, key: K, item: JsonValue, wrap: ValueWrapper): Value {
  if (typeof item === 'number' || typeof item === 'boolean') return wrap(item);
  const cached = cache.get(key);
  if (cached !== undefined) return cached;
  const value = wrap(item);
  if (typeof value === 'object' && value !== null) cache.set(key, value);
  return value;
}

/** A list of JSON values. Caches wrapped items, which have caches of their own. */
class JsonList extends ListValue {
  private readonly cache = new Map<number, Value>();

  constructor(
    private readonly items: JsonArray,
    private readonly wrap: ValueWrapper,
    private readonly listSemantics: ListSemantics | undefined,
  ) {
    super();
  }

  get size(): number {
    return this.items.length;
  }

  at(index: number): Value {
    const item = this.items[index] ?? null;
    return cachedValue(this.cache, index, item, this.wrap);
  }

  override get semantics(): ListSemantics | undefined {
    return this.listSemantics;
  }
}

function listWrapper(node: SchemaNode, name: string): ValueWrapper | undefined {
  const wrap = node.items === undefined ? undefined : valueWrapperOf(node.items, { name: `${name}.@idx` });
  if (wrap === undefined) return undefined;
  const semantics = semanticsOf(node);
  return (value) => (Array.isArray(value) ? new JsonList(value, wrap, semantics) : TYPE_MISMATCH);
}

/** `undefined` for a list that is ordered. */
function semanticsOf(node: SchemaNode): ListSemantics | undefined {
  if (node.listType === 'set') return { identity: (item) => item, isKeyed: false };
  if (node.listType !== 'map') return undefined;
  const keys = node.listMapKeys.map((key) => escapeFieldName(key) ?? key);
  return {
    identity: (item) => (item instanceof MapValue ? new ArrayList(keys.map((key) => item.find(key) ?? null)) : item),
    isKeyed: true,
  };
}

/** An object with members that the schema specifies. */
class JsonRecord extends MapValue {
  private readonly cache = new Map<string, Value>();

  constructor(
    private readonly object: JsonObject,
    /** By their names in expressions, which may be escaped (field-names.ts). */
    private readonly members: ReadonlyMap<string, RecordMember>,
    private readonly type: string,
  ) {
    super();
  }

  override get typeName(): string {
    return this.type;
  }

  get size(): number {
    let count = 0;
    for (const { name } of this.members.values()) if (this.has(name)) count += 1;
    return count;
  }

  private has(name: string): boolean {
    const value = ownMember(this.object, name);
    return value !== undefined && value !== null;
  }

  find(key: Value): Value | undefined {
    const member = typeof key === 'string' ? this.members.get(key) : undefined;
    const item = member === undefined ? undefined : ownMember(this.object, member.name);
    if (member === undefined || item === undefined || item === null) return undefined;
    return cachedValue(this.cache, member.name, item, member.wrap);
  }

  *keys(): Generator<Value> {
    for (const [escaped, { name }] of this.members) if (this.has(name)) yield escaped;
  }
}

/** An object with arbitrary member names. */
class JsonMap extends MapValue {
  private readonly cache = new Map<string, Value>();
  private names: readonly string[] | undefined;

  constructor(
    private readonly object: JsonObject,
    private readonly wrap: ValueWrapper,
  ) {
    super();
  }

  get size(): number {
    return this.members.length;
  }

  find(key: Value): Value | undefined {
    const item = typeof key === 'string' ? ownMember(this.object, key) : undefined;
    if (typeof key !== 'string' || item === undefined) return undefined;
    return cachedValue(this.cache, key, item, this.wrap);
  }

  keys(): Iterable<Value> {
    return this.members;
  }

  private get members(): readonly string[] {
    this.names ??= Object.keys(this.object);
    return this.names;
  }
}

/** The members of metadata that rules can access. */
const METADATA: ReadonlyMap<string, RecordMember> = new Map(
  ['name', 'generateName'].map((name): [string, RecordMember] => [name, { name, wrap: wrapString }]),
);

function objectWrapper(node: SchemaNode, { isResource, name }: Required<ValueWrapperOptions>): ValueWrapper | undefined {
  if (typeof node.additionalProperties === 'object') {
    const wrap = valueWrapperOf(node.additionalProperties, { name: `${name}.@prop` });
    return wrap === undefined ? undefined : (value) => (isObject(value) ? new JsonMap(value, wrap) : TYPE_MISMATCH);
  }
  const members = new Map<string, RecordMember>();
  for (const [member, child] of node.properties) {
    const escaped = escapeFieldName(member);
    const wrap = escaped === undefined ? undefined : valueWrapperOf(child, { name: `${name}.${member}` });
    if (escaped !== undefined && wrap !== undefined) members.set(escaped, { name: member, wrap });
  }
  if (isResource) {
    for (const text of ['apiVersion', 'kind']) members.set(text, { name: text, wrap: wrapString });
    members.set('metadata', {
      name: 'metadata',
      wrap: (value) => (isObject(value) ? new JsonRecord(value, METADATA, `${name}.metadata`) : TYPE_MISMATCH),
    });
  }
  return (value) => (isObject(value) ? new JsonRecord(value, members, name) : TYPE_MISMATCH);
}
