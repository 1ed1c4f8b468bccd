/**
 * Objects of built-in kinds as CEL values, read in place and lazily. Members are present, absent, null or zero exactly
 * as in the JSON that shared/api/types/encode.ts writes. The object must not change during evaluation. Kinds that are
 * converted, and custom kinds, are left to object-view.ts.
 */
import { apiVersionOf } from '../../../shared/api/identity/identity';
import type { KindRow } from '../../../shared/api/kinds';
import { schemaOf, type FieldSchema, type FieldType } from '../../../shared/api/types';
import { NAME_FIELDS_BY_TYPE, spellInDialect } from '../../../shared/api/types/group-fields';
import { untypedValue } from '../../../shared/expression/untyped-json';
import { ListValue, MapValue, type Value } from '../../../shared/expression/values/value';
import { apiVersionInDialect, type Dialect } from '../../../shared/names/dialect';
import { compareBytes, isObject, ownMember, type JsonObject, type JsonValue } from '../../../shared/values/json';

/** The object as a CEL value that includes kind and apiVersion. */
export function typedValue(row: KindRow, object: JsonObject, dialect: Dialect): MapValue {
  return new TypedObject(typeReaderOf(row.type), object, dialect, [
    ['kind', row.kind],
    ['apiVersion', apiVersionInDialect(dialect, apiVersionOf(row))],
  ]);
}

/** Reads a value that is not null. */
type ReadValue = (value: JsonValue, dialect: Dialect) => Value;

/** Reads one member of a type. */
interface MemberReader {
  readonly name: string;
  /** `undefined` when the member is absent. */
  readonly read: (value: JsonValue | undefined, dialect: Dialect) => Value | undefined;
}

/** The members of a type; created once per type. */
interface TypeReader {
  readonly members: ReadonlyMap<string, MemberReader>;
  readonly hasTypeMeta: boolean;
}

/** By type name. Types are generated, so the map does not grow beyond their number. */
const typeReaders = new Map<string, TypeReader>();

function typeReaderOf(type: string): TypeReader {
  const cached = typeReaders.get(type);
  if (cached !== undefined) return cached;
  const members = new Map<string, MemberReader>();
  const typeReader = { members, hasTypeMeta: schemaOf(type).hasTypeMeta };
  // Registered before its members are built, because types can refer to themselves.
  typeReaders.set(type, typeReader);
  for (const field of schemaOf(type).fields) members.set(field.name, memberReader(type, field));
  return typeReader;
}

function memberReader(type: string, { name, type: fieldType, presence }: FieldSchema): MemberReader {
  const nameField = NAME_FIELDS_BY_TYPE[type]?.[name];
  const readPlain = readerOf(fieldType);
  /** Reads the value in the spelling of the dialect when it is a name that contains the product's name. */
  const read: ReadValue = (value, dialect) => {
    if (nameField === undefined) return readPlain(value, dialect);
    const spelled = respell(value, (text) => spellInDialect(nameField, text, dialect));
    return readPlain(spelled, dialect);
  };
  return {
    name,
    read(value, dialect) {
      if (value === undefined || value === null) {
        // What the encoder writes for an absent member: null, the zero value, or nothing.
        if (presence === 'null') return null;
        return presence === 'always' ? zeroOf(fieldType, dialect) : undefined;
      }
      return presence === 'omit' && isZero(value) ? undefined : read(value, dialect);
    },
  };
}

/** Applies `spell` to a text, and to the texts of a list. */
function respell(value: JsonValue, spell: (text: string) => string): JsonValue {
  if (Array.isArray(value)) return value.map((item) => (typeof item === 'string' ? spell(item) : item));
  return typeof value === 'string' ? spell(value) : value;
}

/** Whether Go's `omitempty` omits the value. */
function isZero(value: JsonValue): boolean {
  if (typeof value !== 'object') return value === '' || value === 0 || value === false;
  if (value === null) return true;
  return Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;
}

