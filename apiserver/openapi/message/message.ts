/**
 * Encodes a JSON document as a protobuf message by tables of its fields. For the published protobuf forms of OpenAPI,
 * in which an object with arbitrary members is a list of name and value pairs, and values of any type are YAML text.
 * Members without a row are omitted.
 */
import { isObject, stringAt, stringifyJson, type JsonObject, type JsonValue } from '../../../shared/values/json';
import { MessageBuffer, type MessageSink } from '../../../shared/serialization/protobuf/message-buffer';
import { yamlOf } from './yaml-texts';

/** How a JSON value becomes a protobuf value. */
export type MessageShape =
  | 'string'
  | 'boolean'
  /** A message that has YAML text as its second field. */
  | 'any'
  /** A string, number or boolean, each in a field of its own. */
  | 'scalar'
  | { readonly message: string }
  /** The same for objects that occur repeatedly: each is encoded once. */
  | { readonly shared: string }
  | { readonly list: MessageShape }
  /** The members of an object, each as a message of name (1) and value (2). */
  | { readonly entries: MessageShape }
  /** A message with only this field. */
  | { readonly within: number; readonly shape: MessageShape }
  /** A message with a reference in field 2, or any other value in field 1. */
  | { readonly orReference: string }
  /** Selected by the member `in` of the value (an OpenAPI parameter). */
  | { readonly byParameterIn: Readonly<Record<string, MessageShape>> };

/** How a member of an object is encoded. A tuple, because there are hundreds of rows. */
export type FieldRow = readonly [member: string, number: number, shape: MessageShape];

/** The fields of a protobuf message. */
export interface MessageTable {
  readonly fields: readonly FieldRow[];
  /** The field for members with names that start with `x-`. */
  readonly extensions?: number;
}

/** By the name of the message. */
export type Messages = Readonly<Record<string, MessageTable>>;

/** Wire types of protobuf: a varint, eight bytes, and bytes behind their length. */
const VARINT = 0;
const FIXED64 = 1;
const DELIMITED = 2;

/** Field of the YAML text in a value of the shape `any`. */
const YAML_TEXT = 2;
/** Fields of the name and the value of an entry, in the shape `entries`. */
export const ENTRY_NAME = 1;
export const ENTRY_VALUE = 2;
/** Fields of the shape `scalar`. */
const SCALAR = { number: 1, boolean: 2, text: 3 } as const;
/** Fields of the shape `orReference`. */
const ALTERNATIVE = { value: 1, reference: 2 } as const;
const REFERENCE: MessageTable = { fields: [['$ref', 1, 'string']] };

/** Encodes a value as the message `name` of the tables. */
export function encodeMessage(messages: Messages, name: string, value: JsonObject): Buffer {
  const bytes = new MessageBuffer();
  new MessageWriter(messages, bytes).message(tableOf(messages, name), value);
  return bytes.finish();
}

/** The header of a field with a length prefix. */
export function encodeFieldHeader(number: number, length: number): Buffer {
  const bytes = new MessageBuffer();
  bytes.varint(tag(number, DELIMITED));
  bytes.varint(length);
  return bytes.finish();
}

/** Throws when no table describes the message. */
export function tableOf(messages: Messages, name: string): MessageTable {
  const table = messages[name];
  if (table === undefined) throw new Error(`no table describes the message ${name}`);
  return table;
}

const rowIndexesByTable = new WeakMap<MessageTable, ReadonlyMap<string, number>>();

/**
 * The indexes of a table's rows, by member. Tables have at most 31 rows, so that a set of rows is one integer and a bit
 * is left for members without a row (schema-message.ts).
 */
export function rowIndexesOf(table: MessageTable): ReadonlyMap<string, number> {
  const existing = rowIndexesByTable.get(table);
  if (existing !== undefined) return existing;
  const created = new Map(table.fields.map(([member], index) => [member, index]));
  rowIndexesByTable.set(table, created);
  return created;
}

/** The number that precedes a field: its number and, in the lowest three bits, its wire type. */
const tag = (field: number, wire: typeof VARINT | typeof FIXED64 | typeof DELIMITED): number => field * 8 + wire;

/** Encodings of objects that occur repeatedly. */
const sharedMessages = new WeakMap<JsonObject, { readonly table: MessageTable; readonly bytes: Buffer }>();

/**
 * Writes fields into a sink. Methods are named after what they write, as those of the sink; `number` is that of the field.
 */
export class MessageWriter {
  constructor(
    private readonly messages: Messages,
    private readonly bytes: MessageSink,
  ) {}

  /**
   * The fields of an object, in the order of the table. An object has few of the members of its table, so its members are
   * looked up in the table, not the other way round.
   */
  message(table: MessageTable, value: JsonObject): void {
    const { fields, extensions } = table;
    const rowIndexes = rowIndexesOf(table);
    // A set of rows: bit n stands for the row with index n.
    let presentRows = 0;
    let hasExtensions = false;
    for (const member in value) {
      if (!Object.hasOwn(value, member)) continue;
      const rowIndex = rowIndexes.get(member);
      if (rowIndex !== undefined) presentRows |= 1 << rowIndex;
      else if (extensions !== undefined && member.startsWith('x-')) hasExtensions = true;
    }
    // `presentRows & -presentRows` is the lowest bit that is set; `presentRows &= presentRows - 1` removes that bit.
    for (; presentRows !== 0; presentRows &= presentRows - 1) {
      const row = fields[31 - Math.clz32(presentRows & -presentRows)];
      const memberValue = row === undefined ? undefined : value[row[0]];
      if (row !== undefined && memberValue !== undefined && memberValue !== null) this.field(row[1], row[2], memberValue);
    }
    if (!hasExtensions || extensions === undefined) return;
    for (const member in value) {
      if (member.startsWith('x-') && Object.hasOwn(value, member)) this.entry(extensions, member, 'any', value[member] ?? null);
    }
  }

