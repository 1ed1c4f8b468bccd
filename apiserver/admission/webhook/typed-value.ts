/**
 * Objects of built-in kinds as values of the expression language, read where they stand: members are there, absent, null or zero as they would be in the object's text
 * as it is sent (shared/api/types/encode.ts), in whose place this is, and no sooner looked at than an expression asks for them. The object must not change while it does.
 */
import { apiVersionOf } from '../../../shared/api/identity/identity';
import type { KindRow } from '../../../shared/api/kinds';
import { schemaOf, type FieldSchema, type FieldType } from '../../../shared/api/types';
import { NAME_FIELDS_BY_TYPE, spellInDialect } from '../../../shared/api/types/group-fields';
import { untypedValue } from '../../../shared/expression/untyped-json';
import { ListValue, MapValue, type Value } from '../../../shared/expression/values/value';
import { apiVersionInDialect, type Dialect } from '../../../shared/names/dialect';
import { compareBytes, isObject, own, type JsonObject, type JsonValue } from '../../../shared/values/json';

/** With its kind and version. */
export function typedValue(row: KindRow, object: JsonObject, dialect: Dialect): MapValue {
  return new Struct(planOf(row.type), object, dialect, [
    ['kind', row.kind],
    ['apiVersion', apiVersionInDialect(dialect, apiVersionOf(row))],
  ]);
}

type Read = (value: JsonValue, dialect: Dialect) => Value;

interface Member {
  readonly name: string;
  /** Undefined = it is not there. */
  readonly read: (value: JsonValue | undefined, dialect: Dialect) => Value | undefined;
}

/** How the members of a type are read; made once. */
interface Plan {
  readonly members: ReadonlyMap<string, Member>;
  readonly hasTypeMeta: boolean;
}

const plans = new Map<string, Plan>();

function planOf(type: string): Plan {
  const known = plans.get(type);
  if (known !== undefined) return known;
  const members = new Map<string, Member>();
  const plan = { members, hasTypeMeta: schemaOf(type).hasTypeMeta };
  // Types may refer to themselves.
  plans.set(type, plan);
  for (const field of schemaOf(type).fields) members.set(field.name, memberOf(type, field));
  return plan;
}

function memberOf(type: string, { name, type: fieldType, presence }: FieldSchema): Member {
  const holds = NAME_FIELDS_BY_TYPE[type]?.[name];
  const plain = readerOf(fieldType);
  const read: Read =
    holds === undefined
      ? plain
      : (value, dialect) =>
          plain(
            respelled(value, (text) => spellInDialect(holds, text, dialect)),
            dialect,
          );
  return {
    name,
    read(value, dialect) {
      if (value === undefined || value === null) {
        if (presence === 'null') return null;
        return presence === 'always' ? zeroOf(fieldType, dialect) : undefined;
      }
      return presence === 'omit' && isZero(value) ? undefined : read(value, dialect);
    },
  };
}

function respelled(value: JsonValue, spell: (text: string) => string): JsonValue {
  if (Array.isArray(value)) return value.map((item) => (typeof item === 'string' ? spell(item) : item));
  return typeof value === 'string' ? spell(value) : value;
}

function isZero(value: JsonValue): boolean {
  if (typeof value !== 'object') return value === '' || value === 0 || value === false;
  if (value === null) return true;
  return Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;
}

function zeroOf(type: FieldType, dialect: Dialect): Value {
  switch (type.kind) {
    case 'object':
      return new Struct(planOf(type.type), {}, dialect, []);
    case 'list':
    case 'map':
    case 'either':
      return null;
    case 'scalar':
      return zeroScalar(type.scalar);
  }
}

function zeroScalar(scalar: Extract<FieldType, { kind: 'scalar' }>['scalar']): Value {
  switch (scalar) {
    case 'bool':
      return false;
    case 'int32':
    case 'int64':
    case 'uint32':
    case 'float64':
    case 'intOrString':
      return 0n;
    case 'string':
      return '';
    case 'duration':
      return '0s';
    case 'quantity':
      return '0';
    case 'bytes':
    case 'time':
    case 'microTime':
    case 'raw':
    case 'json':
    case 'fields':
    case 'strings':
      return null;
  }
}

