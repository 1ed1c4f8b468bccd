/**
 * A custom schema as the OpenAPI documents publish it. v3 expresses nearly everything. v2 omits alternatives, and the
 * type and the nested schemas of a schema that is nullable or preserves unknown fields.
 *
 * Schemas are large and published whole, so they are converted lazily from the JSON text, without objects for unchanged
 * parts. A value, a name or a schema is represented by its index in that text (JsonIndex).
 */
import { compareBytes, isObject, ownMember, setMember, type JsonObject, type JsonValue } from '../../../shared/values/json';
import type { JsonIndex } from '../../../shared/values/json-index';
import { MAX_SCHEMA_DEPTH } from '../../../shared/api/structural/read-schema';

/** The version of OpenAPI, and what is published besides the schema of the definition. */
export interface PublishOptions {
  readonly version: 2 | 3;
  /** The members of every resource: apiVersion, kind and metadata. */
  readonly objectMembers: JsonObject;
  /** The same for embedded resources. */
  readonly embeddedMembers: JsonObject;
  /** Additional members of the root schema. */
  readonly extraMembers: JsonObject;
}

/** One member of a published schema. Mutable, because it is reused. */
export interface PublishedMember {
  name: string;
  /**
   * `plain`: unchanged from the definition. `schema`: a nested schema. `schemas`: the schemas of properties. `given`: the
   * value in `given`.
   */
  form: 'given' | 'plain' | 'schema' | 'schemas';
  /** The index of the value in the definition's JSON; -1 for the form `given`, and for `schemas` without any there. */
  index: number;
  /** The value of the form `given`; for the form `schemas`, properties that replace those of the definition. */
  given: JsonValue;
}

/** A property: the index of its name in the definition's JSON, or the name of a given property. */
export type PropertyName = number | string;

/** The members of one schema in order. Reused for the next schema at the same depth. */
export class PublishedLevel {
  /** The first `count` elements are the members; the others are left over from an earlier schema. */
  readonly members: PublishedMember[] = [];
  count = 0;

  add(name: string, form: 'plain' | 'schema' | 'schemas', index: number): void {
    this.append(name, form, index, null);
  }

  /** Replaces the member of that name with a given value, or appends it. */
  setGiven(name: string, value: JsonValue): void {
    this.set(name, 'given', -1, value);
  }

  /** Adds properties to those of the definition, of which they replace the ones with the same names. */
  addProperties(given: JsonObject): void {
    this.set('properties', 'schemas', this.find('properties')?.index ?? -1, given);
  }

  private find(name: string): PublishedMember | undefined {
    for (let position = 0; position < this.count; position += 1) {
      const member = this.members[position];
      if (member?.name === name) return member;
    }
    return undefined;
  }

  private append(name: string, form: PublishedMember['form'], index: number, given: JsonValue): void {
    const member = this.members[this.count];
    if (member === undefined) this.members.push({ name, form, index, given });
    else {
      member.name = name;
      member.form = form;
      member.index = index;
      member.given = given;
    }
    this.count += 1;
  }

  private set(name: string, form: PublishedMember['form'], index: number, given: JsonValue): void {
    const member = this.find(name);
    if (member === undefined) {
      this.append(name, form, index, given);
      return;
    }
    member.form = form;
    member.index = index;
    member.given = given;
  }
}

const PRESERVE_UNKNOWN_FIELDS = 'x-kubernetes-preserve-unknown-fields';
const INT_OR_STRING_TYPES: JsonValue = [{ type: 'integer' }, { type: 'string' }];

/** Keywords that both versions of OpenAPI publish unchanged. */
const KEYWORDS_OF_BOTH: readonly string[] = [
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
  PRESERVE_UNKNOWN_FIELDS,
  'x-kubernetes-validations',
];
/** Keywords that only v3 publishes unchanged. */
const KEYWORDS_OF_V3: readonly string[] = ['nullable', 'default', 'allOf', 'anyOf', 'oneOf', 'not'];
/** Keywords that are converted. */
const NESTING_KEYWORDS: readonly string[] = ['type', 'items', 'additionalProperties', 'properties'];

