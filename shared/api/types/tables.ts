/**
 * The type tables: descriptors of the types of all built-in kinds, each created on first use from two sources.
 * generated/types.json has a row for each field: its name, number, type and presence. supplement.json adds what the
 * OpenAPI document of release 1.31.1 publishes: list types, enums and defaults; it is maintained by hand.
 */
import rows from './generated/types.json';
import supplementRows from './supplement.json';
import type { EitherType, FieldSchema, FieldType, ListType, MapType, Presence, Scalar, TypeSchema } from './types';

/** By type, its rows `<field> <fact>=<value> …` with `+` for a space in a value. The field `*` stands for the type itself. */
const SUPPLEMENT = new Map<string, readonly string[]>(Object.entries(supplementRows));

const SCALARS: ReadonlyMap<string, Scalar> = new Map(
  (
    [
      'bool',
      'int32',
      'int64',
      'uint32',
      'float64',
      'string',
      'bytes',
      'time',
      'microTime',
      'duration',
      'quantity',
      'intOrString',
      'raw',
      'json',
      'fields',
      'strings',
    ] as const
  ).map((scalar) => [scalar, scalar]),
);
const SCHEMA = 'apiextensions.v1.JSONSchemaProps';
/** By name: the members of a JSON schema that are a schema or another value. */
const EITHER_TYPES: ReadonlyMap<string, EitherType> = new Map(
  [eitherType(SCHEMA, 'Bool', 'bool'), eitherType(SCHEMA, 'Array', 'list'), eitherType(SCHEMA, 'StringArray', 'strings')].map((type) => [
    type.type,
    type,
  ]),
);
const PRESENCES: ReadonlyMap<string, Presence> = new Map(
  (['omit', 'pointer', 'always', 'null'] as const).map((presence) => [presence, presence]),
);
const LIST_TYPES: ReadonlyMap<string, ListType> = new Map((['atomic', 'set', 'map'] as const).map((type) => [type, type]));
const MAP_TYPES: ReadonlyMap<string, MapType> = new Map((['atomic', 'granular'] as const).map((type) => [type, type]));

/** The Go names of types that have a custom JSON form. */
const GO_NAMES: Record<Scalar, string> = {
  bool: 'bool',
  int32: 'int32',
  int64: 'int64',
  uint32: 'uint32',
  float64: 'float64',
  string: 'string',
  bytes: '[]uint8',
  time: 'v1.Time',
  microTime: 'v1.MicroTime',
  duration: 'v1.Duration',
  quantity: 'resource.Quantity',
  intOrString: 'intstr.IntOrString',
  raw: 'runtime.RawExtension',
  json: 'v1.JSON',
  fields: 'v1.FieldsV1',
  strings: '[]string',
};

function eitherType(object: string, other: string, or: EitherType['or']): EitherType {
  return { kind: 'either', type: `${object}Or${other}`, object, or };
}

/** The types of all built-in kinds, by names such as `core.v1.Pod`. */
export interface Tables {
  /** Whether the tables have the type. */
  readonly hasSchema: (type: string) => boolean;
  /** Every type of the tables, sorted. */
  readonly typeNames: () => string[];
  /** The descriptor of a type such as `core.v1.Pod`; throws when the tables have no such type. */
  readonly schemaOf: (type: string) => TypeSchema;
}

/** Reads tables from generated rows, by type, and adds the facts of the supplement. */
export function readTables(generated: Readonly<Record<string, readonly string[]>>): Tables {
  const rowsByType = new Map(Object.entries(generated));
  const schemas = new Map<string, TypeSchema>();
  const schemaOf = (type: string): TypeSchema => {
    let schema = schemas.get(type);
    if (schema !== undefined) return schema;
    const typeRows = rowsByType.get(type);
    if (typeRows === undefined) throw new Error(`the type tables have no ${type}`);
    schemas.set(type, (schema = readType(type, typeRows, schemaOf)));
    return schema;
  };
  return { hasSchema: (type) => rowsByType.has(type), typeNames: () => [...rowsByType.keys()], schemaOf };
}

/** The tables of this server, which are generated from the installed packages. */
export const { hasSchema, typeNames, schemaOf } = readTables(rows);

