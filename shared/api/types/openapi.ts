/**
 * OpenAPI schemas of the types, derived from the tables: version 2 definitions or version 3 schemas, with the extensions that clients use.
 * Says nothing of paths and serves nothing. Descriptions are not kept in the tables; `describe` may add them.
 */
import { appendAll } from '../../values/append';
import type { JsonObject, JsonValue } from '../../values/json';
import { schemaOf } from './tables';
import type { FieldSchema, FieldType, Scalar, TypeSchema } from './types';

export interface PublishedKind {
  group: string;
  version: string;
  kind: string;
}

export interface DefinitionOptions {
  version: 2 | 3;
  /** What published names begin with, such as `io.platform`; the caller's dialect decides. */
  root: string;
  /** The group versions in which a type is a kind of its own; empty for all others. */
  kindsOf: (type: string) => readonly PublishedKind[];
  /** The text of a type, or of its member. */
  describe?: (type: string, member?: string) => string | undefined;
}

/** Schemas of types that have a JSON form of their own, under the name that {@link openApiName} publishes. */
const OWN_FORMS: Partial<Record<Scalar, string>> = {
  time: 'meta.v1.Time',
  microTime: 'meta.v1.MicroTime',
  duration: 'meta.v1.Duration',
  fields: 'meta.v1.FieldsV1',
  quantity: 'resource.Quantity',
  intOrString: 'intstr.IntOrString',
  raw: 'runtime.RawExtension',
  json: 'apiextensions.v1.JSON',
};
const ANYTHING = both({});
const OWN_FORM_SCHEMAS: Readonly<Record<string, Readonly<Record<2 | 3, JsonObject>>>> = {
  'meta.v1.Time': both({ type: 'string', format: 'date-time' }),
  'meta.v1.MicroTime': both({ type: 'string', format: 'date-time' }),
  'meta.v1.Duration': both({ type: 'string' }),
  'meta.v1.FieldsV1': both({ type: 'object' }),
  'resource.Quantity': { 2: { type: 'string' }, 3: { oneOf: [{ type: 'string' }, { type: 'number' }] } },
  'intstr.IntOrString': {
    2: { type: 'string', format: 'int-or-string' },
    3: { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
  },
  'runtime.RawExtension': both({ type: 'object' }),
  'apiextensions.v1.JSON': ANYTHING,
  'apiextensions.v1.JSONSchemaPropsOrArray': ANYTHING,
  'apiextensions.v1.JSONSchemaPropsOrBool': ANYTHING,
  'apiextensions.v1.JSONSchemaPropsOrStringArray': ANYTHING,
};
/** Types of these are the shared ones; `resource.v1alpha3.…` is of an API group that is called like a package of theirs. */
const MACHINERY: Readonly<Record<string, string>> = {
  apiextensions: 'apiextensions-apiserver.pkg.apis.apiextensions',
  apiregistration: 'kube-aggregator.pkg.apis.apiregistration',
  meta: 'apimachinery.pkg.apis.meta',
  resource: 'apimachinery.pkg.api.resource',
  intstr: 'apimachinery.pkg.util.intstr',
  runtime: 'apimachinery.pkg.runtime',
  version: 'apimachinery.pkg.version',
};

function both(schema: JsonObject): Record<2 | 3, JsonObject> {
  return { 2: schema, 3: schema };
}

/** What the type names of custom kinds begin with; they have no tables, and are published under what follows. */
export const CUSTOM_TYPE = 'custom:';

/** `core.v1.Pod` → `<root>.api.core.v1.Pod`; the shared types stand under `<root>.apimachinery.pkg…`. */
export function openApiName(type: string, root: string): string {
  if (type.startsWith(CUSTOM_TYPE)) return type.slice(CUSTOM_TYPE.length);
  const group = type.slice(0, type.indexOf('.'));
  const machinery = group === 'resource' && type !== 'resource.Quantity' ? undefined : MACHINERY[group];
  return machinery === undefined ? `${root}.api.${type}` : `${root}.${machinery}${type.slice(group.length)}`;
}

/** Schemas of the types and of everything that they refer to, by published name, sorted. */
export function definitions(types: readonly string[], options: DefinitionOptions): Record<string, JsonObject> {
  const found = new Map<string, JsonObject>();
  const waiting = [...types];
  for (let type = waiting.pop(); type !== undefined; type = waiting.pop()) {
    const name = openApiName(type, options.root);
    if (found.has(name)) continue;
    const builder = new DefinitionBuilder(type, options);
    found.set(name, builder.build());
    appendAll(waiting, builder.references);
  }
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

class DefinitionBuilder {
  readonly references = new Set<string>();

  constructor(
    private readonly type: string,
    private readonly options: DefinitionOptions,
  ) {}

  build(): JsonObject {
    const own = OWN_FORM_SCHEMAS[this.type];
    const description = this.description();
    if (own !== undefined) return { ...description, ...own[this.options.version] };
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
    return { ...this.description(field.name, values), ...this.schema(field.type, isPlain, field), ...extensions(field) };
  }

  /** `withDefault`: version 3 gives what cannot be absent its zero value as default. */
  private schema(type: FieldType, withDefault: boolean, field?: FieldSchema): JsonObject {
    switch (type.kind) {
      case 'object':
        return this.reference(type.type, withDefault);
      case 'either':
        return this.reference(type.type, false, field === undefined);
      case 'list':
        return { type: 'array', items: this.schema(type.of, true, field?.values.length === 0 ? undefined : itemOf(field)) };
      case 'map':
        return { type: 'object', additionalProperties: this.schema(type.of, true, field?.values.length === 0 ? undefined : itemOf(field)) };
      case 'scalar': {
        const own = OWN_FORMS[type.scalar];
        if (own !== undefined) return this.reference(own, false, field === undefined);
        if (type.scalar === 'strings') return this.schema({ kind: 'list', of: { kind: 'scalar', scalar: 'string' } }, false);
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

  private reference(type: string, withDefault: boolean, isBare = false): JsonObject {
    this.references.add(type);
    const name = openApiName(type, this.options.root);
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

  /** `values` = those that the member may have; upstream lists them in the text, too. */
  private description(member?: string, values: readonly string[] = []): JsonObject {
    const { describe } = this.options;
    if (describe === undefined) return {};
    const listed = values.length === 0 ? undefined : ['Possible enum values:', ...values.map((value) => ` - \`"${value}"\``)].join('\n');
    const texts = [describe(this.type, member), listed].filter((text) => text !== undefined);
    return texts.length === 0 ? {} : { description: texts.join('\n\n') };
  }
}

/** The member as the items of its list or map see it: only the values belong to them. */
function itemOf(field: FieldSchema | undefined): FieldSchema | undefined {
  return field === undefined ? undefined : { ...field, defaultValue: undefined };
}

function extensions(field: FieldSchema): JsonObject {
  return {
    ...(field.listMapKeys.length === 0 ? {} : { 'x-kubernetes-list-map-keys': [...field.listMapKeys] }),
    ...(field.listType === undefined ? {} : { 'x-kubernetes-list-type': field.listType }),
    ...(field.mapType === undefined ? {} : { 'x-kubernetes-map-type': field.mapType }),
    ...(field.mergeKey === undefined ? {} : { 'x-kubernetes-patch-merge-key': field.mergeKey }),
    ...(field.patchStrategies.length === 0 ? {} : { 'x-kubernetes-patch-strategy': field.patchStrategies.join(',') }),
  };
}

type PlainScalar = Exclude<Scalar, 'time' | 'microTime' | 'duration' | 'fields' | 'quantity' | 'intOrString' | 'raw' | 'json' | 'strings'>;

const SCALAR_SCHEMAS: Readonly<Partial<Record<Scalar, JsonObject>>> & Readonly<Record<PlainScalar, JsonObject>> = {
  bool: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  uint32: { type: 'integer', format: 'int64' },
  float64: { type: 'number', format: 'double' },
  string: { type: 'string' },
  bytes: { type: 'string', format: 'byte' },
};

const ZEROS: Readonly<Partial<Record<Scalar, string | number | boolean>>> = {
  bool: false,
  int32: 0,
  int64: 0,
  uint32: 0,
  float64: 0,
  string: '',
};
