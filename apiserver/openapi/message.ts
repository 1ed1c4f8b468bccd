/**
 * Writes a JSON document as a protobuf message by tables of its fields. Made for the published protobuf forms of OpenAPI, where an object with
 * free members is a list of name and value pairs, and values of any type are YAML text. Members without a row are left out.
 */
import { Writer } from 'protobufjs/minimal';
import { isObject, stringAt, stringifyJson, type JsonObject, type JsonValue } from '../../shared/values/json';
import { stringifyYaml } from '../../shared/serialization';

export type MessageShape =
  | 'string'
  | 'boolean'
  /** A message whose second field is YAML text. */
  | 'any'
  /** A string, number or boolean, each with a field of its own. */
  | 'scalar'
  | { readonly message: string }
  | { readonly list: MessageShape }
  /** An object's members, each a message of name (1) and value (2). */
  | { readonly entries: MessageShape }
  /** A message with nothing but this field. */
  | { readonly within: number; readonly shape: MessageShape }
  /** A message whose field 2 holds a reference, and whose field 1 anything else. */
  | { readonly orReference: string }
  /** Chosen by the value's member `in`. */
  | { readonly byPlace: Readonly<Record<string, MessageShape>> };

export type FieldRow = readonly [member: string, number: number, shape: MessageShape];

export interface MessageTable {
  readonly fields: readonly FieldRow[];
  /** The field that takes members whose names begin with `x-`. */
  readonly extensions?: number;
}

export type Messages = Readonly<Record<string, MessageTable>>;

const YAML_TEXT = 2;
const REFERENCE: MessageTable = { fields: [['$ref', 1, 'string']] };

export function encodeMessage(messages: Messages, name: string, value: JsonObject): Buffer {
  const writer = new Writer();
  new MessageWriter(messages, writer).message(tableOf(messages, name), value);
  return Buffer.from(writer.finish());
}

/** One field of a message, as often as it is repeated, without the message around it. */
export function encodeField(messages: Messages, number: number, shape: MessageShape, value: JsonValue): Buffer {
  const writer = new Writer();
  new MessageWriter(messages, writer).field(number, shape, value);
  return Buffer.from(writer.finish());
}

/** What stands before so many bytes of a field that has a length. */
export function encodeHead(number: number, bytes: number): Buffer {
  return Buffer.from(new Writer().uint32(tag(number, 2)).uint32(bytes).finish());
}

function tableOf(messages: Messages, name: string): MessageTable {
  const table = messages[name];
  if (table === undefined) throw new Error(`no table describes the message ${name}`);
  return table;
}

/** Wire types: 0 = number or boolean, 1 = eight bytes, 2 = everything with a length. */
const tag = (field: number, wire: 0 | 1 | 2): number => field * 8 + wire;

class MessageWriter {
  constructor(
    private readonly messages: Messages,
    private readonly writer: Writer,
  ) {}

  message({ fields, extensions }: MessageTable, value: JsonObject): void {
    for (const [member, number, shape] of fields) {
      const found = value[member];
      if (found !== undefined && found !== null) this.field(number, shape, found);
    }
    if (extensions === undefined) return;
    for (const [member, found] of Object.entries(value)) if (member.startsWith('x-')) this.pair(extensions, member, 'any', found);
  }

  field(number: number, shape: MessageShape, value: JsonValue): void {
    const { writer } = this;
    if (shape === 'string') writer.uint32(tag(number, 2)).string(typeof value === 'string' ? value : stringifyJson(value));
    else if (shape === 'boolean') writer.uint32(tag(number, 0)).bool(value === true);
    else if (shape === 'any') this.nested(number, () => writer.uint32(tag(YAML_TEXT, 2)).string(stringifyYaml(value)));
    else if (shape === 'scalar') this.scalar(number, value);
    else if ('message' in shape) this.object(number, tableOf(this.messages, shape.message), value);
    else if ('list' in shape) for (const item of Array.isArray(value) ? value : []) this.field(number, shape.list, item);
    else if ('entries' in shape)
      for (const [name, item] of Object.entries(isObject(value) ? value : {})) this.pair(number, name, shape.entries, item);
    else if ('within' in shape) this.nested(number, () => this.field(shape.within, shape.shape, value));
    else if ('orReference' in shape) this.alternative(number, shape.orReference, value);
    else this.placed(number, shape.byPlace, value);
  }

  private placed(number: number, shapes: Readonly<Record<string, MessageShape>>, value: JsonValue): void {
    const shape = shapes[stringAt(isObject(value) ? value : undefined, 'in') ?? ''];
    if (shape !== undefined) this.field(number, shape, value);
  }

  private object(number: number, table: MessageTable, value: JsonValue): void {
    if (isObject(value)) this.nested(number, () => this.message(table, value));
  }

  private alternative(number: number, message: string, value: JsonValue): void {
    const isReference = isObject(value) && value['$ref'] !== undefined;
    this.nested(number, () => this.object(isReference ? 2 : 1, isReference ? REFERENCE : tableOf(this.messages, message), value));
  }

  private pair(number: number, name: string, shape: MessageShape, value: JsonValue): void {
    this.nested(number, () => {
      this.field(1, 'string', name);
      this.field(2, shape, value);
    });
  }

  /** There is no form for lists and objects here: the message stays empty. */
  private scalar(number: number, value: JsonValue): void {
    this.nested(number, () => {
      if (typeof value === 'object') return;
      if (typeof value === 'string') this.field(3, 'string', value);
      else if (typeof value === 'boolean') this.field(2, 'boolean', value);
      else this.writer.uint32(tag(1, 1)).double(Number(value));
    });
  }

  private nested(number: number, write: () => void): void {
    this.writer.uint32(tag(number, 2)).fork();
    write();
    this.writer.ldelim();
  }
}
