/**
 * Reads the schema of a custom resource's version (`spec.versions[].schema.openAPIV3Schema`) into a {@link SchemaNode}.
 * The definition has been decoded and validated before; a malformed value counts as absent. Never throws.
 */
import { arrayAt, isObject, objectAt, ownMember, sortedKeys, stringAt, type JsonObject, type JsonValue } from '../../values/json';
import type { ValueValidation, SchemaNode, SchemaType, ValidationRule } from './schema-node';

/** Below this depth a schema restricts nothing. The limit allows code that walks a schema to recurse. */
export const MAX_SCHEMA_DEPTH = 500;

/** Reads a schema; its restrictions below {@link MAX_SCHEMA_DEPTH} are ignored. */
export function readSchema(openAPIV3Schema: JsonObject): SchemaNode {
  return readNode(openAPIV3Schema, 0);
}

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'] as const satisfies readonly SchemaType[];
const LIST_TYPES = ['atomic', 'map', 'set'] as const;
const MAP_TYPES = ['atomic', 'granular'] as const;

/** Returns an object literal with every member: there are many nodes, and all should have the same hidden class. */
function readNode(source: JsonObject, depth: number): SchemaNode {
  if (depth >= MAX_SCHEMA_DEPTH) return readNode({ 'x-kubernetes-preserve-unknown-fields': true }, 0);
  const below = (value: JsonObject): SchemaNode => readNode(value, depth + 1);
  const validation = readOwnValidation(source, depth);
  return {
    type: validation.type,
    format: validation.format,
    minimum: validation.minimum,
    exclusiveMinimum: validation.exclusiveMinimum,
    maximum: validation.maximum,
    exclusiveMaximum: validation.exclusiveMaximum,
    multipleOf: validation.multipleOf,
    minLength: validation.minLength,
    maxLength: validation.maxLength,
    pattern: validation.pattern,
    minItems: validation.minItems,
    maxItems: validation.maxItems,
    uniqueItems: validation.uniqueItems,
    minProperties: validation.minProperties,
    maxProperties: validation.maxProperties,
    required: validation.required,
    enumValues: validation.enumValues,
    allOf: validation.allOf,
    anyOf: validation.anyOf,
    oneOf: validation.oneOf,
    not: validation.not,
    title: stringAt(source, 'title') ?? '',
    description: stringAt(source, 'description') ?? '',
    nullable: isTrue(source, 'nullable'),
    defaultValue: ownMember(source, 'default'),
    intOrString: isTrue(source, 'x-kubernetes-int-or-string'),
    preservesUnknownFields: isTrue(source, 'x-kubernetes-preserve-unknown-fields'),
    embeddedResource: isTrue(source, 'x-kubernetes-embedded-resource'),
    listType: findAllowed(LIST_TYPES, stringAt(source, 'x-kubernetes-list-type')),
    listMapKeys: stringsOf(source, 'x-kubernetes-list-map-keys'),
    mapType: findAllowed(MAP_TYPES, stringAt(source, 'x-kubernetes-map-type')),
    rules: readEach(source, 'x-kubernetes-validations', readRule),
    properties: readProperties(source, below),
    additionalProperties: readAdditionalProperties(source, below),
    items: readItems(source, below),
    source,
  };
}

/** Reads a schema below `allOf`, `anyOf`, `oneOf` or `not`, where only value validation is allowed. */
function readValueValidation(source: JsonObject, depth: number): ValueValidation {
  const below = (value: JsonObject): ValueValidation => readValueValidation(value, depth + 1);
  const isTooDeep = depth >= MAX_SCHEMA_DEPTH;
  return {
    ...readOwnValidation(source, depth),
    properties: isTooDeep ? new Map() : readProperties(source, below),
    items: isTooDeep ? undefined : readItems(source, below),
  };
}

/** Shared by all nodes that have no list of that kind, or no properties. */
const NONE: readonly never[] = [];
const NO_MEMBERS = new Map<string, never>();

