/**
 * A custom schema as the OpenAPI documents publish it. v3 expresses nearly everything; v2 has neither null nor
 * alternatives, so such schemas are left unspecified there. Schemas are large and published whole, so they are
 * converted lazily from the JSON text, without objects for unchanged parts.
 */
import { compareBytes, isObject, ownMember, setMember, type JsonObject, type JsonValue } from '../../../shared/values/json';
import type { JsonIndex } from '../../../shared/values/json-index';
import { MAX_SCHEMA_DEPTH } from '../../../shared/api/structural/read-schema';

export interface PublishOptions {
  readonly version: 2 | 3;
  /** The members of every resource: apiVersion, kind and metadata. */
  readonly objectMembers: JsonObject;
  /** The same for embedded resources. */
  readonly embeddedMembers: JsonObject;
  /** Additional members of the root schema. */
  readonly extraMembers: JsonObject;
}

/** One member of a published schema. */
export interface PublishedMember {
  name: string;
  /**
   * `plain` = unchanged from the definition, `schema` = a nested schema, `schemas` = the schemas of properties, `given`
   * = a value.
   */
  form: 'given' | 'plain' | 'schema' | 'schemas';
  /** The index of the value in the definition's JSON; -1 = none. */
  index: number;
  /** The value of `given`, or additional properties that replace those of the definition. */
  given: JsonValue;
}

/** The members of one schema in order. Reused for the next schema at the same depth. */
export class PublishedLevel {
  readonly members: PublishedMember[] = [];
  count = 0;

  add(name: string, form: PublishedMember['form'], index: number, given: JsonValue = null): void {
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

  /** Replaces the member of that name, or appends it. */
  set(name: string, form: PublishedMember['form'], index: number, given: JsonValue): void {
    for (let at = 0; at < this.count; at += 1) {
      const member = this.members[at];
      if (member?.name !== name) continue;
      member.form = form;
      member.index = index;
      member.given = given;
      return;
    }
    this.add(name, form, index, given);
  }
}

const PRESERVES = 'x-kubernetes-preserve-unknown-fields';
const INT_OR_STRING: JsonValue = [{ type: 'integer' }, { type: 'string' }];

/** Keywords that are published unchanged, with the OpenAPI version from which on they are supported. */
const PLAIN_KEYWORDS: readonly (readonly [name: string, since: 2 | 3])[] = [
  ['description', 2],
  ['title', 2],
  ['format', 2],
  ['minimum', 2],
  ['exclusiveMinimum', 2],
  ['maximum', 2],
  ['exclusiveMaximum', 2],
  ['multipleOf', 2],
  ['minLength', 2],
  ['maxLength', 2],
  ['pattern', 2],
  ['minItems', 2],
  ['maxItems', 2],
  ['uniqueItems', 2],
  ['minProperties', 2],
  ['maxProperties', 2],
  ['required', 2],
  ['enum', 2],
  ['x-kubernetes-embedded-resource', 2],
  ['x-kubernetes-int-or-string', 2],
  ['x-kubernetes-list-map-keys', 2],
  ['x-kubernetes-list-type', 2],
  ['x-kubernetes-map-type', 2],
  [PRESERVES, 2],
  ['x-kubernetes-validations', 2],
  ['nullable', 3],
  ['default', 3],
  ['allOf', 3],
  ['anyOf', 3],
  ['oneOf', 3],
  ['not', 3],
];
const KEYWORDS: readonly string[] = [...PLAIN_KEYWORDS.map(([name]) => name), 'type', 'items', 'additionalProperties', 'properties'];
const SINCE_VERSION: readonly number[] = KEYWORDS.map((_, keyword) => PLAIN_KEYWORDS[keyword]?.[1] ?? Infinity);
const keywordOf = (name: string): number => KEYWORDS.indexOf(name);
const TYPE = keywordOf('type');
const ITEMS = keywordOf('items');
const OTHERS = keywordOf('additionalProperties');
const MEMBERS = keywordOf('properties');
const NULLABLE = keywordOf('nullable');
const OPEN = keywordOf(PRESERVES);
const EITHER_OR = keywordOf('x-kubernetes-int-or-string');
const DEFAULT = keywordOf('default');
const ALL_OF = keywordOf('allOf');
const ANY_OF = keywordOf('anyOf');
const REQUIRED = keywordOf('required');
const EMBEDDED = keywordOf('x-kubernetes-embedded-resource');

/** Keywords by length, with their characters. */
const BY_LENGTH: readonly (readonly { readonly keyword: number; readonly codes: Uint8Array }[])[] = Array.from(
  { length: 64 },
  (_, length) =>
    KEYWORDS.flatMap((name, keyword) =>
      name.length === length ? [{ keyword, codes: Uint8Array.from(name, (code) => code.charCodeAt(0)) }] : [],
    ),
);

/** The published schema of a resource, from `openAPIV3Schema` of its definition. */
export class PublishedSchema {
  private readonly levels: PublishedLevel[] = [];
  /** The index of each keyword's value in the current schema, -1 = absent; and the keywords in their order. */
  private readonly valueIndexes = new Int32Array(KEYWORDS.length);
  private readonly order: number[] = [];

