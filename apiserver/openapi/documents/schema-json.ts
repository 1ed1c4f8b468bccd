/**
 * Writes members of a document as JSON, and published custom schemas without building objects. Integers that a double
 * cannot represent are printed with all digits. `JSON.stringify` is fast but cannot do that, so members that contain such
 * an integer are written a second time, by `stringifyJson`.
 */
import type { PublishedLevel, PublishedMember } from './published-level';
import { PublishedSchema } from './published-schema';
import { isObject, ownMember, stringifyJson, type JsonObject, type JsonValue } from '../../../shared/values/json';
import { JsonIndex } from '../../../shared/values/json-index';
import { MessageBuffer } from '../../../shared/serialization/protobuf/message-buffer';

/** Members of paths or of schemas, by name. */
export type DocumentMembers = Readonly<Record<string, JsonValue | PublishedSchema>>;

/** The value as JSON, with all digits of its integers. */
export function encodeJson(value: JsonValue): string {
  return hasLongInteger(value) ? stringifyJson(value) : JSON.stringify(value);
}

/** Whether the value contains a bigint, which the parser creates for integers that a double cannot represent. */
function hasLongInteger(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint';
  if (Array.isArray(value)) return value.some(hasLongInteger);
  for (const member in value) if (Object.hasOwn(value, member) && hasLongInteger(value[member] ?? null)) return true;
  return false;
}

/**
 * Writes the members without the enclosing braces into `bytes`, an empty buffer; the result is valid until its reset.
 */
export function encodeMembersAsJson(members: DocumentMembers, bytes: MessageBuffer): Uint8Array {
  const isComplete = new SchemaJsonWriter(JSON.stringify, bytes).writeMembers(members);
  if (!isComplete) new SchemaJsonWriter(stringifyJson, bytes.reset()).writeMembers(members);
  return bytes.finish();
}

/** The schema as a value, for code that inspects single schemas. */
export function schemaValue(schema: PublishedSchema): JsonObject {
  const written = encodeMembersAsJson({ schema }, new MessageBuffer());
  const value = new JsonIndex(Buffer.concat([Buffer.from('{'), written, Buffer.from('}')])).toJson(0);
  const decoded = isObject(value) ? value['schema'] : undefined;
  return isObject(decoded) ? decoded : {};
}

/** Prints a value as JSON: `JSON.stringify`, or `stringifyJson`, which is slower and prints all digits of integers. */
type Print = (value: JsonValue) => string;

/** Writes members with one of the printers. */
class SchemaJsonWriter {
  /** Whether a value was left out because `JSON.stringify` cannot print it. */
  private needsLongIntegers = false;

  constructor(
    private readonly print: Print,
    private readonly bytes: MessageBuffer,
  ) {}

  /** Returns false when a value contains an integer that the printer cannot write; then the text is not usable. */
  writeMembers(members: DocumentMembers): boolean {
    let separator = '';
    for (const [name, value] of Object.entries(members)) {
      this.bytes.plain(`${separator}${this.print(name)}:`);
      separator = ',';
      if (value instanceof PublishedSchema) this.writeLevel(value, value.root(), 0);
      else this.writeValue(value);
    }
    return !this.needsLongIntegers;
  }

  private writeValue(value: JsonValue): void {
    if (this.print === stringifyJson || !hasLongInteger(value)) this.bytes.plain(this.print(value));
    else this.needsLongIntegers = true;
  }

  private writeLevel(schema: PublishedSchema, { members, count }: PublishedLevel, depth: number): void {
    this.bytes.plain('{');
    for (let index = 0; index < count; index += 1) {
      const member = members[index];
      if (member === undefined) continue;
      this.bytes.plain(`${index === 0 ? '' : ','}"${member.name}":`);
      this.writeMember(schema, member, depth);
    }
    this.bytes.plain('}');
  }

  private writeMember(schema: PublishedSchema, member: PublishedMember, depth: number): void {
    switch (member.form) {
      case 'given':
        this.writeValue(member.given);
        return;
      case 'plain':
        this.writeUnchanged(schema.json, member.index);
        return;
      case 'schema':
        this.writeLevel(schema, schema.level(member.index, depth + 1), depth + 1);
        return;
      case 'schemas':
        this.writeProperties(schema, member, depth);
    }
  }

  /** Writes the schemas of properties: those that are given, and those of the definition. */
  private writeProperties(schema: PublishedSchema, member: PublishedMember, depth: number): void {
    const givenMembers = isObject(member.given) ? member.given : {};
    let separator = '{';
    for (const name of schema.propertiesOf(member)) {
      this.bytes.plain(separator);
      separator = ',';
      if (typeof name === 'string') {
        this.bytes.plain(`${this.print(name)}:`);
        this.writeValue(ownMember(givenMembers, name) ?? null);
      } else {
        this.writeUnchanged(schema.json, name);
        this.bytes.plain(':');
        this.writeLevel(schema, schema.level(schema.json.valueOfName(name), depth + 1), depth + 1);
      }
    }
    this.bytes.plain(separator === '{' ? '{}' : '}');
  }

  /** Writes a value of the definition unchanged, in the spelling of the document. */
  private writeUnchanged(json: JsonIndex, index: number): void {
    switch (json.typeOf(index)) {
      case 'text':
        if (json.isEscaped(index) || this.print === stringifyJson) this.writeValue(json.text(index));
        else this.bytes.copy(json.bytes, json.start(index), json.end(index));
        return;
      case 'boolean':
      case 'null':
        this.bytes.copy(json.bytes, json.start(index), json.end(index));
        return;
      case 'number':
      case 'list':
      case 'object':
        this.writeValue(json.toJson(index));
    }
  }
}