/** All keywords; a keyword is represented by its index. */
const KEYWORDS: readonly string[] = [...KEYWORDS_OF_BOTH, ...KEYWORDS_OF_V3, ...NESTING_KEYWORDS];
/** The OpenAPI version from which on a keyword is published unchanged; infinite for those that are converted. */
const SINCE_VERSION: readonly number[] = [
  ...KEYWORDS_OF_BOTH.map(() => 2),
  ...KEYWORDS_OF_V3.map(() => 3),
  ...NESTING_KEYWORDS.map(() => Infinity),
];
const keywordOf = (name: string): number => KEYWORDS.indexOf(name);
const TYPE = keywordOf('type');
const ITEMS = keywordOf('items');
const ADDITIONAL_PROPERTIES = keywordOf('additionalProperties');
const PROPERTIES = keywordOf('properties');
const NULLABLE = keywordOf('nullable');
const PRESERVES = keywordOf(PRESERVE_UNKNOWN_FIELDS);
const INT_OR_STRING = keywordOf('x-kubernetes-int-or-string');
const DEFAULT = keywordOf('default');
const ALL_OF = keywordOf('allOf');
const ANY_OF = keywordOf('anyOf');
const REQUIRED = keywordOf('required');
const EMBEDDED = keywordOf('x-kubernetes-embedded-resource');

/**
 * Keywords by length (all are shorter than 64), with their characters: finds the keyword of a name in the JSON without
 * creating a string.
 */
const KEYWORDS_BY_LENGTH: readonly (readonly { readonly keyword: number; readonly codes: Uint8Array }[])[] = Array.from(
  { length: 64 },
  (_, length) =>
    KEYWORDS.flatMap((name, keyword) =>
      name.length === length ? [{ keyword, codes: Uint8Array.from(name, (code) => code.charCodeAt(0)) }] : [],
    ),
);

/**
 * The published schema of a resource, from `openAPIV3Schema` of its definition. To avoid objects for each schema, the
 * keywords of only one are indexed at a time: `schemaLevel` and `root` make theirs the current schema with
 * `indexMembers`, and the private methods read the current one.
 */
export class PublishedSchema {
  private readonly levels: PublishedLevel[] = [];
  /** The index of each keyword's value in the current schema, -1 when absent. */
  private readonly valueIndexes = new Int32Array(KEYWORDS.length);
  /** The keywords of the current schema in their order. */
  private readonly order: number[] = [];

  constructor(
    readonly json: JsonIndex,
    private readonly options: PublishOptions,
  ) {}

  /** The root schema. v2 publishes only the type of one that preserves unknown fields. */
  root(): PublishedLevel {
    const { objectMembers, extraMembers, version } = this.options;
    const { root } = this.json;
    this.indexMembers(root);
    const isOmitted = version === 2 && this.isTrue(PRESERVES);
    const level = isOmitted ? this.clearedLevel(0) : this.schemaLevel(root, 0);
    if (isOmitted) level.setGiven('type', 'object');
    else level.addProperties(objectMembers);
    for (const [name, value] of Object.entries(extraMembers)) level.setGiven(name, value);
    return level;
  }

  /**
   * A schema below the root, at its depth. Valid until another schema at this depth is requested. Anything is allowed
   * below the maximum depth of schemas.
   */
  level(schema: number, depth: number): PublishedLevel {
    if (depth < MAX_SCHEMA_DEPTH) {
      const level = this.schemaLevel(schema, depth);
      if (!this.isUnspecified() && this.isTrue(EMBEDDED)) this.embed(level);
      return level;
    }
    const level = this.clearedLevel(depth);
    level.setGiven(PRESERVE_UNKNOWN_FIELDS, true);
    return level;
  }

  /** The properties of a `schemas` member in order; given ones replace those of the definition. */
  propertiesOf({ index, given }: PublishedMember): readonly PropertyName[] {
    const names = index < 0 ? [] : this.namesIn(index);
    return isObject(given) ? this.withGiven(names, Object.keys(given)) : names;
  }

