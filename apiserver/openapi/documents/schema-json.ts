/**
 * Writes members of a document as JSON; writes published custom schemas without building objects. Integers that a
 * double cannot represent are printed with all digits, which requires another printer for the whole chunk.
 */
import { PublishedSchema, type PublishedLevel, type PublishedMember } from './published-schema';
import { isObject, ownMember, stringifyJson, type JsonObject, type JsonValue } from '../../../shared/values/json';
import { JsonIndex } from '../../../shared/values/json-index';
import { MessageBuffer } from '../message/message-buffer';

/** Members of paths or of schemas, by name. */
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

/** Writes the members without the enclosing braces into `bytes`. */
export function encodeMembersAsJson(members: DocumentMembers, bytes: MessageBuffer): Uint8Array {
  if (!new SchemaJsonWriter(JSON.stringify, bytes).members(members)) new SchemaJsonWriter(stringifyJson, bytes.reset()).members(members);
  return bytes.finish();
}

/** The schema as a value, for code that inspects single schemas. */
export function schemaValue(schema: PublishedSchema): JsonObject {
  const written = encodeMembersAsJson({ schema }, new MessageBuffer());
  const value = new JsonIndex(Buffer.concat([Buffer.from('{'), written, Buffer.from('}')])).toJson(0);
  const decoded = isObject(value) ? value['schema'] : undefined;
  return isObject(decoded) ? decoded : {};
}

type Print = (value: JsonValue) => string;

class SchemaJsonWriter {
  private needsLongIntegers = false;

  constructor(
    private readonly print: Print,
    private readonly bytes: MessageBuffer,
  ) {}

  /**
   * Returns false when a value contains an integer that a double cannot represent, so that the other printer is needed.
   */
  members(members: DocumentMembers): boolean {
    let separator = '';
    for (const [name, value] of Object.entries(members)) {
      this.bytes.plain(`${separator}${this.print(name)}:`);
      separator = ',';
      if (value instanceof PublishedSchema) this.level(value, value.root(), 0);
      else this.value(value);
    }
    return !this.needsLongIntegers;
  }

  private value(value: JsonValue): void {
    if (this.print === stringifyJson || !hasLongInteger(value)) this.bytes.plain(this.print(value));
    else this.needsLongIntegers = true;
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
        this.plain(schema.json, member.index);
        return;
      case 'schema':
        this.level(schema, schema.level(member.index, depth + 1), depth + 1);
        return;
      case 'schemas':
        this.schemas(schema, member, depth);
    }
  }

  private schemas(schema: PublishedSchema, member: PublishedMember, depth: number): void {
    const givenMembers = isObject(member.given) ? member.given : {};
    const names = Object.keys(givenMembers);
    let separator = '{';
    for (const name of schema.membersOf(member)) {
      this.bytes.plain(separator);
      separator = ',';
      if (name < 0) {
        const text = names[~name] ?? '';
        this.bytes.plain(`${this.print(text)}:`);
        this.value(ownMember(givenMembers, text) ?? null);
      } else {
        this.plain(schema.json, name);
        this.bytes.plain(':');
        this.level(schema, schema.level(schema.json.valueOfName(name), depth + 1), depth + 1);
      }
    }
    this.bytes.plain(separator === '{' ? '{}' : '}');
  }

  /** Writes a value of the definition unchanged, in the spelling of the document. */
  private plain(json: JsonIndex, index: number): void {
    switch (json.typeOf(index)) {
      case 'text':
        if (json.isEscaped(index) || this.print === stringifyJson) this.value(json.text(index));
        else this.bytes.copy(json.bytes, json.start(index), json.end(index));
        return;
      case 'boolean':
      case 'null':
        this.bytes.copy(json.bytes, json.start(index), json.end(index));
        return;
      case 'number':
      case 'list':
      case 'object':
        this.value(json.toJson(index));
    }
  }
}
