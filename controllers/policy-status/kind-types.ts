/**
 * The types that kinds have in expressions of admission policies: built-in kinds from the type tables, others from
 * OpenAPI documents of the API server. Fields without a type in expressions are left out, as upstream does: quantities
 * are among them. The functions are pure.
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

/** A kind that expressions can be checked against; the group is in canonical spelling. */
export interface KnownKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly resource: string;
  /** Called when an expression is checked; types are built on demand. */
  readonly type: () => ObjectType;
}

/** The kinds with type tables that can be stored. */
export const BUILT_IN_KINDS: readonly KnownKind[] = STORED_KINDS.filter(({ virtual }) => virtual !== true).map(
  ({ group, version, kind, resource, type }) => ({ group, version, kind, resource, type: () => builtInType(kind, type) }),
);

const METADATA = 'meta.v1.ObjectMeta';
/** Types that were built without ancestors, by name. With ancestors, some of their fields may be dynamic instead. */
const cachedTypes = new Map<string, ObjectType>();

function builtInType(kind: string, type: string): ObjectType {
  const { fields } = tableType(type, []);
  return { kind: 'object', name: kind, fields: new Map<string, Type>([['kind', STRING], ['apiVersion', STRING], ...fields]) };
}

/** `ancestors`: the types that contain this one. A field of the type of an ancestor is dynamic. */
function tableType(type: string, ancestors: readonly string[]): ObjectType {
  const cached = cachedTypes.get(type);
  if (cached !== undefined) return cached;
  const fields = new Map<string, Type>();
  const schema = schemaOf(type);
  if (schema.hasTypeMeta) for (const name of ['kind', 'apiVersion']) fields.set(name, STRING);
  for (const field of schema.fields) {
    const declared = fieldType(field.type, [...ancestors, type]);
    if (declared !== undefined) for (const name of accessibleNames(field.name)) fields.set(name, declared);
  }
  const objectType: ObjectType = { kind: 'object', name: type, fields };
  if (ancestors.length === 0) cachedTypes.set(type, objectType);
  return objectType;
}

const EMPTY: ObjectType = { kind: 'object', name: 'object', fields: new Map() };

/** `undefined` for a field without a type in expressions. */
function fieldType(type: FieldType, ancestors: readonly string[]): Type | undefined {
  switch (type.kind) {
    case 'object':
      return ancestors.includes(type.type) ? DYN : tableType(type.type, ancestors);
    case 'either':
      return undefined;
    case 'list': {
      const item = fieldType(type.element, ancestors);
      return item === undefined ? undefined : listTypeOf(item);
    }
    case 'map': {
      const item = fieldType(type.element, ancestors);
      return item === undefined ? undefined : mapTypeOf(STRING, item);
    }
    case 'scalar':
      return scalarType(type.scalar);
  }
}

function scalarType(scalar: Extract<FieldType, { kind: 'scalar' }>['scalar']): Type | undefined {
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

/** The OpenAPI extension that names the kind of an operation or a schema. */
const KIND_NAMES = 'x-kubernetes-group-version-kind';
/** The path of a collection, such as `/apis/g/v1/namespaces/{namespace}/widgets`; captures `widgets`. */
const COLLECTION = /\/(?:namespaces\/\{namespace\}\/)?([a-z0-9-]+)$/;

/** The kinds in the OpenAPI document of a group and version: those with a schema and a path to create objects. */
export function kindsOfDocument(group: string, version: string, document: JsonObject): readonly KnownKind[] {
  const schemas = Object.values(objectAt(objectAt(document, 'components'), 'schemas') ?? {}).filter(isObject);
  return Object.entries(objectAt(document, 'paths') ?? {}).flatMap(([path, operations]) => {
    const resource = COLLECTION.exec(path)?.[1];
    const kind = isObject(operations) ? stringAt(objectAt(objectAt(operations, 'post'), KIND_NAMES), 'kind') : undefined;
    if (resource === undefined || kind === undefined) return [];
    const schema = schemas.find((candidate) =>
      (arrayAt(candidate, KIND_NAMES) ?? []).some((name) => isObject(name) && stringAt(name, 'kind') === kind),
    );
    return schema === undefined ? [] : [{ group, version, kind, resource, type: () => rootType(kind, schema) }];
  });
}

function rootType(kind: string, schema: JsonObject): ObjectType {
  const fields = propertiesOf(schema);
  return { kind: 'object', name: kind, fields: new Map([...fields, ...embeddedFields()]) };
}

const embeddedFields = (): readonly (readonly [string, Type])[] => [
  ['kind', STRING],
  ['apiVersion', STRING],
  ['metadata', tableType(METADATA, [])],
];

function propertiesOf(schema: JsonObject): Map<string, Type> {
  const fields = new Map<string, Type>();
  for (const [name, member] of Object.entries(objectAt(schema, 'properties') ?? {})) {
    const type = isObject(member) ? schemaType(member) : undefined;
    if (type !== undefined) for (const spelling of accessibleNames(name)) fields.set(spelling, type);
  }
  return fields;
}

/** Whether the schema has the extension `x-…-{extension}`, in either dialect. */
const hasExtension = (schema: JsonObject, extension: string): boolean =>
  Object.entries(schema).some(([name, value]) => name.endsWith(`-${extension}`) && value === true);

/** `undefined` for a schema without a type in expressions. */
function schemaType(schema: JsonObject): Type | undefined {
  if (hasExtension(schema, 'int-or-string')) return DYN;
  switch (stringAt(schema, 'type')) {
    case 'object': {
      const values = objectAt(schema, 'additionalProperties');
      const value = values === undefined ? undefined : schemaType(values);
      if (values !== undefined) return value === undefined ? undefined : mapTypeOf(STRING, value);
      const embedded = hasExtension(schema, 'embedded-resource') ? embeddedFields() : [];
      return { kind: 'object', name: 'object', fields: new Map([...propertiesOf(schema), ...embedded]) };
    }
    case 'array': {
      const item = schemaType(objectAt(schema, 'items') ?? {});
      return item === undefined ? undefined : listTypeOf(item);
    }
    case 'string':
      return formatType(stringAt(schema, 'format') ?? '');
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

function formatType(format: string): Type {
  if (format === 'byte') return BYTES;
  return format === 'date-time' || format === 'date' ? TIMESTAMP : STRING;
}
