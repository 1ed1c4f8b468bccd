/**
 * A custom schema as the OpenAPI documents publish it. v3 expresses nearly everything. v2 omits alternatives, and the
 * type and the nested schemas of a schema that is nullable or preserves unknown fields.
 *
 * Schemas are large and published whole, so they are converted lazily from the JSON text, without objects for unchanged
 * parts. A value, a name or a schema is represented by its index in that text (JsonIndex).
 */
import { isObject, ownMember, type JsonObject, type JsonValue } from '../../../shared/values/json';
import type { JsonIndex } from '../../../shared/values/json-index';
import { MAX_SCHEMA_DEPTH } from '../../../shared/api/structural/read-schema';
import { hasSchema, propertyNames } from './property-names';
import { PublishedLevel, type PublishedMember } from './published-level';
import { KEYWORD, keywordAt, KEYWORDS, PRESERVE_UNKNOWN_FIELDS, SINCE_VERSION } from './schema-keywords';

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

/** A property: the index of its name in the definition's JSON, or the name of a given property. */
export type PropertyName = number | string;

/** The alternatives of a schema with `x-kubernetes-int-or-string`, which v3 spells out. */
const INT_OR_STRING_TYPES: JsonValue = [{ type: 'integer' }, { type: 'string' }];

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
    const isOmitted = version === 2 && this.isTrue(KEYWORD.preserveUnknownFields);
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
      if (!this.isUnspecified() && this.isTrue(KEYWORD.embeddedResource)) this.embed(level);
      return level;
    }
    const level = this.clearedLevel(depth);
    level.setGiven(PRESERVE_UNKNOWN_FIELDS, true);
    return level;
  }

  /** The properties of a `schemas` member in order; given ones replace those of the definition. */
  propertiesOf({ index, given }: PublishedMember): readonly PropertyName[] {
    const names = index < 0 ? [] : propertyNames(this.json, index);
    return isObject(given) ? this.withGiven(names, Object.keys(given)) : names;
  }

  /** The names of the definition, of which given ones replace those with the same text, and the other given ones. */
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
    const type = this.indexOf(KEYWORD.type);
    if (type >= 0 && !isUnspecified && this.json.isText(type)) level.add('type', 'plain', type);
    this.copyKeywords(level);
    if (this.options.version === 3 && this.isTrue(KEYWORD.intOrString) && !this.hasIntOrStringAlternatives()) {
      const anyOf = this.indexOf(KEYWORD.anyOf);
      if (anyOf < 0 || this.json.typeOf(anyOf) === 'null') level.setGiven('anyOf', INT_OR_STRING_TYPES);
    }
    if (!isUnspecified) this.addNestedSchemas(level);
    return level;
  }

  /** Whether the current schema is published without a type and nested schemas, because v2 cannot express it. */
  private isUnspecified(): boolean {
    return this.options.version === 2 && (this.isTrue(KEYWORD.nullable) || this.isTrue(KEYWORD.preserveUnknownFields));
  }

  /** The level of this depth without members. */
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

  /** Whether the keyword is present in the current schema and true. */
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
      const isPublished = (SINCE_VERSION[keyword] ?? Infinity) <= version;
      const isFalseFlag = keyword !== KEYWORD.default && this.json.isFalse(index);
      if (!isPublished || isFalseFlag) continue;
      level.add(KEYWORDS[keyword] ?? '', 'plain', index);
    }
  }

  /** Adds the keywords of the current schema that contain schemas. */
  private addNestedSchemas(level: PublishedLevel): void {
    const { json } = this;
    const items = this.indexOf(KEYWORD.items);
    const additional = this.indexOf(KEYWORD.additionalProperties);
    const properties = this.indexOf(KEYWORD.properties);
    if (items >= 0 && json.isObject(items)) level.add('items', 'schema', items);
    if (additional >= 0 && json.isObject(additional)) level.add('additionalProperties', 'schema', additional);
    else if (additional >= 0 && json.typeOf(additional) === 'boolean') level.add('additionalProperties', 'plain', additional);
    if (properties >= 0 && hasSchema(json, properties)) level.add('properties', 'schemas', properties);
  }

  /** Adds the members of an embedded resource, and requires its kind and apiVersion. */
  private embed(level: PublishedLevel): void {
    const required = this.indexOf(KEYWORD.required);
    const listed = required < 0 ? null : this.json.toJson(required);
    const names = Array.isArray(listed) ? listed : [];
    level.setGiven('required', [...names, ...['kind', 'apiVersion'].filter((name) => !names.includes(name))]);
    level.addProperties(this.options.embeddedMembers);
  }

  /** Whether the alternatives of int-or-string are spelled out below `allOf`. */
  private hasIntOrStringAlternatives(): boolean {
    const allOf = this.indexOf(KEYWORD.allOf);
    const parts = allOf < 0 ? null : this.json.toJson(allOf);
    return listIn(parts).some((part) =>
      listIn(memberOf(part, 'anyOf')).some((alternative) => typeof memberOf(alternative, 'type') === 'string'),
    );
  }
}

const listIn = (value: JsonValue): readonly JsonValue[] => (Array.isArray(value) ? value : []);

const memberOf = (value: JsonValue, name: string): JsonValue => (isObject(value) ? (ownMember(value, name) ?? null) : null);