  constructor(
    readonly json: JsonIndex,
    private readonly options: PublishOptions,
  ) {}

  /** The root schema. v2 omits everything for a schema that preserves unknown fields. */
  root(): PublishedLevel {
    const { objectMembers, extraMembers, version } = this.options;
    const { root } = this.json;
    this.indexMembers(root);
    const isOpen = version === 2 && this.isTrue(OPEN);
    const level = isOpen ? this.cleared(0) : this.level(root, 0, false);
    if (isOpen) level.add('type', 'given', -1, 'object');
    else level.set('properties', 'schemas', this.indexOfProperties(level), objectMembers);
    for (const [name, value] of Object.entries(extraMembers)) level.set(name, 'given', -1, value);
    return level;
  }

  /** A schema at a depth. Anything is allowed below the maximum depth of schemas. */
  level(schema: number, depth: number, mayBeEmbedded = true): PublishedLevel {
    const level = this.cleared(depth);
    if (depth >= MAX_SCHEMA_DEPTH) {
      level.add(PRESERVES, 'given', -1, true);
      return level;
    }
    this.indexMembers(schema);
    const isOpen = this.options.version === 2 && (this.isTrue(NULLABLE) || this.isTrue(OPEN));
    const type = this.indexOf(TYPE);
    if (type >= 0 && !isOpen && this.json.isText(type)) level.add('type', 'plain', type);
    this.copy(level);
    if (this.options.version === 3 && this.isTrue(EITHER_OR) && !this.hasIntOrStringAlternatives()) {
      const anyOf = this.indexOf(ANY_OF);
      if (anyOf < 0 || this.json.typeOf(anyOf) === 'null') level.set('anyOf', 'given', -1, INT_OR_STRING);
    }
    if (!isOpen) this.addNestedSchemas(level, mayBeEmbedded);
    return level;
  }

  /**
   * The properties of a `schemas` member in order: indexes of names in the definition, or complements (`~index`) of
   * indexes of given members, which replace those of the definition.
   */
  membersOf({ index, given }: PublishedMember): readonly number[] {
    const names = index < 0 ? [] : this.namesIn(index);
    const givenMembers = givenNames(given);
    return givenMembers.length === 0 ? names : this.withGiven(names, givenMembers);
  }

  private withGiven(names: readonly number[], givenMembers: readonly string[]): readonly number[] {
    const missing = new Set(givenMembers);
    const combined = names.map((name) => {
      const text = this.json.text(name);
      return missing.delete(text) ? ~givenMembers.indexOf(text) : name;
    });
    return [...combined, ...[...missing].map((name) => ~givenMembers.indexOf(name))];
  }

  private cleared(depth: number): PublishedLevel {
    const level = (this.levels[depth] ??= new PublishedLevel());
    level.count = 0;
    return level;
  }

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

  private indexOf(keyword: number): number {
    return this.valueIndexes[keyword] ?? -1;
  }

  private isTrue(keyword: number): boolean {
    const index = this.indexOf(keyword);
    return index >= 0 && this.json.isTrue(index);
  }

  /** A flag that is false is omitted; a default may be false. */
  private copy(level: PublishedLevel): void {
    const { version } = this.options;
    for (const keyword of this.order) {
      const index = this.indexOf(keyword);
      if ((SINCE_VERSION[keyword] ?? Infinity) > version || (keyword !== DEFAULT && this.json.isFalse(index))) continue;
      level.add(KEYWORDS[keyword] ?? '', 'plain', index);
    }
  }