/** The value of an absent member that the encoder writes all the same. */
function zeroOf(type: FieldType, dialect: Dialect): Value {
  switch (type.kind) {
    case 'object':
      return new TypedObject(typeReaderOf(type.type), {}, dialect, []);
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

/** The function that reads values of a type. */
function readerOf(type: FieldType): ReadValue {
  switch (type.kind) {
    case 'object':
      return structReader(type.type);
    // One object, or what `type.or` names instead: a list of such objects or another value.
    case 'either': {
      const readObject = structReader(type.object);
      const readItems = listReader({ kind: 'object', type: type.object });
      return (value, dialect) => {
        if (isObject(value)) return readObject(value, dialect);
        return type.or === 'list' ? readItems(value, dialect) : untypedValue(value);
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

function structReader(type: string): ReadValue {
  return (value, dialect) => {
    const typeReader = typeReaderOf(type);
    const object = isObject(value) ? value : {};
    return new TypedObject(typeReader, object, dialect, typeReader.hasTypeMeta ? typeMetaOf(object) : []);
  };
}

/** `kind` and `apiVersion` of an embedded object. */
function typeMetaOf(object: JsonObject): readonly (readonly [string, string])[] {
  return ['kind', 'apiVersion'].flatMap((name) => {
    const value = ownMember(object, name);
    return typeof value === 'string' && value !== '' ? [[name, value] as const] : [];
  });
}

function listReader(itemType: FieldType): ReadValue {
  const read = readerOf(itemType);
  return (value, dialect) => {
    if (!Array.isArray(value)) return null;
    return new TypedList(value, (item) => (item === null ? emptyOf(itemType, dialect) : read(item, dialect)));
  };
}

function mapReader(itemType: FieldType): ReadValue {
  const read = readerOf(itemType);
  return (value, dialect) =>
    new TypedMap(isObject(value) ? value : {}, (item) => (item === null ? emptyOf(itemType, dialect) : read(item, dialect)));
}

/** The value that the encoder writes in place of null in lists and maps. */
const emptyOf = (itemType: FieldType, dialect: Dialect): Value =>
  itemType.kind === 'scalar' && itemType.scalar === 'bytes' ? '' : zeroOf(itemType, dialect);

/** A struct: its members are those of the type, and `typeMeta`. A member is read when an expression reads it. */
class TypedObject extends MapValue {
  /** The members that have been read. */
  private readonly valuesByName = new Map<string, Value | undefined>();
  private cachedNames: readonly string[] | undefined;

  /** `typeMeta`: kind and apiVersion, which are not members of the type; empty for a type without them. */
  constructor(
    private readonly typeReader: TypeReader,
    private readonly object: JsonObject,
    private readonly dialect: Dialect,
    private readonly typeMeta: readonly (readonly [name: string, value: string])[],
  ) {
    super();
  }

  get size(): number {
    return this.presentNames.length;
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string') return undefined;
    const member = this.typeReader.members.get(key);
    if (member === undefined) return this.typeMeta.find(([name]) => name === key)?.[1];
    if (this.valuesByName.has(key)) return this.valuesByName.get(key);
    const value = member.read(ownMember(this.object, key), this.dialect);
    this.valuesByName.set(key, value);
    return value;
  }

  keys(): Iterable<Value> {
    return this.presentNames;
  }

  private get presentNames(): readonly string[] {
    if (this.cachedNames !== undefined) return this.cachedNames;
    const typeMetaNames = this.typeMeta.map(([name]) => name);
    const memberNames = [...this.typeReader.members.keys()].filter((name) => this.find(name) !== undefined);
    return (this.cachedNames = [...typeMetaNames, ...memberNames]);
  }
}

/** A list. An item is read at each access. */
class TypedList extends ListValue {
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

/** A map with keys in byte order. A value is read at each access. */
class TypedMap extends MapValue {
  private sorted: readonly string[] | undefined;

  constructor(
    private readonly object: JsonObject,
    private readonly read: (item: JsonValue) => Value,
  ) {
    super();
  }

  get size(): number {
    return this.sortedNames.length;
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string') return undefined;
    const value = ownMember(this.object, key);
    return value === undefined ? undefined : this.read(value);
  }

  keys(): Iterable<Value> {
    return this.sortedNames;
  }

  private get sortedNames(): readonly string[] {
    return (this.sorted ??= Object.keys(this.object).sort(compareBytes));
  }
}