  /**
   * A value that does not have the shape is written as text for `string`, as false for `boolean`, and otherwise omitted
   * or written as an empty message.
   */
  field(number: number, shape: MessageShape, value: JsonValue): void {
    if (shape === 'string') this.text(number, typeof value === 'string' ? value : stringifyJson(value));
    else if (shape === 'boolean') this.boolean(number, value === true);
    else if (shape === 'any') this.any(number, value);
    else if (shape === 'scalar') this.scalar(number, value);
    else if ('message' in shape) this.object(number, tableOf(this.messages, shape.message), value);
    else if ('shared' in shape) this.shared(number, tableOf(this.messages, shape.shared), value);
    else if ('list' in shape) for (const item of Array.isArray(value) ? value : []) this.field(number, shape.list, item);
    else if ('entries' in shape) this.entries(number, shape.entries, value);
    else if ('within' in shape) this.within(number, shape.within, shape.shape, value);
    else if ('orReference' in shape) this.alternative(number, shape.orReference, value);
    else this.parameter(number, shape.byParameterIn, value);
  }

  /** The start of a length-delimited field. */
  fieldHeader(number: number): void {
    this.bytes.varint(tag(number, DELIMITED));
  }

  text(number: number, text: string): void {
    this.fieldHeader(number);
    this.bytes.text(text);
  }

  /** Writes a value of any type, given as YAML. */
  yaml(number: number, text: string): void {
    const start = this.open(number);
    this.text(YAML_TEXT, text);
    this.bytes.close(start);
  }

  private boolean(number: number, value: boolean): void {
    this.bytes.varint(tag(number, VARINT));
    this.bytes.varint(value ? 1 : 0);
  }

  private any(number: number, value: JsonValue): void {
    this.yaml(number, yamlOf(value));
  }

  private within(number: number, inner: number, shape: MessageShape, value: JsonValue): void {
    const start = this.open(number);
    this.field(inner, shape, value);
    this.bytes.close(start);
  }

  private entries(number: number, shape: MessageShape, value: JsonValue): void {
    if (!isObject(value)) return;
    for (const name in value) if (Object.hasOwn(value, name)) this.entry(number, name, shape, value[name] ?? null);
  }

  private parameter(number: number, shapes: Readonly<Record<string, MessageShape>>, value: JsonValue): void {
    const shape = shapes[stringAt(isObject(value) ? value : undefined, 'in') ?? ''];
    if (shape !== undefined) this.field(number, shape, value);
  }

  private object(number: number, table: MessageTable, value: JsonValue): void {
    if (!isObject(value)) return;
    const start = this.open(number);
    this.message(table, value);
    this.bytes.close(start);
  }

  private shared(number: number, table: MessageTable, value: JsonValue): void {
    if (!isObject(value)) return;
    const encoded = this.encodeShared(table, value);
    this.fieldHeader(number);
    this.bytes.varint(encoded.length);
    this.bytes.copy(encoded, 0, encoded.length);
  }

  private encodeShared(table: MessageTable, value: JsonObject): Buffer {
    const existing = sharedMessages.get(value);
    if (existing?.table === table) return existing.bytes;
    const buffer = new MessageBuffer();
    new MessageWriter(this.messages, buffer).message(table, value);
    const bytes = buffer.finish();
    sharedMessages.set(value, { table, bytes });
    return bytes;
  }

  private alternative(number: number, message: string, value: JsonValue): void {
    const isReference = isObject(value) && value['$ref'] !== undefined;
    const start = this.open(number);
    if (isReference) this.object(ALTERNATIVE.reference, REFERENCE, value);
    else this.object(ALTERNATIVE.value, tableOf(this.messages, message), value);
    this.bytes.close(start);
  }

  private entry(number: number, name: string, shape: MessageShape, value: JsonValue): void {
    const start = this.open(number);
    this.text(ENTRY_NAME, name);
    this.field(ENTRY_VALUE, shape, value);
    this.bytes.close(start);
  }

  /** Lists and objects are not supported here: the message stays empty. */
  private scalar(number: number, value: JsonValue): void {
    const start = this.open(number);
    if (typeof value === 'string') this.text(SCALAR.text, value);
    else if (typeof value === 'boolean') this.boolean(SCALAR.boolean, value);
    else if (typeof value !== 'object') {
      this.bytes.varint(tag(SCALAR.number, FIXED64));
      this.bytes.double(Number(value));
    }
    this.bytes.close(start);
  }

  /** Starts a nested message; pass the result to `bytes.close`. `length` is the expected length. */
  open(number: number, length = 0): number {
    this.fieldHeader(number);
    return this.bytes.open(length);
  }
}