  private addNestedSchemas(level: PublishedLevel, mayBeEmbedded: boolean): void {
    const { json } = this;
    const items = this.indexOf(ITEMS);
    const others = this.indexOf(OTHERS);
    const members = this.indexOf(MEMBERS);
    if (items >= 0 && json.isObject(items)) level.add('items', 'schema', items);
    if (others >= 0 && json.isObject(others)) level.add('additionalProperties', 'schema', others);
    else if (others >= 0 && json.typeOf(others) === 'boolean') level.add('additionalProperties', 'plain', others);
    const isEmbedded = mayBeEmbedded && this.isTrue(EMBEDDED);
    if (members >= 0 && this.hasSchema(members)) level.add('properties', 'schemas', members);
    if (isEmbedded) this.embed(level);
  }

  private hasSchema(members: number): boolean {
    const { json } = this;
    if (!json.isObject(members)) return false;
    for (let name = json.firstChild(members); name < json.nextSibling(members); name = json.nextSibling(json.valueOfName(name))) {
      if (json.isObject(json.valueOfName(name))) return true;
    }
    return false;
  }

  /** Adds the members of an embedded resource. */
  private embed(level: PublishedLevel): void {
    const required = this.indexOf(REQUIRED);
    const listed = required < 0 ? null : this.json.toJson(required);
    const names = Array.isArray(listed) ? listed : [];
    level.set('required', 'given', -1, [...names, ...['kind', 'apiVersion'].filter((name) => !names.includes(name))]);
    level.set('properties', 'schemas', this.indexOfProperties(level), this.options.embeddedMembers);
  }

  private indexOfProperties({ members, count }: PublishedLevel): number {
    for (let at = 0; at < count; at += 1) if (members[at]?.name === 'properties') return members[at]?.index ?? -1;
    return -1;
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
    if (!isPlain) return sorted(json, names);
    return isSorted ? names : names.sort((a, b) => compareSpellings(json, a, b));
  }
}

function sorted(json: JsonIndex, names: readonly number[]): number[] {
  const byName = new Map(names.map((name) => [json.text(name), name]));
  const byText: JsonObject = {};
  for (const text of [...byName.keys()].sort(compareBytes)) setMember(byText, text, byName.get(text) ?? null);
  return Object.keys(byText).map((text) => byName.get(text) ?? 0);
}

const BACKSLASH = 0x5c;
const ZERO = 0x30;
const NINE = 0x39;

/** Whether the name contains no escapes and is not a number. */
function isPlainName(json: JsonIndex, name: number): boolean {
  const first = json.bytes[json.start(name) + 1] ?? BACKSLASH;
  return !json.isEscaped(name) && (first < ZERO || first > NINE);
}

/** Compares names without escapes. */
function compareSpellings(json: JsonIndex, first: number, second: number): number {
  const { bytes } = json;
  const start = json.start(first) + 1;
  const other = json.start(second) + 1;
  const length = json.end(first) - 1 - start;
  const otherLength = json.end(second) - 1 - other;
  const shared = Math.min(length, otherLength);
  for (let at = 0; at < shared; at += 1) {
    const difference = (bytes[start + at] ?? 0) - (bytes[other + at] ?? 0);
    if (difference !== 0) return difference;
  }
  return length - otherLength;
}

/** The index of the keyword; -1 = none. */
function keywordAt(bytes: Uint8Array, start: number, end: number): number {
  for (const { keyword, codes } of BY_LENGTH[end - start] ?? []) {
    let at = 0;
    while (at < codes.length && bytes[start + at] === codes[at]) at += 1;
    if (at === codes.length) return keyword;
  }
  return -1;
}

const listIn = (value: JsonValue): readonly JsonValue[] => (Array.isArray(value) ? value : []);

const memberOf = (value: JsonValue, name: string): JsonValue => (isObject(value) ? (ownMember(value, name) ?? null) : null);

/** Names of members that replace those of the definition. */
const givenNames = (given: JsonValue): readonly string[] => (isObject(given) ? Object.keys(given) : []);
