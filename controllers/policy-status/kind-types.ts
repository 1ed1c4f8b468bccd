/**
 * What expressions of policies may know of the objects of a kind: built-in kinds as their type tables say, others as the server's OpenAPI documents do. Members that no
 * type can be given are not there, as in upstream's eyes: quantities among them. Reads nothing.
 */
import { STORED_KINDS } from '../../shared/api/kinds';
import { schemaOf, type FieldType } from '../../shared/api/types';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DYN,
  INT,
  listTypeOf,
  mapTypeOf,
  STRING,
  TIMESTAMP,
  type ObjectType,
  type Type,
} from '../../shared/expression/types/type';
import { accessibleNames } from '../../shared/expression/custom/field-names';
import { arrayAt, isObject, objectAt, stringAt, type JsonObject } from '../../shared/values/json';

export interface KnownKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly resource: string;
  readonly type: () => ObjectType;
}

/** The kinds that are built in. */
export const BUILT_IN: readonly KnownKind[] = STORED_KINDS.filter(({ virtual }) => virtual !== true).map(
  ({ group, version, kind, resource, type }) => ({ group, version, kind, resource, type: () => ofObject(kind, type) }),
);

const METADATA = 'meta.v1.ObjectMeta';
const known = new Map<string, ObjectType>();

function ofObject(kind: string, type: string): ObjectType {
  const { fields } = ofTable(type, []);
  return { kind: 'object', name: kind, fields: new Map<string, Type>([['kind', STRING], ['apiVersion', STRING], ...fields]) };
}

/** `above` = the types in which it stands; one that holds itself may hold anything there. */
function ofTable(type: string, above: readonly string[]): ObjectType {
  const found = known.get(type);
  if (found !== undefined) return found;
  const fields = new Map<string, Type>();
  const schema = schemaOf(type);
  if (schema.hasTypeMeta) for (const name of ['kind', 'apiVersion']) fields.set(name, STRING);
  for (const field of schema.fields) {
    const found = ofField(field.type, [...above, type]);
    if (found !== undefined) for (const name of accessibleNames(field.name)) fields.set(name, found);
  }
  const made: ObjectType = { kind: 'object', name: type, fields };
  if (above.length === 0) known.set(type, made);
  return made;
}

const EMPTY: ObjectType = { kind: 'object', name: 'object', fields: new Map() };

function ofField(type: FieldType, above: readonly string[]): Type | undefined {
  switch (type.kind) {
    case 'object':
      return above.includes(type.type) ? DYN : ofTable(type.type, above);
    case 'either':
      return undefined;
    case 'list': {
      const item = ofField(type.element, above);
      return item === undefined ? undefined : listTypeOf(item);
    }
    case 'map': {
      const item = ofField(type.element, above);
      return item === undefined ? undefined : mapTypeOf(STRING, item);
    }
    case 'scalar':
      return ofScalar(type.scalar);
  }
}

function ofScalar(scalar: Extract<FieldType, { kind: 'scalar' }>['scalar']): Type | undefined {
  switch (scalar) {
    case 'bool':
      return BOOL;
    case 'int32':
    case 'int64':
    case 'uint32':
      return INT;
    case 'float64':
      return DOUBLE;
    case 'string':
    case 'duration':
      return STRING;
    case 'bytes':
      return BYTES;
    case 'time':
    case 'microTime':
      return TIMESTAMP;
    case 'intOrString':
      return DYN;
    case 'raw':
    case 'fields':
      return EMPTY;
    case 'json':
    case 'strings':
    case 'quantity':
      return undefined;
  }
}

const KIND_NAMES = 'x-kubernetes-group-version-kind';
const COLLECTION = /\/(?:namespaces\/\{namespace\}\/)?([a-z0-9-]+)$/;

/** The kinds of a group and version, as the OpenAPI document of the two says. */
export function kindsOfDocument(group: string, version: string, document: JsonObject): readonly KnownKind[] {
  const schemas = Object.values(objectAt(objectAt(document, 'components'), 'schemas') ?? {}).filter(isObject);
  return Object.entries(objectAt(document, 'paths') ?? {}).flatMap(([path, operations]) => {
    const resource = COLLECTION.exec(path)?.[1];
    const kind = isObject(operations) ? stringAt(objectAt(objectAt(operations, 'post'), KIND_NAMES), 'kind') : undefined;
    if (resource === undefined || kind === undefined) return [];
    const schema = schemas.find((one) =>
      (arrayAt(one, KIND_NAMES) ?? []).some((name) => isObject(name) && stringAt(name, 'kind') === kind),
    );
    return schema === undefined ? [] : [{ group, version, kind, resource, type: () => ofRoot(kind, schema) }];
  });
}

function ofRoot(kind: string, schema: JsonObject): ObjectType {
  const fields = membersOf(schema);
  return { kind: 'object', name: kind, fields: new Map([...fields, ...ofEmbedded()]) };
}

const ofEmbedded = (): readonly (readonly [string, Type])[] => [
  ['kind', STRING],
  ['apiVersion', STRING],
  ['metadata', ofTable(METADATA, [])],
];

function membersOf(schema: JsonObject): Map<string, Type> {
  const fields = new Map<string, Type>();
  for (const [name, member] of Object.entries(objectAt(schema, 'properties') ?? {})) {
    const type = isObject(member) ? ofSchema(member) : undefined;
    if (type !== undefined) for (const spelling of accessibleNames(name)) fields.set(spelling, type);
  }
  return fields;
}

const is = (schema: JsonObject, extension: string): boolean =>
  Object.entries(schema).some(([name, value]) => name.endsWith(`-${extension}`) && value === true);

function ofSchema(schema: JsonObject): Type | undefined {
  if (is(schema, 'int-or-string')) return DYN;
  switch (stringAt(schema, 'type')) {
    case 'object': {
      const values = objectAt(schema, 'additionalProperties');
      const value = values === undefined ? undefined : ofSchema(values);
      if (values !== undefined) return value === undefined ? undefined : mapTypeOf(STRING, value);
      const embedded = is(schema, 'embedded-resource') ? ofEmbedded() : [];
      return { kind: 'object', name: 'object', fields: new Map([...membersOf(schema), ...embedded]) };
    }
    case 'array': {
      const item = ofSchema(objectAt(schema, 'items') ?? {});
      return item === undefined ? undefined : listTypeOf(item);
    }
    case 'string':
      return ofFormat(stringAt(schema, 'format') ?? '');
    case 'integer':
      return INT;
    case 'number':
      return DOUBLE;
    case 'boolean':
      return BOOL;
    default:
      return undefined;
  }
}

function ofFormat(format: string): Type {
  if (format === 'byte') return BYTES;
  return format === 'date-time' || format === 'date' ? TIMESTAMP : STRING;
}
