/**
 * Writes a published custom schema as a protobuf message by the tables of openapi-messages.ts, without building
 * objects: texts are copied from the definition. The bytes equal those that `MessageWriter` writes for the schema as a
 * value. Methods are named after what they write, as those of `MessageWriter`.
 */
import type { PublishedLevel, PublishedMember } from '../documents/published-level';
import type { PublishedSchema } from '../documents/published-schema';
import { isObject, ownMember, type JsonValue } from '../../../shared/values/json';
import type { JsonIndex } from '../../../shared/values/json-index';
import {
  ENTRY_NAME,
  ENTRY_VALUE,
  MessageWriter,
  rowIndexesOf,
  tableOf,
  type Messages,
  type MessageShape,
  type MessageTable,
} from '../message/message';
import type { MessageBuffer } from '../../../shared/serialization/protobuf/message-buffer';
import { yamlAt } from '../message/yaml-texts';

/** The bit of members without a row: tables have at most 31 rows. */
const NO_ROW_BIT = 31;

/** Writes one schema into one buffer. */
export class SchemaMessageWriter {
  private readonly writer: MessageWriter;
  private readonly json: JsonIndex;

  constructor(
    private readonly messages: Messages,
    private readonly bytes: MessageBuffer,
    private readonly schema: PublishedSchema,
  ) {
    this.writer = new MessageWriter(messages, bytes);
    this.json = schema.json;
  }

  /** Writes the whole schema as a field of the given shape. */
  root(number: number, shape: MessageShape): void {
    this.schemaField(number, shape, this.json.root, (table) => this.message(table, this.schema.root(), 0));
  }

  /** Fields are in the order of the table, extensions in their own order. */
  private message(table: MessageTable, level: PublishedLevel, depth: number): void {
    const { fields, extensions } = table;
    const rows = rowIndexesOf(table);
    // A set of rows: bit n stands for the row with index n, and the highest bit for names without a row.
    let presentRows = 0;
    for (let index = 0; index < level.count; index += 1) {
      const name = level.members[index]?.name ?? '';
      presentRows |= 1 << (rows.get(name) ?? NO_ROW_BIT);
    }
    for (let row = 0; presentRows !== 0 && row < fields.length; row += 1) {
      const field = (presentRows & (1 << row)) === 0 ? undefined : fields[row];
      const member = field === undefined ? undefined : memberOf(level, field[0]);
      if (field !== undefined && member !== undefined) this.member(field[1], field[2], member, depth);
    }
    if (extensions === undefined) return;
    for (let index = 0; index < level.count; index += 1) {
      const member = level.members[index];
      if (member?.name.startsWith('x-') === true) this.extension(extensions, member);
    }
  }

  /** An extension (`x-…`) as an entry with a value of any type. */
  private extension(number: number, { name, form, index, given }: PublishedMember): void {
    const start = this.writer.open(number);
    this.writer.text(ENTRY_NAME, name);
    if (form === 'plain') this.any(ENTRY_VALUE, index);
    else this.writer.field(ENTRY_VALUE, 'any', given);
    this.bytes.close(start);
  }

  /** A member of a schema as a field. A null value is omitted. */
  private member(number: number, shape: MessageShape, member: PublishedMember, depth: number): void {
    const { form, given, index } = member;
    if (form === 'given') this.writer.field(number, shape, given);
    else if (form === 'plain') {
      if (this.json.typeOf(index) !== 'null') this.plain(number, shape, index);
    } else if (typeof shape === 'object' && 'within' in shape) {
      const start = this.writer.open(number, this.lengthOf(index));
      this.member(shape.within, shape.shape, member, depth);
      this.bytes.close(start);
    } else if (form === 'schema') this.nested(number, shape, index, depth);
    else if (typeof shape === 'object' && 'entries' in shape) this.entries(number, shape.entries, member, depth);
  }

  /** The properties of a schema as entries. */
  private entries(number: number, shape: MessageShape, member: PublishedMember, depth: number): void {
    const { given } = member;
    for (const name of this.schema.propertiesOf(member)) {
      if (typeof name === 'number') this.entry(number, shape, name, depth);
      else this.givenEntry(number, shape, name, isObject(given) ? (ownMember(given, name) ?? null) : null);
    }
  }

  /** A property of the definition; `name` is the index of its name. */
  private entry(number: number, shape: MessageShape, name: number, depth: number): void {
    const index = this.json.valueOfName(name);
    const start = this.writer.open(number, this.lengthOf(index));
    this.text(ENTRY_NAME, name);
    this.nested(ENTRY_VALUE, shape, index, depth);
    this.bytes.close(start);
  }

  private givenEntry(number: number, shape: MessageShape, name: string, value: JsonValue): void {
    const start = this.writer.open(number);
    this.writer.text(ENTRY_NAME, name);
    this.writer.field(ENTRY_VALUE, shape, value);
    this.bytes.close(start);
  }

  /** A schema below the current one as a field. */
  private nested(number: number, shape: MessageShape, index: number, depth: number): void {
    this.schemaField(number, shape, index, (table) => this.message(table, this.schema.level(index, depth + 1), depth + 1));
  }

  /** Writes a schema as a field; where its shape allows a reference, as the value, because it is never a reference. */
  private schemaField(number: number, shape: MessageShape, index: number, write: (table: MessageTable) => void): void {
    if (typeof shape !== 'object') return;
    const length = this.lengthOf(index);
    const start = this.writer.open(number, length);
    if ('orReference' in shape) {
      const inner = this.writer.open(1, length);
      write(tableOf(this.messages, shape.orReference));
      this.bytes.close(inner);
    } else if ('message' in shape) write(tableOf(this.messages, shape.message));
    this.bytes.close(start);
  }

  /** The expected length of the encoding: that of the JSON text; 0 for a value that is not in it. */
  private lengthOf(index: number): number {
    return index < 0 ? 0 : this.json.end(index) - this.json.start(index);
  }

  /** Writes a value of the definition unchanged. */
  private plain(number: number, shape: MessageShape, index: number): void {
    const { json } = this;
    if (shape === 'string' && json.isText(index)) this.text(number, index);
    else if (shape === 'any') this.any(number, index);
    else if (typeof shape === 'object' && 'within' in shape) {
      const start = this.writer.open(number);
      this.plain(shape.within, shape.shape, index);
      this.bytes.close(start);
    } else if (typeof shape === 'object' && 'list' in shape && json.typeOf(index) === 'list') {
      for (let item = json.firstChild(index); item < json.nextSibling(index); item = json.nextSibling(item)) {
        this.plain(number, shape.list, item);
      }
    } else this.writer.field(number, shape, json.toJson(index));
  }

  /** A text of the definition, copied unless it has escapes. */
  private text(number: number, index: number): void {
    if (this.json.isEscaped(index)) {
      this.writer.text(number, this.json.text(index));
      return;
    }
    const start = this.json.start(index) + 1;
    const end = this.json.end(index) - 1;
    this.writer.fieldHeader(number);
    this.bytes.varint(end - start);
    this.bytes.copy(this.json.bytes, start, end);
  }

  private any(number: number, index: number): void {
    this.writer.yaml(number, yamlAt(this.json, index));
  }
}

function memberOf({ members, count }: PublishedLevel, name: string): PublishedMember | undefined {
  for (let index = 0; index < count; index += 1) if (members[index]?.name === name) return members[index];
  return undefined;
}
