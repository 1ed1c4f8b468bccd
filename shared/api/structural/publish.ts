/**
 * A custom schema as the OpenAPI documents publish it. Version 3 can say nearly everything; version 2 knows neither null nor alternatives, so what they
 * are about is left open there. References to shared types are the caller's to name.
 */
import { arrayAt, isObject, objectAt, own, setMember, sortedKeys, type JsonObject, type JsonValue } from '../../values/json';
import { MOST_DEPTH } from './read-schema';

export interface PublishOptions {
  readonly version: 2 | 3;
  /** What every whole object has: its apiVersion, kind and metadata. */
  readonly objectMembers: JsonObject;
  /** The same of objects inside other ones. */
  readonly embeddedMembers: JsonObject;
}

/**
 * The schema of a whole object, without the kinds that it is of, from what a definition says (`openAPIV3Schema`). Version 2 says nothing of one that may have
 * any members.
 */
export function publishSchema(schema: JsonObject, options: PublishOptions): JsonObject {
  if (isTrue(schema, PRESERVES) && options.version === 2) return { type: 'object' };
  const published = publish(schema, options, 0, false);
  return { ...published, properties: { ...objectOf(published['properties'] ?? {}), ...options.objectMembers } };
}

const PRESERVES = 'x-kubernetes-preserve-unknown-fields';

/** What stands as it is, in both versions. */
const PLAIN = new Set([
  'description',
  'title',
  'format',
  'minimum',
  'exclusiveMinimum',
  'maximum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'required',
  'enum',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-map-type',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-validations',
]);
/** The same, and what version 2 cannot say. */
const LATER = new Set([...PLAIN, 'nullable', 'default', 'allOf', 'anyOf', 'oneOf', 'not']);
const EITHER: JsonValue = [{ type: 'integer' }, { type: 'string' }];

/** Below the most levels that anything else knows, everything is allowed. */
function publish(schema: JsonObject, options: PublishOptions, depth: number, mayBeEmbedded = true): JsonObject {
  if (depth >= MOST_DEPTH) return publish({ [PRESERVES]: true }, options, 0);
  const isOpen = options.version === 2 && (isTrue(schema, 'nullable') || isTrue(schema, PRESERVES));
  const published: JsonObject = {};
  const type = own(schema, 'type');
  if (typeof type === 'string' && !isOpen) published['type'] = type;
  copy(schema, options.version === 3 ? LATER : PLAIN, published);
  if (options.version === 3) {
    if (isTrue(schema, 'x-kubernetes-int-or-string') && !saysEither(schema)) published['anyOf'] ??= EITHER;
  }
  if (isOpen) return published;
  const items = objectAt(schema, 'items');
  const others = own(schema, 'additionalProperties');
  if (items !== undefined) published['items'] = publish(items, options, depth + 1);
  if (typeof others === 'boolean') published['additionalProperties'] = others;
  if (isObject(others)) published['additionalProperties'] = publish(others, options, depth + 1);
  const members = publishMembers(objectAt(schema, 'properties') ?? {}, options, depth + 1);
  if (members !== undefined) published['properties'] = members;
  if (mayBeEmbedded && isTrue(schema, 'x-kubernetes-embedded-resource')) embed(published, options);
  return published;
}

/** Undefined where there are none. */
function publishMembers(members: JsonObject, options: PublishOptions, depth: number): JsonObject | undefined {
  let published: JsonObject | undefined;
  for (const name of sortedKeys(members)) {
    const member = own(members, name);
    if (isObject(member)) setMember((published ??= {}), name, publish(member, options, depth));
  }
  return published;
}

/** Whether the alternatives of an integer or string are spelled out below `allOf`. */
function saysEither(schema: JsonObject): boolean {
  const objects = (value: JsonObject, member: string): JsonObject[] => (arrayAt(value, member) ?? []).filter(isObject);
  return objects(schema, 'allOf').some((part) => objects(part, 'anyOf').some(({ type }) => typeof type === 'string'));
}

/** A whole object inside another one. */
function embed(published: JsonObject, { embeddedMembers }: PublishOptions): void {
  const required = own(published, 'required');
  const names = Array.isArray(required) ? required : [];
  published['required'] = [...names, ...['kind', 'apiVersion'].filter((name) => !names.includes(name))];
  published['properties'] = { ...objectOf(published['properties'] ?? {}), ...embeddedMembers };
}

function objectOf(value: JsonValue): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

function isTrue(schema: JsonObject, member: string): boolean {
  return own(schema, member) === true;
}

function copy(source: JsonObject, members: ReadonlySet<string>, target: JsonObject): void {
  for (const member in source) {
    const value = members.has(member) ? own(source, member) : undefined;
    // A flag that is not set says nothing; a default may be false.
    if (value !== undefined && (value !== false || member === 'default')) target[member] = value;
  }
}
