/**
 * A custom schema as the OpenAPI documents publish it. Version 3 can say nearly everything; version 2 knows neither null nor alternatives, so what they
 * are about is left open there. References to shared types are the caller's to name. Schemas are large and published whole: what is said of each part is
 * found when it is asked for, and nothing is made of what stands as it is.
 */
import { compareBytes, isObject, own, setMember, type JsonObject, type JsonValue } from '../../shared/values/json';
import type { JsonIndex } from '../../shared/values/json-index';
import { MAX_SCHEMA_DEPTH } from '../../shared/api/structural/read-schema';

export interface PublishOptions {
  readonly version: 2 | 3;
  /** What every whole object has: its apiVersion, kind and metadata. */
  readonly objectMembers: JsonObject;
  /** The same of objects inside other ones. */
  readonly embeddedMembers: JsonObject;
  /** What is said of the whole object beside its schema. */
  readonly more: JsonObject;
}

/** One thing that is said of a schema. */
export interface PublishedMember {
  name: string;
  /** `plain` = as it stands in the definition, `schema` = a schema that is published in turn, `schemas` = those of members, `given` = a value. */
  form: 'given' | 'plain' | 'schema' | 'schemas';
  /** Where it stands in the definition; -1 = nowhere. */
  place: number;
  /** A value, or members that are there besides, or instead. */
  given: JsonValue;
}

/** What is said of one schema, in its order. Used again for the next schema at the same depth. */
export class PublishedLevel {
  readonly members: PublishedMember[] = [];
  count = 0;

  say(name: string, form: PublishedMember['form'], place: number, given: JsonValue = null): void {
    const member = this.members[this.count];
    if (member === undefined) this.members.push({ name, form, place, given });
    else {
      member.name = name;
      member.form = form;
      member.place = place;
      member.given = given;
    }
    this.count += 1;
  }

  /** In the place where it was said before, if it was. */
  sayInstead(name: string, form: PublishedMember['form'], place: number, given: JsonValue): void {
    for (let at = 0; at < this.count; at += 1) {
      const member = this.members[at];
      if (member?.name !== name) continue;
      member.form = form;
      member.place = place;
      member.given = given;
      return;
    }
    this.say(name, form, place, given);
  }
}

const PRESERVES = 'x-kubernetes-preserve-unknown-fields';
const EITHER: JsonValue = [{ type: 'integer' }, { type: 'string' }];

