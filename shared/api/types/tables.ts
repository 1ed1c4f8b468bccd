/**
 * Turns the generated rows (name, number, type and presence of each field) and the supplement (list types, enums,
 * published defaults) into descriptors, each type on first use. The rows are generated from packages; the supplement
 * was recorded from the OpenAPI document of release 1.31.1 and is maintained by hand.
 */
import rows from './generated/types.json';
import supplementRows from './supplement.json';
import type { EitherType, FieldSchema, FieldType, ListType, MapType, Presence, Scalar, TypeSchema } from './types';

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

/** Reads tables from generated rows and adds the facts of the supplement. */
export function readTables(generated: Readonly<Record<string, readonly string[]>>): Tables {
  const types = new Map(Object.entries(generated));
  const schemas = new Map<string, TypeSchema>();
  const schemaOf = (type: string): TypeSchema => {
    let schema = schemas.get(type);
    if (schema !== undefined) return schema;
    const rows = types.get(type);
    if (rows === undefined) throw new Error(`the type tables have no ${type}`);
    schemas.set(type, (schema = readType(type, rows, schemaOf)));
    return schema;
  };
  return { hasSchema: (type) => types.has(type), typeNames: () => [...types.keys()], schemaOf };
}

/** The tables of the installed packages. */
export const { hasSchema, typeNames, schemaOf } = readTables(rows);

function readType(name: string, generated: readonly string[], schemaOf: Tables['schemaOf']): TypeSchema {
  const facts = new Map((SUPPLEMENT.get(name) ?? []).map((row) => [row.slice(0, row.indexOf(' ')), readOptions(row.split(' ').slice(1))]));
  const isTypeMeta = (row: string): boolean => row === '0 - meta.v1.TypeMeta inline';
  const members = generated.filter((row) => !isTypeMeta(row)).map((row) => readMember(row, facts));
  const fields = members.flatMap((member) =>
    member.inline && member.type.kind === 'object' ? schemaOf(member.type.type).fields : [member],
  );
  const byName = new Map(fields.map((field) => [field.name, field]));
  return {
    name,
    goName: name.slice(name.lastIndexOf('.') + 1),
    hasTypeMeta: generated.some(isTypeMeta),
    mapType: MAP_TYPES.get(facts.get('*')?.get('map') ?? ''),
    union: readUnion(facts.get('*')?.get('union')),
    members,
    fields,
    field: (member) => byName.get(member),
  };
}

/** `type:localhostProfile=LocalhostProfile,…` */
function readUnion(text: string | undefined): TypeSchema['union'] {
  if (text === undefined) return undefined;
  const [discriminator = '', members = ''] = text.split(':');
  return { discriminator, members: Object.fromEntries(readOptions(members.split(','))) };
}

/**
 * Reads one generated row; shared/api/types/generate/tables.ts defines the grammar. A supplement row is `<field>
 * <fact>=<value> …`, with `+` for a space in a value.
 */
function readMember(row: string, facts: ReadonlyMap<string, ReadonlyMap<string, string>>): FieldSchema {
  const [number = '0', member = '', typeText = '', presenceText = '', ...flags] = row.split(' ');
  const options = readOptions(flags);
  const type = readFieldType(typeText);
  const supplement = facts.get(member);
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

/** The Go spelling of a type. `named` replaces it; in brackets it replaces the innermost element type. */
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
