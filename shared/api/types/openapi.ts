/**
 * OpenAPI schemas of the types, derived from the type tables: v2 definitions or v3 schemas, with the `x-kubernetes-…`
 * extensions that clients use. Leaves paths and serving to apiserver/openapi. The tables hold no descriptions;
 * `describe` may add them.
 */
import { appendAll } from '../../values/append';
import type { JsonObject, JsonValue } from '../../values/json';
import { schemaOf } from './tables';
import type { FieldSchema, FieldType, Scalar, TypeSchema } from './types';

/** A kind in the extension `x-kubernetes-group-version-kind`. */
export interface PublishedKind {
  group: string;
  version: string;
  kind: string;
}

export interface DefinitionOptions {
  /** The version of OpenAPI. */
  version: 2 | 3;
  /** The start of published names, such as `io.platform`; depends on the dialect of the client. */
  namePrefix: string;
  /** The group versions in which the type is a kind; empty for all other types. */
  kindsOf: (type: string) => readonly PublishedKind[];
  /** The description of a type, or of its field `member`. Without this function nothing is described. */
  describe?: (type: string, member?: string) => string | undefined;
}

/** Types with a custom JSON form are published under the name that {@link openApiName} returns. */
const PUBLISHED_SCALARS: Partial<Record<Scalar, string>> = {
  time: 'meta.v1.Time',
  microTime: 'meta.v1.MicroTime',
  duration: 'meta.v1.Duration',
  fields: 'meta.v1.FieldsV1',
  quantity: 'resource.Quantity',
  intOrString: 'intstr.IntOrString',
  raw: 'runtime.RawExtension',
  json: 'apiextensions.v1.JSON',
};
const ANY_VALUE = forBothVersions({});
/** The schemas of the types with a custom JSON form, by type and version of OpenAPI. */
const PUBLISHED_SCALAR_SCHEMAS: Readonly<Record<string, Readonly<Record<2 | 3, JsonObject>>>> = {
  'meta.v1.Time': forBothVersions({ type: 'string', format: 'date-time' }),
  'meta.v1.MicroTime': forBothVersions({ type: 'string', format: 'date-time' }),
  'meta.v1.Duration': forBothVersions({ type: 'string' }),
  'meta.v1.FieldsV1': forBothVersions({ type: 'object' }),
  'resource.Quantity': { 2: { type: 'string' }, 3: { oneOf: [{ type: 'string' }, { type: 'number' }] } },
  'intstr.IntOrString': {
    2: { type: 'string', format: 'int-or-string' },
    3: { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
  },
  'runtime.RawExtension': forBothVersions({ type: 'object' }),
  'apiextensions.v1.JSON': ANY_VALUE,
  'apiextensions.v1.JSONSchemaPropsOrArray': ANY_VALUE,
  'apiextensions.v1.JSONSchemaPropsOrBool': ANY_VALUE,
  'apiextensions.v1.JSONSchemaPropsOrStringArray': ANY_VALUE,
};
/**
 * The Go packages of the types that are not in `k8s.io/api`, by the first part of the type's name. The API group
 * `resource` (`resource.v1alpha3.…`) has the name of such a package, but is in `k8s.io/api`.
 */
const SHARED_PACKAGES: Readonly<Record<string, string>> = {
  apiextensions: 'apiextensions-apiserver.pkg.apis.apiextensions',
  apiregistration: 'kube-aggregator.pkg.apis.apiregistration',
  meta: 'apimachinery.pkg.apis.meta',
  resource: 'apimachinery.pkg.api.resource',
  intstr: 'apimachinery.pkg.util.intstr',
  runtime: 'apimachinery.pkg.runtime',
  version: 'apimachinery.pkg.version',
};

function forBothVersions(schema: JsonObject): Record<2 | 3, JsonObject> {
  return { 2: schema, 3: schema };
}

/** Prefix of the type names of custom kinds. These have no type tables and are published under the rest of the name. */
export const CUSTOM_TYPE_PREFIX = 'custom:';

/** `core.v1.Pod` → `<prefix>.api.core.v1.Pod`; shared types are published under `<prefix>.apimachinery.pkg…`. */
export function openApiName(type: string, namePrefix: string): string {
  if (type.startsWith(CUSTOM_TYPE_PREFIX)) return type.slice(CUSTOM_TYPE_PREFIX.length);
  const group = type.slice(0, type.indexOf('.'));
  const sharedPackage = group === 'resource' && type !== 'resource.Quantity' ? undefined : SHARED_PACKAGES[group];
  return sharedPackage === undefined ? `${namePrefix}.api.${type}` : `${namePrefix}.${sharedPackage}${type.slice(group.length)}`;
}

/** The schemas of the types and of all types that they refer to, by published name, sorted. */
export function buildDefinitions(types: readonly string[], options: DefinitionOptions): Record<string, JsonObject> {
  const schemas = new Map<string, JsonObject>();
  const queue = [...types];
  for (let type = queue.pop(); type !== undefined; type = queue.pop()) {
    const name = openApiName(type, options.namePrefix);
    if (schemas.has(name)) continue;
    const builder = new DefinitionBuilder(type, options);
    schemas.set(name, builder.build());
    appendAll(queue, builder.references);
  }
  return Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The zero values that v3 publishes as defaults. */
const ZEROS: Readonly<Partial<Record<Scalar, string | number | boolean>>> = {
  bool: false,
  int32: 0,
  int64: 0,
  uint32: 0,
  float64: 0,
  string: '',
};

/** Scalars without a published type of their own. */
type PlainScalar = Exclude<Scalar, 'time' | 'microTime' | 'duration' | 'fields' | 'quantity' | 'intOrString' | 'raw' | 'json' | 'strings'>;

/** Their schemas, in both versions. */
const SCALAR_SCHEMAS: Readonly<Partial<Record<Scalar, JsonObject>>> & Readonly<Record<PlainScalar, JsonObject>> = {
  bool: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  uint32: { type: 'integer', format: 'int64' },
  float64: { type: 'number', format: 'double' },
  string: { type: 'string' },
  bytes: { type: 'string', format: 'byte' },
};

/** Builds the schema of one type. */
class DefinitionBuilder {
  /** The types that the schema refers to. */
  readonly references = new Set<string>();

  constructor(
    private readonly type: string,
    private readonly options: DefinitionOptions,
  ) {}

  build(): JsonObject {
    const published = PUBLISHED_SCALAR_SCHEMAS[this.type];
    const description = this.description();
    if (published !== undefined) return { ...description, ...published[this.options.version] };
    const schema = schemaOf(this.type);
    const required = schema.fields.filter((field) => field.required).map((field) => field.name);
    const properties = this.properties(schema);
    return {
      ...description,
      type: 'object',
      ...(required.length === 0 ? {} : { required }),
      ...(Object.keys(properties).length === 0 ? {} : { properties }),
      ...this.typeExtensions(schema),
    };
  }

  private properties(schema: TypeSchema): JsonObject {
    const properties = new Map<string, JsonObject>();
    if (schema.hasTypeMeta)
      for (const member of ['apiVersion', 'kind']) properties.set(member, { ...this.description(member), type: 'string' });
    for (const field of schema.fields) properties.set(field.name, this.property(field));
    return Object.fromEntries([...properties].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  private property(field: FieldSchema): JsonObject {
    const isPlain = field.presence === 'always' || field.defaultValue !== undefined;
    const values = field.type.kind === 'scalar' ? field.values : [];
    return {
      ...this.description(field.name, values),
      ...this.schema(field.type, { withDefault: isPlain }, field),
      ...fieldExtensions(field),
    };
  }

  /**
   * The schema of a field or, without `field`, of the items of a list or map. `withDefault`: in v3 the schema has a
   * default: that of the field, or the zero value.
   */
  private schema(type: FieldType, { withDefault }: { readonly withDefault: boolean }, field?: FieldSchema): JsonObject {
    switch (type.kind) {
      case 'object':
        return this.reference(type.type, { withDefault });
      case 'either':
        return this.reference(type.type, { isBare: field === undefined });
      case 'list':
        return {
          type: 'array',
          items: this.schema(type.element, { withDefault: true }, fieldOfItems(field)),
        };
      case 'map':
        return {
          type: 'object',
          additionalProperties: this.schema(type.element, { withDefault: true }, fieldOfItems(field)),
        };
      case 'scalar': {
        const published = PUBLISHED_SCALARS[type.scalar];
        if (published !== undefined) return this.reference(published, { isBare: field === undefined });
        if (type.scalar === 'strings')
          return this.schema({ kind: 'list', element: { kind: 'scalar', scalar: 'string' } }, { withDefault: false });
        const zero = field?.defaultValue ?? ZEROS[type.scalar];
        const values = field?.values ?? [];
        return {
          ...SCALAR_SCHEMAS[type.scalar],
          ...(this.options.version === 3 && withDefault && zero !== undefined ? { default: zero } : {}),
          ...(values.length === 0 ? {} : { enum: [...values] }),
        };
      }
    }
  }

  /** A reference to a type. `isBare`: the `$ref` stands alone, as in items; in v2 it always does. */
  private reference(
    type: string,
    { withDefault = false, isBare = false }: { readonly withDefault?: boolean; readonly isBare?: boolean },
  ): JsonObject {
    this.references.add(type);
    const name = openApiName(type, this.options.namePrefix);
    if (this.options.version === 2) return { $ref: `#/definitions/${name}` };
    const target = { $ref: `#/components/schemas/${name}` };
    if (isBare) return target;
    return { ...(withDefault ? { default: {} } : {}), allOf: [target] };
  }

  private typeExtensions(schema: TypeSchema): JsonObject {
    const kinds = this.options.kindsOf(this.type);
    const { union } = schema;
    return {
      ...(kinds.length === 0
        ? {}
        : { 'x-kubernetes-group-version-kind': kinds.map(({ group, kind, version }): JsonValue => ({ group, kind, version })) }),
      ...(schema.mapType === undefined ? {} : { 'x-kubernetes-map-type': schema.mapType }),
      ...(union === undefined
        ? {}
        : { 'x-kubernetes-unions': [{ discriminator: union.discriminator, 'fields-to-discriminateBy': { ...union.members } }] }),
    };
  }

  /** `values` are the permitted values of the field; upstream lists them in the description as well. */
  private description(member?: string, values: readonly string[] = []): JsonObject {
    const { describe } = this.options;
    if (describe === undefined) return {};
    const listed = values.length === 0 ? undefined : ['Possible enum values:', ...values.map((value) => ` - \`"${value}"\``)].join('\n');
    const texts = [describe(this.type, member), listed].filter((text) => text !== undefined);
    return texts.length === 0 ? {} : { description: texts.join('\n\n') };
  }
}

/** The field as its items see it: they have its permitted values, not its default. `undefined` when it permits any value. */
function fieldOfItems(field: FieldSchema | undefined): FieldSchema | undefined {
  return field === undefined || field.values.length === 0 ? undefined : { ...field, defaultValue: undefined };
}

function fieldExtensions(field: FieldSchema): JsonObject {
  return {
    ...(field.listMapKeys.length === 0 ? {} : { 'x-kubernetes-list-map-keys': [...field.listMapKeys] }),
    ...(field.listType === undefined ? {} : { 'x-kubernetes-list-type': field.listType }),
    ...(field.mapType === undefined ? {} : { 'x-kubernetes-map-type': field.mapType }),
    ...(field.mergeKey === undefined ? {} : { 'x-kubernetes-patch-merge-key': field.mergeKey }),
    ...(field.patchStrategies.length === 0 ? {} : { 'x-kubernetes-patch-strategy': field.patchStrategies.join(',') }),
  };
}