/** What stands as it is: since which version. */
const PLAIN: readonly (readonly [name: string, since: 2 | 3])[] = [
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
const WORDS: readonly string[] = [...PLAIN.map(([name]) => name), 'type', 'items', 'additionalProperties', 'properties'];
const SINCE: readonly number[] = WORDS.map((_, word) => PLAIN[word]?.[1] ?? Infinity);
const wordOf = (name: string): number => WORDS.indexOf(name);
const [TYPE, ITEMS, OTHERS, MEMBERS] = [wordOf('type'), wordOf('items'), wordOf('additionalProperties'), wordOf('properties')];
const [NULLABLE, OPEN, EITHER_OR, DEFAULT] = [
  wordOf('nullable'),
  wordOf(PRESERVES),
  wordOf('x-kubernetes-int-or-string'),
  wordOf('default'),
];
const [ALL_OF, ANY_OF, REQUIRED, EMBEDDED] = [
  wordOf('allOf'),
  wordOf('anyOf'),
  wordOf('required'),
  wordOf('x-kubernetes-embedded-resource'),
];

/** By their lengths, with their characters. */
const BY_LENGTH: readonly (readonly { readonly word: number; readonly codes: Uint8Array }[])[] = Array.from({ length: 64 }, (_, length) =>
  WORDS.flatMap((name, word) => (name.length === length ? [{ word, codes: Uint8Array.from(name, (code) => code.charCodeAt(0)) }] : [])),
);

/** The schema of a whole object out of what a definition says (`openAPIV3Schema`). */
export class PublishedSchema {
  private readonly levels: PublishedLevel[] = [];
  /** Where the words of the schema at hand stand, -1 = nowhere; and which there are, in their order. */
  private readonly found = new Int32Array(WORDS.length);
  private readonly order: number[] = [];

  constructor(
    readonly places: JsonIndex,
    private readonly options: PublishOptions,
  ) {}

  /** Version 2 says nothing of one that may have any members. */
  root(): PublishedLevel {
    const { objectMembers, more, version } = this.options;
    const { root } = this.places;
    this.look(root);
    const isOpen = version === 2 && this.isTrue(OPEN);
    const level = isOpen ? this.cleared(0) : this.level(root, 0, false);
    if (isOpen) level.say('type', 'given', -1, 'object');
    else level.sayInstead('properties', 'schemas', this.placeOfMembers(level), objectMembers);
    for (const [name, value] of Object.entries(more)) level.sayInstead(name, 'given', -1, value);
    return level;
  }

  /** Below the most levels that anything else knows, everything is allowed. */
  level(schema: number, depth: number, mayBeEmbedded = true): PublishedLevel {
    const level = this.cleared(depth);
    if (depth >= MAX_SCHEMA_DEPTH) {
      level.say(PRESERVES, 'given', -1, true);
      return level;
    }
    this.look(schema);
    const isOpen = this.options.version === 2 && (this.isTrue(NULLABLE) || this.isTrue(OPEN));
    const type = this.placeOf(TYPE);
    if (type >= 0 && !isOpen && this.places.isText(type)) level.say('type', 'plain', type);
    this.copy(level);
    if (this.options.version === 3 && this.isTrue(EITHER_OR) && !this.saysEither()) {
      const anyOf = this.placeOf(ANY_OF);
      if (anyOf < 0 || this.places.typeOf(anyOf) === 'null') level.sayInstead('anyOf', 'given', -1, EITHER);
    }
    if (!isOpen) this.sayBelow(level, mayBeEmbedded);
    return level;
  }

  /**
   * The members that `schemas` are of, in their order: numbers of names in the definition, or complements of numbers among the given ones, which come
   * instead of the definition's.
   */
  membersOf({ place, given }: PublishedMember): readonly number[] {
    const names = place < 0 ? [] : this.namesIn(place);
    const besides = givenNames(given);
    return besides.length === 0 ? names : this.withGiven(names, besides);
  }

  private withGiven(names: readonly number[], besides: readonly string[]): readonly number[] {
    const missing = new Set(besides);
    const all = names.map((name) => {
      const text = this.places.text(name);
      return missing.delete(text) ? ~besides.indexOf(text) : name;
    });
    return [...all, ...[...missing].map((name) => ~besides.indexOf(name))];
  }

  private cleared(depth: number): PublishedLevel {
    const level = (this.levels[depth] ??= new PublishedLevel());
    level.count = 0;
    return level;
  }

  private look(schema: number): void {
    const { places, found, order } = this;
    found.fill(-1);
    order.length = 0;
    if (!places.isObject(schema)) return;
    for (let name = places.firstChild(schema); name < places.nextSibling(schema); name = places.nextSibling(places.valueOfName(name))) {
      const word = wordAt(places.bytes, places.start(name) + 1, places.end(name) - 1);
      if (word < 0) continue;
      found[word] = places.valueOfName(name);
      order.push(word);
    }
  }

  private placeOf(word: number): number {
    return this.found[word] ?? -1;
  }

  private isTrue(word: number): boolean {
    const place = this.placeOf(word);
    return place >= 0 && this.places.isTrue(place);
  }

  /** A flag that is not set says nothing; a default may be false. */
  private copy(level: PublishedLevel): void {
    const { version } = this.options;
    for (const word of this.order) {
      const place = this.placeOf(word);
      if ((SINCE[word] ?? Infinity) > version || (word !== DEFAULT && this.places.isFalse(place))) continue;
      level.say(WORDS[word] ?? '', 'plain', place);
    }
  }

  private sayBelow(level: PublishedLevel, mayBeEmbedded: boolean): void {
    const { places } = this;
    const [items, others, members] = [this.placeOf(ITEMS), this.placeOf(OTHERS), this.placeOf(MEMBERS)];
    if (items >= 0 && places.isObject(items)) level.say('items', 'schema', items);
    if (others >= 0 && places.isObject(others)) level.say('additionalProperties', 'schema', others);
    else if (others >= 0 && places.typeOf(others) === 'boolean') level.say('additionalProperties', 'plain', others);
    const isEmbedded = mayBeEmbedded && this.isTrue(EMBEDDED);
    if (members >= 0 && this.hasSchema(members)) level.say('properties', 'schemas', members);
    if (isEmbedded) this.embed(level);
  }

  private hasSchema(members: number): boolean {
    const { places } = this;
    if (!places.isObject(members)) return false;
    for (let name = places.firstChild(members); name < places.nextSibling(members); name = places.nextSibling(places.valueOfName(name))) {
      if (places.isObject(places.valueOfName(name))) return true;
    }
    return false;
  }

  /** A whole object inside another one. */
  private embed(level: PublishedLevel): void {
    const required = this.placeOf(REQUIRED);
    const said = required < 0 ? null : this.places.toJson(required);
    const names = Array.isArray(said) ? said : [];
    level.sayInstead('required', 'given', -1, [...names, ...['kind', 'apiVersion'].filter((name) => !names.includes(name))]);
    level.sayInstead('properties', 'schemas', this.placeOfMembers(level), this.options.embeddedMembers);
  }

  private placeOfMembers({ members, count }: PublishedLevel): number {
    for (let at = 0; at < count; at += 1) if (members[at]?.name === 'properties') return members[at]?.place ?? -1;
    return -1;
  }

  /** Whether the alternatives of an integer or string are spelled out below `allOf`. */
  private saysEither(): boolean {
    const allOf = this.placeOf(ALL_OF);
    const parts = allOf < 0 ? null : this.places.toJson(allOf);
    return listIn(parts).some((part) => listIn(memberOf(part, 'anyOf')).some((one) => typeof memberOf(one, 'type') === 'string'));
  }

  /** Of members that have a schema: sorted, but numbers before, as objects keep them. What is stored is sorted already. */
  private namesIn(members: number): number[] {
    const { places } = this;
    const names: number[] = [];
    let [isPlain, isSorted] = [true, true];
    for (let name = places.firstChild(members); name < places.nextSibling(members); name = places.nextSibling(places.valueOfName(name))) {
      if (!places.isObject(places.valueOfName(name))) continue;
      const before = names[names.length - 1];
      isPlain &&= isPlainName(places, name);
      isSorted &&= before === undefined || compareSpellings(places, before, name) < 0;
      names.push(name);
    }
    if (!isPlain) return sorted(places, names);
    return isSorted ? names : names.sort((a, b) => compareSpellings(places, a, b));
  }
}

function sorted(places: JsonIndex, names: readonly number[]): number[] {
  const byName = new Map(names.map((name) => [places.text(name), name]));
  const kept: JsonObject = {};
  for (const text of [...byName.keys()].sort(compareBytes)) setMember(kept, text, byName.get(text) ?? null);
  return Object.keys(kept).map((text) => byName.get(text) ?? 0);
}

const BACK = 0x5c;
const [ZERO, NINE] = [0x30, 0x39];

/** Is spelled as it is, and no number. */
function isPlainName(places: JsonIndex, name: number): boolean {
  const first = places.bytes[places.start(name) + 1] ?? BACK;
  return !places.isEscaped(name) && (first < ZERO || first > NINE);
}

/** Of names that are spelled as they are. */
function compareSpellings(places: JsonIndex, first: number, second: number): number {
  const { bytes } = places;
  const [start, other] = [places.start(first) + 1, places.start(second) + 1];
  const [length, otherLength] = [places.end(first) - 1 - start, places.end(second) - 1 - other];
  const shared = Math.min(length, otherLength);
  for (let at = 0; at < shared; at += 1) {
    const difference = (bytes[start + at] ?? 0) - (bytes[other + at] ?? 0);
    if (difference !== 0) return difference;
  }
  return length - otherLength;
}

/** The number of the word, -1 = none. */
function wordAt(bytes: Uint8Array, start: number, end: number): number {
  for (const { word, codes } of BY_LENGTH[end - start] ?? []) {
    let at = 0;
    while (at < codes.length && bytes[start + at] === codes[at]) at += 1;
    if (at === codes.length) return word;
  }
  return -1;
}

const listIn = (value: JsonValue): readonly JsonValue[] => (Array.isArray(value) ? value : []);

const memberOf = (value: JsonValue, name: string): JsonValue => (isObject(value) ? (own(value, name) ?? null) : null);

/** Of members that come instead of those of the definition. */
const givenNames = (given: JsonValue): readonly string[] => (isObject(given) ? Object.keys(given) : []);