function readerOf(type: FieldType): Read {
  switch (type.kind) {
    case 'object':
      return structReader(type.type);
    case 'either': {
      const one = structReader(type.object);
      const many = listReader({ kind: 'object', type: type.object });
      return (value, dialect) => {
        if (isObject(value)) return one(value, dialect);
        return type.or === 'list' ? many(value, dialect) : untypedValue(value);
      };
    }
    case 'list':
      return listReader(type.element);
    case 'map':
      return mapReader(type.element);
    case 'scalar':
      return (value) => untypedValue(value);
  }
}

function structReader(type: string): Read {
  return (value, dialect) => {
    const plan = planOf(type);
    const object = isObject(value) ? value : {};
    return new Struct(plan, object, dialect, plan.hasTypeMeta ? typeMetaOf(object) : []);
  };
}

/** What an object inside another one says of its own kind. */
function typeMetaOf(object: JsonObject): readonly (readonly [string, string])[] {
  return ['kind', 'apiVersion'].flatMap((name) => {
    const value = own(object, name);
    return typeof value === 'string' && value !== '' ? [[name, value] as const] : [];
  });
}

function listReader(of: FieldType): Read {
  const read = readerOf(of);
  return (value, dialect) => {
    if (!Array.isArray(value)) return null;
    return new Items(value, (item) => (item === null ? emptyOf(of, dialect) : read(item, dialect)));
  };
}

function mapReader(of: FieldType): Read {
  const read = readerOf(of);
  return (value, dialect) =>
    new Entries(isObject(value) ? value : {}, (item) => (item === null ? emptyOf(of, dialect) : read(item, dialect)));
}

/** What stands for null in lists and maps. */
const emptyOf = (of: FieldType, dialect: Dialect): Value => (of.kind === 'scalar' && of.scalar === 'bytes' ? '' : zeroOf(of, dialect));

class Struct extends MapValue {
  private readonly read = new Map<string, Value | undefined>();
  private names: readonly string[] | undefined;

  /** `head` = members that do not stand in the object. */
  constructor(
    private readonly plan: Plan,
    private readonly object: JsonObject,
    private readonly dialect: Dialect,
    private readonly head: readonly (readonly [name: string, value: string])[],
  ) {
    super();
  }

  get size(): number {
    return this.all.length;
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string') return undefined;
    const member = this.plan.members.get(key);
    if (member === undefined) return this.head.find(([name]) => name === key)?.[1];
    if (this.read.has(key)) return this.read.get(key);
    const value = member.read(own(this.object, key), this.dialect);
    this.read.set(key, value);
    return value;
  }

  keys(): Iterable<Value> {
    return this.all;
  }

  private get all(): readonly string[] {
    this.names ??= [...this.head.map(([name]) => name), ...[...this.plan.members.keys()].filter((name) => this.find(name) !== undefined)];
    return this.names;
  }
}

class Items extends ListValue {
  constructor(
    private readonly items: readonly JsonValue[],
    private readonly read: (item: JsonValue) => Value,
  ) {
    super();
  }

  get size(): number {
    return this.items.length;
  }

  at(index: number): Value {
    return this.read(this.items[index] ?? null);
  }
}

class Entries extends MapValue {
  private sorted: readonly string[] | undefined;

  constructor(
    private readonly object: JsonObject,
    private readonly read: (item: JsonValue) => Value,
  ) {
    super();
  }

  get size(): number {
    return this.all.length;
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string') return undefined;
    const value = own(this.object, key);
    return value === undefined ? undefined : this.read(value);
  }

  keys(): Iterable<Value> {
    return this.all;
  }

  private get all(): readonly string[] {
    return (this.sorted ??= Object.keys(this.object).sort(compareBytes));
  }
}
