/**
 * JSON as values of the expression language, by its schema: nothing is copied, members and items are wrapped when they are asked for. A member that is
 * null, or of which the schema says nothing, is not there.
 */
import type { SchemaNode } from '../../api/structural/schema-node';
import { isObject, own, type JsonArray, type JsonObject, type JsonValue } from '../../values/json';
import { readDuration, readTimestamp } from '../library/printing';
import { ArrayList, Failure, ListValue, MapValue, type ListSemantics, type Value } from '../values/value';
import { readLongDuration, readLooseTime } from './lenient-formats';
import { escapeMember } from './field-names';

/** What the schema says of one member, by the name that expressions use. */
interface Member {
  readonly name: string;
  readonly wrap: Wrap;
}

export type Wrap = (value: JsonValue) => Value;

const MISFIT = new Failure('invalid data, expected a value of the declared type');

/** How values of a schema are seen; undefined when nothing is known of them. Compiled once for each schema. */
export function wrapperOf(node: SchemaNode, whole: boolean, name = 'selfType'): Wrap | undefined {
  if (node.intOrString) return (value) => (typeof value === 'number' || typeof value === 'bigint' ? wrapInteger(value) : wrapText(value));
  switch (node.type) {
    case 'array':
      return listWrapper(node, name);
    case 'object':
      return objectWrapper(node, whole || node.embeddedResource, name);
    case 'string':
      return own(TEXTS, node.format) ?? wrapText;
    case 'boolean':
      return (value) => (typeof value === 'boolean' ? value : MISFIT);
    case 'integer':
      return wrapInteger;
    case 'number':
      return (value) => (typeof value === 'number' ? value : typeof value === 'bigint' ? Number(value) : MISFIT);
    case undefined:
      return undefined;
  }
}

function wrapInteger(value: JsonValue): Value {
  if (typeof value === 'bigint') return BigInt.asIntN(64, value);
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : MISFIT;
}

const wrapText: Wrap = (value) => (typeof value === 'string' || value === null ? value : MISFIT);

const parsed =
  (read: (text: string) => Value | undefined): Wrap =>
  (value) =>
    typeof value === 'string' ? (read(value) ?? new Failure('invalid data, cannot be converted')) : MISFIT;

const TEXTS: Readonly<Record<string, Wrap>> = {
  byte: parsed((text) => new Uint8Array(Buffer.from(text, 'base64'))),
  'date-time': parsed((text) => readTimestamp(text) ?? readLooseTime(text)),
  date: parsed((text) => readTimestamp(`${text}T00:00:00Z`)),
  duration: parsed((text) => readDuration(text) ?? readLongDuration(text)),
};

/** What a wrapper has made is kept where making it again would take more than looking it up. */
function keep<K>(known: Map<K, Value>, key: K, item: JsonValue, wrap: Wrap): Value {
  if (typeof item === 'number' || typeof item === 'boolean') return wrap(item);
  const found = known.get(key);
  if (found !== undefined) return found;
  const value = wrap(item);
  if (typeof value === 'object' && value !== null) known.set(key, value);
  return value;
}

/** A list of JSON values. What is wrapped is kept, so that what it has found out of itself is not looked for again. */
class JsonList extends ListValue {
  private readonly known = new Map<number, Value>();

  constructor(
    private readonly items: JsonArray,
    private readonly wrap: Wrap,
    private readonly meaning: ListSemantics | undefined,
  ) {
    super();
  }

  get size(): number {
    return this.items.length;
  }

  at(index: number): Value {
    const item = this.items[index] ?? null;
    return keep(this.known, index, item, this.wrap);
  }

  override get semantics(): ListSemantics | undefined {
    return this.meaning;
  }
}

function listWrapper(node: SchemaNode, name: string): Wrap | undefined {
  const wrap = node.items === undefined ? undefined : wrapperOf(node.items, false, `${name}.@idx`);
  if (wrap === undefined) return undefined;
  const semantics = semanticsOf(node);
  return (value) => (Array.isArray(value) ? new JsonList(value, wrap, semantics) : MISFIT);
}

function semanticsOf(node: SchemaNode): ListSemantics | undefined {
  if (node.listType === 'set') return { identity: (item) => item, keyed: false };
  if (node.listType !== 'map') return undefined;
  const keys = node.listMapKeys.map((key) => escapeMember(key) ?? key);
  return {
    identity: (item) => (item instanceof MapValue ? new ArrayList(keys.map((key) => item.find(key) ?? null)) : item),
    keyed: true,
  };
}

/** An object whose members the schema names. */
class JsonRecord extends MapValue {
  private readonly known = new Map<string, Value>();

  constructor(
    private readonly object: JsonObject,
    private readonly members: ReadonlyMap<string, Member>,
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
    const value = own(this.object, name);
    return value !== undefined && value !== null;
  }

  find(key: Value): Value | undefined {
    const member = typeof key === 'string' ? this.members.get(key) : undefined;
    const item = member === undefined ? undefined : own(this.object, member.name);
    if (member === undefined || item === undefined || item === null) return undefined;
    return keep(this.known, member.name, item, member.wrap);
  }

  *keys(): Generator<Value> {
    for (const [escaped, { name }] of this.members) if (this.has(name)) yield escaped;
  }
}

/** An object whose members have free names. */
class JsonMap extends MapValue {
  private readonly known = new Map<string, Value>();
  private names: readonly string[] | undefined;

  constructor(
    private readonly object: JsonObject,
    private readonly wrap: Wrap,
  ) {
    super();
  }

  get size(): number {
    return this.members.length;
  }

  find(key: Value): Value | undefined {
    const item = typeof key === 'string' ? own(this.object, key) : undefined;
    if (typeof key !== 'string' || item === undefined) return undefined;
    return keep(this.known, key, item, this.wrap);
  }

  keys(): Iterable<Value> {
    return this.members;
  }

  private get members(): readonly string[] {
    this.names ??= Object.keys(this.object);
    return this.names;
  }
}

const METADATA: ReadonlyMap<string, Member> = new Map(
  ['name', 'generateName'].map((name): [string, Member] => [name, { name, wrap: wrapText }]),
);

function objectWrapper(node: SchemaNode, whole: boolean, name: string): Wrap | undefined {
  if (typeof node.additionalProperties === 'object') {
    const wrap = wrapperOf(node.additionalProperties, false, `${name}.@prop`);
    return wrap === undefined ? undefined : (value) => (isObject(value) ? new JsonMap(value, wrap) : MISFIT);
  }
  const members = new Map<string, Member>();
  for (const [member, child] of node.properties) {
    const escaped = escapeMember(member);
    const wrap = escaped === undefined ? undefined : wrapperOf(child, false, `${name}.${member}`);
    if (escaped !== undefined && wrap !== undefined) members.set(escaped, { name: member, wrap });
  }
  if (whole) {
    for (const text of ['apiVersion', 'kind']) members.set(text, { name: text, wrap: wrapText });
    members.set('metadata', {
      name: 'metadata',
      wrap: (value) => (isObject(value) ? new JsonRecord(value, METADATA, `${name}.metadata`) : MISFIT),
    });
  }
  return (value) => (isObject(value) ? new JsonRecord(value, members, name) : MISFIT);
}