  private withGiven(names: readonly number[], given: readonly string[]): readonly PropertyName[] {
    const missing = new Set(given);
    const combined = names.map((name): PropertyName => {
      const text = this.json.text(name);
      return missing.delete(text) ? text : name;
    });
    return [...combined, ...missing];
  }

  /** Makes a schema the current one. Returns its members, without those of an embedded resource. */
  private schemaLevel(schema: number, depth: number): PublishedLevel {
    const level = this.clearedLevel(depth);
    this.indexMembers(schema);
    const isUnspecified = this.isUnspecified();
    const type = this.indexOf(TYPE);
    if (type >= 0 && !isUnspecified && this.json.isText(type)) level.add('type', 'plain', type);
    this.copyKeywords(level);
    if (this.options.version === 3 && this.isTrue(INT_OR_STRING) && !this.hasIntOrStringAlternatives()) {
      const anyOf = this.indexOf(ANY_OF);
      if (anyOf < 0 || this.json.typeOf(anyOf) === 'null') level.setGiven('anyOf', INT_OR_STRING_TYPES);
    }
    if (!isUnspecified) this.addNestedSchemas(level);
    return level;
  }

  /** Whether the current schema is published without a type and nested schemas, because v2 cannot express it. */
  private isUnspecified(): boolean {
    return this.options.version === 2 && (this.isTrue(NULLABLE) || this.isTrue(PRESERVES));
  }

  private clearedLevel(depth: number): PublishedLevel {
    const level = (this.levels[depth] ??= new PublishedLevel());
    level.count = 0;
    return level;
  }

  /** Makes a schema the current one. */
  private indexMembers(schema: number): void {
    const { json, valueIndexes, order } = this;
    valueIndexes.fill(-1);
    order.length = 0;
    if (!json.isObject(schema)) return;
    for (let name = json.firstChild(schema); name < json.nextSibling(schema); name = json.nextSibling(json.valueOfName(name))) {
      const keyword = keywordAt(json.bytes, json.start(name) + 1, json.end(name) - 1);
      if (keyword < 0) continue;
      valueIndexes[keyword] = json.valueOfName(name);
      order.push(keyword);
    }
  }

  /** The index of the keyword's value in the current schema; -1 when absent. */
  private indexOf(keyword: number): number {
    return this.valueIndexes[keyword] ?? -1;
  }

  private isTrue(keyword: number): boolean {
    const index = this.indexOf(keyword);
    return index >= 0 && this.json.isTrue(index);
  }

  /**
   * Adds the keywords that the version publishes unchanged. A flag that is false is omitted; a default may be false.
   */
  private copyKeywords(level: PublishedLevel): void {
    const { version } = this.options;
    for (const keyword of this.order) {
      const index = this.indexOf(keyword);
      if ((SINCE_VERSION[keyword] ?? Infinity) > version || (keyword !== DEFAULT && this.json.isFalse(index))) continue;
      level.add(KEYWORDS[keyword] ?? '', 'plain', index);
    }
  }

  private addNestedSchemas(level: PublishedLevel): void {
    const { json } = this;
    const items = this.indexOf(ITEMS);
    const additional = this.indexOf(ADDITIONAL_PROPERTIES);
    const properties = this.indexOf(PROPERTIES);
    if (items >= 0 && json.isObject(items)) level.add('items', 'schema', items);
    if (additional >= 0 && json.isObject(additional)) level.add('additionalProperties', 'schema', additional);
    else if (additional >= 0 && json.typeOf(additional) === 'boolean') level.add('additionalProperties', 'plain', additional);
    if (properties >= 0 && this.hasSchema(properties)) level.add('properties', 'schemas', properties);
  }

  /** Whether any property is a schema; properties that are not are ignored. */
  private hasSchema(properties: number): boolean {
    const { json } = this;
    if (!json.isObject(properties)) return false;
    for (let name = json.firstChild(properties); name < json.nextSibling(properties); name = json.nextSibling(json.valueOfName(name))) {
      if (json.isObject(json.valueOfName(name))) return true;
    }
    return false;
  }

