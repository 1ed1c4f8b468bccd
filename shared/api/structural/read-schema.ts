/**
 * Reads the schema of a custom resource's version (`spec.versions[].schema.openAPIV3Schema`) into a {@link SchemaNode}. The definition has been
 * decoded and judged before; what is odd all the same counts as absent. Never throws, never judges.
 */
import { arrayAt, isObject, objectAt, own, sortedKeys, stringAt, type JsonObject, type JsonValue } from '../../values/json';
import type { Restrictions, SchemaNode, SchemaType, ValidationRule } from './schema-node';

/** Below this depth everything is allowed, so that whoever walks along a schema may do so without a loop of its own. */
export const MOST_DEPTH = 500;

export function readSchema(openAPIV3Schema: JsonObject): SchemaNode {
  return readNode(openAPIV3Schema, 0);
}

/** One literal with every member: nodes are many, and all of one shape. */
function readNode(source: JsonObject, depth: number): SchemaNode {
  if (depth >= MOST_DEPTH) return readNode({ 'x-kubernetes-preserve-unknown-fields': true }, 0);
  const below = (value: JsonObject): SchemaNode => readNode(value, depth + 1);
  const additional = own(source, 'additionalProperties');
  const limits = readLimits(source, depth);
  return {
    type: limits.type,
    format: limits.format,
    minimum: limits.minimum,
    exclusiveMinimum: limits.exclusiveMinimum,
    maximum: limits.maximum,
    exclusiveMaximum: limits.exclusiveMaximum,
    multipleOf: limits.multipleOf,
    minLength: limits.minLength,
    maxLength: limits.maxLength,
    pattern: limits.pattern,
    minItems: limits.minItems,
    maxItems: limits.maxItems,
    uniqueItems: limits.uniqueItems,
    minProperties: limits.minProperties,
    maxProperties: limits.maxProperties,
    required: limits.required,
    values: limits.values,
    allOf: limits.allOf,
    anyOf: limits.anyOf,
    oneOf: limits.oneOf,
    not: limits.not,
    title: stringAt(source, 'title') ?? '',
    description: stringAt(source, 'description') ?? '',
    nullable: isTrue(source, 'nullable'),
    defaultValue: own(source, 'default'),
    intOrString: isTrue(source, 'x-kubernetes-int-or-string'),
    preservesUnknownFields: isTrue(source, 'x-kubernetes-preserve-unknown-fields'),
    embeddedResource: isTrue(source, 'x-kubernetes-embedded-resource'),
    listType: oneOf(LIST_TYPES, stringAt(source, 'x-kubernetes-list-type')),
    listMapKeys: strings(source, 'x-kubernetes-list-map-keys'),
    mapType: oneOf(MAP_TYPES, stringAt(source, 'x-kubernetes-map-type')),
    rules: each(source, 'x-kubernetes-validations', readRule),
    properties: properties(source, below),
    additionalProperties: isObject(additional) ? below(additional) : typeof additional === 'boolean' ? additional : undefined,
    items: items(source, below),
    source,
  };
}

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'] as const satisfies readonly SchemaType[];
const LIST_TYPES = ['atomic', 'map', 'set'] as const;
const MAP_TYPES = ['atomic', 'granular'] as const;

function readRestrictions(source: JsonObject, depth: number): Restrictions {
  const below = (value: JsonObject): Restrictions => readRestrictions(value, depth + 1);
  const isTooDeep = depth >= MOST_DEPTH;
  return {
    ...readLimits(source, depth),
    properties: isTooDeep ? new Map() : properties(source, below),
    items: isTooDeep ? undefined : items(source, below),
  };
}

/** What is said of the value itself. */
function readLimits(source: JsonObject, depth: number): Omit<Restrictions, 'properties' | 'items'> {
  const below = (value: JsonObject): Restrictions => readRestrictions(value, depth + 1);
  const isTooDeep = depth >= MOST_DEPTH;
  const alternatives = (member: string): readonly Restrictions[] => (isTooDeep ? NONE : each(source, member, below));
  const not = objectAt(source, 'not');
  return {
    type: oneOf(TYPES, stringAt(source, 'type')),
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
    required: strings(source, 'required'),
    values: arrayAt(source, 'enum'),
    allOf: alternatives('allOf'),
    anyOf: alternatives('anyOf'),
    oneOf: alternatives('oneOf'),
    not: not === undefined || isTooDeep ? undefined : below(not),
  };
}

function readRule(source: JsonObject): ValidationRule {
  const optionalOldSelf = own(source, 'optionalOldSelf');
  return {
    rule: stringAt(source, 'rule') ?? '',
    message: stringAt(source, 'message') ?? '',
    messageExpression: stringAt(source, 'messageExpression') ?? '',
    reason: stringAt(source, 'reason'),
    fieldPath: stringAt(source, 'fieldPath') ?? '',
    optionalOldSelf: typeof optionalOldSelf === 'boolean' ? optionalOldSelf : undefined,
  };
}

/** Sorted by name. */
function properties<T>(source: JsonObject, read: (value: JsonObject) => T): ReadonlyMap<string, T> {
  const members = objectAt(source, 'properties');
  if (members === undefined) return NO_MEMBERS;
  const found = new Map<string, T>();
  for (const name of sortedKeys(members)) {
    const value = own(members, name);
    if (isObject(value)) found.set(name, read(value));
  }
  return found;
}

/** Shared by the many that say nothing. */
const NONE: readonly never[] = [];
const NO_MEMBERS = new Map<string, never>();

/** One schema for all items. */
function items<T>(source: JsonObject, read: (value: JsonObject) => T): T | undefined {
  const found = objectAt(source, 'items');
  return found === undefined ? undefined : read(found);
}

function oneOf<T extends string>(allowed: readonly T[], text: string | undefined): T | undefined {
  return allowed.find((candidate) => candidate === text);
}

function isTrue(source: JsonObject, member: string): boolean {
  return own(source, member) === true;
}

function numberAt(source: JsonObject, member: string): number | undefined {
  const value: JsonValue | undefined = own(source, member);
  return typeof value === 'number' ? value : typeof value === 'bigint' ? Number(value) : undefined;
}

function strings(source: JsonObject, member: string): readonly string[] {
  const found = arrayAt(source, member);
  return found === undefined ? NONE : found.filter((item) => typeof item === 'string');
}

/** What is made of the objects of a list. */
function each<T>(source: JsonObject, member: string, read: (value: JsonObject) => T): readonly T[] {
  const found = arrayAt(source, member);
  return found === undefined ? NONE : found.filter(isObject).map(read);
}