/** Reads the restrictions of the value itself, without those of its members and items. */
function readOwnValidation(source: JsonObject, depth: number): Omit<ValueValidation, 'properties' | 'items'> {
  const below = (value: JsonObject): ValueValidation => readValueValidation(value, depth + 1);
  const isTooDeep = depth >= MAX_SCHEMA_DEPTH;
  const alternatives = (member: string): readonly ValueValidation[] => (isTooDeep ? NONE : readEach(source, member, below));
  const not = objectAt(source, 'not');
  return {
    type: findAllowed(TYPES, stringAt(source, 'type')),
    format: stringAt(source, 'format') ?? '',
    minimum: numberAt(source, 'minimum'),
    exclusiveMinimum: isTrue(source, 'exclusiveMinimum'),
    maximum: numberAt(source, 'maximum'),
    exclusiveMaximum: isTrue(source, 'exclusiveMaximum'),
    multipleOf: numberAt(source, 'multipleOf'),
    minLength: numberAt(source, 'minLength'),
    maxLength: numberAt(source, 'maxLength'),
    pattern: stringAt(source, 'pattern') ?? '',
    minItems: numberAt(source, 'minItems'),
    maxItems: numberAt(source, 'maxItems'),
    uniqueItems: isTrue(source, 'uniqueItems'),
    minProperties: numberAt(source, 'minProperties'),
    maxProperties: numberAt(source, 'maxProperties'),
    required: stringsOf(source, 'required'),
    enumValues: arrayAt(source, 'enum'),
    allOf: alternatives('allOf'),
    anyOf: alternatives('anyOf'),
    oneOf: alternatives('oneOf'),
    not: not === undefined || isTooDeep ? undefined : below(not),
  };
}

function readRule(source: JsonObject): ValidationRule {
  const optionalOldSelf = ownMember(source, 'optionalOldSelf');
  return {
    rule: stringAt(source, 'rule') ?? '',
    message: stringAt(source, 'message') ?? '',
    messageExpression: stringAt(source, 'messageExpression') ?? '',
    reason: stringAt(source, 'reason'),
    fieldPath: stringAt(source, 'fieldPath') ?? '',
    optionalOldSelf: typeof optionalOldSelf === 'boolean' ? optionalOldSelf : undefined,
  };
}

/** Reads the schemas of the properties, sorted by name. */
function readProperties<T>(source: JsonObject, read: (value: JsonObject) => T): ReadonlyMap<string, T> {
  const members = objectAt(source, 'properties');
  if (members === undefined) return NO_MEMBERS;
  const schemas = new Map<string, T>();
  for (const name of sortedKeys(members)) {
    const value = ownMember(members, name);
    if (isObject(value)) schemas.set(name, read(value));
  }
  return schemas;
}

function readAdditionalProperties<T>(source: JsonObject, read: (value: JsonObject) => T): T | boolean | undefined {
  const additional = ownMember(source, 'additionalProperties');
  if (isObject(additional)) return read(additional);
  return typeof additional === 'boolean' ? additional : undefined;
}

/** Reads the schema of all items. */
function readItems<T>(source: JsonObject, read: (value: JsonObject) => T): T | undefined {
  const schema = objectAt(source, 'items');
  return schema === undefined ? undefined : read(schema);
}

function findAllowed<T extends string>(allowed: readonly T[], text: string | undefined): T | undefined {
  return allowed.find((candidate) => candidate === text);
}

function isTrue(source: JsonObject, member: string): boolean {
  return ownMember(source, member) === true;
}

function numberAt(source: JsonObject, member: string): number | undefined {
  const value: JsonValue | undefined = ownMember(source, member);
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined;
}

function stringsOf(source: JsonObject, member: string): readonly string[] {
  const list = arrayAt(source, member);
  return list === undefined ? NONE : list.filter((item) => typeof item === 'string');
}

/** Reads the items of a list that are objects. */
function readEach<T>(source: JsonObject, member: string, read: (value: JsonObject) => T): readonly T[] {
  const list = arrayAt(source, member);
  return list === undefined ? NONE : list.filter(isObject).map(read);
}