  /** Adds the members of an embedded resource, and requires its kind and apiVersion. */
  private embed(level: PublishedLevel): void {
    const required = this.indexOf(REQUIRED);
    const listed = required < 0 ? null : this.json.toJson(required);
    const names = Array.isArray(listed) ? listed : [];
    level.setGiven('required', [...names, ...['kind', 'apiVersion'].filter((name) => !names.includes(name))]);
    level.addProperties(this.options.embeddedMembers);
  }

  /** Whether the alternatives of int-or-string are spelled out below `allOf`. */
  private hasIntOrStringAlternatives(): boolean {
    const allOf = this.indexOf(ALL_OF);
    const parts = allOf < 0 ? null : this.json.toJson(allOf);
    return listIn(parts).some((part) =>
      listIn(memberOf(part, 'anyOf')).some((alternative) => typeof memberOf(alternative, 'type') === 'string'),
    );
  }

  /**
   * The names of properties that have a schema: sorted, but integer keys first, as objects order them. Stored
   * definitions are sorted already.
   */
  private namesIn(members: number): number[] {
    const { json } = this;
    const names: number[] = [];
    let isPlain = true;
    let isSorted = true;
    for (let name = json.firstChild(members); name < json.nextSibling(members); name = json.nextSibling(json.valueOfName(name))) {
      if (!json.isObject(json.valueOfName(name))) continue;
      const before = names[names.length - 1];
      isPlain &&= isPlainName(json, name);
      isSorted &&= before === undefined || compareSpellings(json, before, name) < 0;
      names.push(name);
    }
    if (!isPlain) return sortedAsKeys(json, names);
    return isSorted ? names : names.sort((a, b) => compareSpellings(json, a, b));
  }
}

/** Sorts names in the order in which an object lists its keys. */
function sortedAsKeys(json: JsonIndex, names: readonly number[]): number[] {
  const byName = new Map(names.map((name) => [json.text(name), name]));
  const byText: JsonObject = {};
  for (const text of [...byName.keys()].sort(compareBytes)) setMember(byText, text, byName.get(text) ?? null);
  return Object.keys(byText).map((text) => byName.get(text) ?? 0);
}

const BACKSLASH = 0x5c;
const ZERO = 0x30;
const NINE = 0x39;

/** Whether the name contains no escapes and does not start with a digit, so that it is no integer key. */
function isPlainName(json: JsonIndex, name: number): boolean {
  const first = json.bytes[json.start(name) + 1] ?? BACKSLASH;
  return !json.isEscaped(name) && (first < ZERO || first > NINE);
}

/** Compares names without escapes by their bytes. */
function compareSpellings(json: JsonIndex, first: number, second: number): number {
  const { bytes } = json;
  const firstStart = json.start(first) + 1;
  const secondStart = json.start(second) + 1;
  const firstLength = json.end(first) - 1 - firstStart;
  const secondLength = json.end(second) - 1 - secondStart;
  const shared = Math.min(firstLength, secondLength);
  for (let offset = 0; offset < shared; offset += 1) {
    const difference = (bytes[firstStart + offset] ?? 0) - (bytes[secondStart + offset] ?? 0);
    if (difference !== 0) return difference;
  }
  return firstLength - secondLength;
}

/** The index of the keyword; -1 for an unknown keyword. */
function keywordAt(bytes: Uint8Array, start: number, end: number): number {
  for (const { keyword, codes } of KEYWORDS_BY_LENGTH[end - start] ?? []) {
    let equal = 0;
    while (equal < codes.length && bytes[start + equal] === codes[equal]) equal += 1;
    if (equal === codes.length) return keyword;
  }
  return -1;
}

const listIn = (value: JsonValue): readonly JsonValue[] => (Array.isArray(value) ? value : []);

const memberOf = (value: JsonValue, name: string): JsonValue => (isObject(value) ? (ownMember(value, name) ?? null) : null);
