/**
 * Writes members of a document as JSON, published custom schemas without making objects of them. Integers that no double holds are printed with all their
 * digits, and what stands in one piece with them in the spelling that goes with that.
 */
import { PublishedSchema, type PublishedLevel, type PublishedMember } from './published-schema';
import { isObject, own, stringifyJson, type JsonObject, type JsonValue } from '../../shared/values/json';
import { JsonIndex } from '../../shared/values/json-index';
import { MessageBytes } from './message-buffer';

/** Of paths or of schemas, by their names. */
export type DocumentMembers = Readonly<Record<string, JsonValue | PublishedSchema>>;

export function encodeJson(value: JsonValue): string {
  return hasLongInteger(value) ? stringifyJson(value) : JSON.stringify(value);
}

function hasLongInteger(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint';
  if (Array.isArray(value)) return value.some(hasLongInteger);
  for (const member in value) if (Object.hasOwn(value, member) && hasLongInteger(value[member] ?? null)) return true;
  return false;
}

/** Without the braces around them, in `bytes`. */
export function encodeMembersAsJson(members: DocumentMembers, bytes: MessageBytes): Uint8Array {
  if (!new SchemaJsonWriter(JSON.stringify, bytes).members(members)) new SchemaJsonWriter(stringifyJson, bytes.begin()).members(members);
  return bytes.finish();
}

/** As a value: for whoever looks at single schemas. */
export function schemaValue(schema: PublishedSchema): JsonObject {
  const written = encodeMembersAsJson({ schema }, new MessageBytes());
  const value = new JsonIndex(Buffer.concat([Buffer.from('{'), written, Buffer.from('}')])).toJson(0);
  const found = isObject(value) ? value['schema'] : undefined;
  return isObject(found) ? found : {};
}

type Print = (value: JsonValue) => string;

class SchemaJsonWriter {
  private hasLong = false;

  constructor(
    private readonly print: Print,
    private readonly bytes: MessageBytes,
  ) {}

  /** False = there is an integer that no double holds, so another spelling is wanted. */
  members(members: DocumentMembers): boolean {
    let separator = '';
    for (const [name, value] of Object.entries(members)) {
      this.bytes.plain(`${separator}${this.print(name)}:`);
      separator = ',';
      if (value instanceof PublishedSchema) this.level(value, value.root(), 0);
      else this.value(value);
    }
    return !this.hasLong;
  }

  private value(value: JsonValue): void {
    if (this.print === stringifyJson || !hasLongInteger(value)) this.bytes.plain(this.print(value));
    else this.hasLong = true;
  }

  private level(schema: PublishedSchema, { members, count }: PublishedLevel, depth: number): void {
    this.bytes.plain('{');
    for (let at = 0; at < count; at += 1) {
      const member = members[at];
      if (member === undefined) continue;
      this.bytes.plain(`${at === 0 ? '' : ','}"${member.name}":`);
      this.member(schema, member, depth);
    }
    this.bytes.plain('}');
  }

  private member(schema: PublishedSchema, member: PublishedMember, depth: number): void {
    switch (member.form) {
      case 'given':
        this.value(member.given);
        return;
      case 'plain':
        this.plain(schema.places, member.place);
        return;
      case 'schema':
        this.level(schema, schema.level(member.place, depth + 1), depth + 1);
        return;
      case 'schemas':
        this.schemas(schema, member, depth);
    }
  }

  private schemas(schema: PublishedSchema, member: PublishedMember, depth: number): void {
    const besides = isObject(member.given) ? member.given : {};
    const names = Object.keys(besides);
    let separator = '{';
    for (const name of schema.membersOf(member)) {
      this.bytes.plain(separator);
      separator = ',';
      if (name < 0) {
        const text = names[~name] ?? '';
        this.bytes.plain(`${this.print(text)}:`);
        this.value(own(besides, text) ?? null);
      } else {
        this.plain(schema.places, name);
        this.bytes.plain(':');
        this.level(schema, schema.level(schema.places.valueOfName(name), depth + 1), depth + 1);
      }
    }
    this.bytes.plain(separator === '{' ? '{}' : '}');
  }

  /** As it stands in the definition, in the spelling of documents. */
  private plain(places: JsonIndex, place: number): void {
    switch (places.typeOf(place)) {
      case 'text':
        if (places.isEscaped(place) || this.print === stringifyJson) this.value(places.text(place));
        else this.bytes.copy(places.bytes, places.start(place), places.end(place));
        return;
      case 'boolean':
      case 'null':
        this.bytes.copy(places.bytes, places.start(place), places.end(place));
        return;
      case 'number':
      case 'list':
      case 'object':
        this.value(places.toJson(place));
    }
  }
}