function readType(name: string, generated: readonly string[], schemaOf: Tables['schemaOf']): TypeSchema {
  const factsByField = new Map(
    (SUPPLEMENT.get(name) ?? []).map((row) => [row.slice(0, row.indexOf(' ')), readOptions(row.split(' ').slice(1))]),
  );
  const typeFacts = factsByField.get('*');
  const isTypeMeta = (row: string): boolean => row === '0 - meta.v1.TypeMeta inline';
  const members = generated.filter((row) => !isTypeMeta(row)).map((row) => readMember(row, factsByField));
  const fields = members.flatMap((member) =>
    member.inline && member.type.kind === 'object' ? schemaOf(member.type.type).fields : [member],
  );
  const byName = new Map(fields.map((field) => [field.name, field]));
  return {
    name,
    goName: name.slice(name.lastIndexOf('.') + 1),
    hasTypeMeta: generated.some(isTypeMeta),
    mapType: MAP_TYPES.get(typeFacts?.get('map') ?? ''),
    union: readUnion(typeFacts?.get('union')),
    members,
    fields,
    field: (member) => byName.get(member),
  };
}

/** Parses `<discriminator>:<field>=<discriminator value>,…`, such as `type:localhostProfile=LocalhostProfile`. */
function readUnion(text: string | undefined): TypeSchema['union'] {
  if (text === undefined) return undefined;
  const [discriminator = '', members = ''] = text.split(':');
  return { discriminator, members: Object.fromEntries(readOptions(members.split(','))) };
}

/**
 * Reads one generated row, such as `3 serviceName string omit`, and adds the facts of the supplement about its field.
 * shared/api/types/generate/tables.ts defines the grammar of generated rows.
 */
function readMember(row: string, factsByField: ReadonlyMap<string, ReadonlyMap<string, string>>): FieldSchema {
  const [number = '0', member = '', typeText = '', presenceText = '', ...flags] = row.split(' ');
  const options = readOptions(flags);
  const type = readFieldType(typeText);
  const supplement = factsByField.get(member);
  const [strategies = '', mergeKey] = (options.get('patch') ?? '').split(':');
  const [listType = '', listKeys = ''] = (supplement?.get('list') ?? '').split(':');
  return {
    name: member === '-' ? '' : member,
    number: Number(number),
    type,
    presence: PRESENCES.get(presenceText) ?? 'always',
    inline: presenceText === 'inline',
    required: options.has('required') || supplement?.has('required') === true,
    goType: goTypeOf(type, options.get('go')),
    patchStrategies: strategies === '' ? [] : strategies.split(','),
    mergeKey,
    listType: LIST_TYPES.get(listType),
    listMapKeys: listKeys === '' ? [] : listKeys.split(','),
    mapType: MAP_TYPES.get(supplement?.get('map') ?? ''),
    values: (supplement?.get('enum')?.split(',') ?? []).map((value) => value.replaceAll('+', ' ')),
    defaultValue: readDefault(type, supplement?.get('default')),
  };
}

/** Parses cells `<name>=<value>`. A cell without `=` is a name with an empty value. */
function readOptions(cells: readonly string[]): Map<string, string> {
  return new Map(
    cells.map((cell): [string, string] => {
      const separator = cell.indexOf('=');
      return separator < 0 ? [cell, ''] : [cell.slice(0, separator), cell.slice(separator + 1)];
    }),
  );
}

function readDefault(type: FieldType, text: string | undefined): string | number | boolean | undefined {
  if (text === undefined || type.kind !== 'scalar') return undefined;
  if (type.scalar === 'bool') return text === 'true';
  return type.scalar === 'string' ? text : Number(text);
}

function readFieldType(text: string): FieldType {
  if (text.startsWith('[]')) return { kind: 'list', element: readFieldType(text.slice(2)) };
  if (text.startsWith('map:')) return { kind: 'map', element: readFieldType(text.slice(4)) };
  const scalar = SCALARS.get(text);
  return scalar === undefined ? (EITHER_TYPES.get(text) ?? { kind: 'object', type: text }) : { kind: 'scalar', scalar };
}

/**
 * The Go spelling of a type. `named` is the `go` option of the row: it replaces the type as a whole (`v1.ServiceType`), or
 * in brackets the innermost element type of lists and maps (`[v1.IPFamily]` gives `[]v1.IPFamily`).
 */
function goTypeOf(type: FieldType, named: string | undefined): string {
  if (named !== undefined && !named.startsWith('[')) return named;
  const inner = named?.slice(1, -1);
  switch (type.kind) {
    case 'scalar':
      return GO_NAMES[type.scalar];
    case 'object':
    case 'either':
      return type.type.slice(type.type.indexOf('.') + 1);
    case 'list':
      return `[]${goTypeOf(type.element, inner)}`;
    case 'map':
      return `map[string]${goTypeOf(type.element, inner)}`;
  }
}

/**
 * The object type of a field, or of the items of its lists and maps at any depth; `undefined` when these are scalars.
 */
export function innermostObjectType(type: FieldType): string | undefined {
  switch (type.kind) {
    case 'scalar':
      return undefined;
    case 'either':
      return type.object;
    case 'object':
      return type.type;
    case 'list':
    case 'map':
      return innermostObjectType(type.element);
  }
}
