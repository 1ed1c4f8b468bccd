/**
 * The protobuf encoding of JSON documents by tables: the bytes of every shape of field, and a row for every field of
 * the published documents.
 */
import { Reader } from 'protobufjs/minimal';
import { isObject, stringAt, type JsonObject, type JsonValue } from '../../../shared/values/json';
import { SERVED_KINDS } from '../../../shared/api/kinds';
import { buildDocumentV2, buildDocumentV3 } from '../documents/documents';
import { encodeMessage, type Messages, type MessageShape } from './message';
import { OPENAPI_MESSAGES as PUBLISHED } from '../parts/openapi-messages';

/** Tables with a field of every shape. A row has the member, the number of the field and the shape of the value. */
const MESSAGES: Messages = {
  All: {
    fields: [
      ['text', 1, 'string'],
      ['flag', 2, 'boolean'],
      ['list', 3, { list: 'string' }],
      ['map', 4, { entries: { message: 'Inner' } }],
      ['wrapped', 5, { within: 7, shape: 'string' }],
      ['either', 6, { list: { orReference: 'Inner' } }],
      ['value', 8, 'scalar'],
      ['placed', 9, { byParameterIn: { path: { message: 'Inner' } } }],
      ['again', 10, { list: { shared: 'Inner' } }],
    ],
    extensions: 15,
  },
  Inner: { fields: [['in', 1, 'string']] },
};

/** An object that occurs twice in one message. */
const SHARED: JsonObject = { in: 'v' };
/** Texts and messages as hexadecimal digits. */
const text = (value: string): string => Buffer.from(value).toString('hex');
const hex = (value: JsonObject): string => encodeMessage(MESSAGES, 'All', value).toString('hex');

/**
 * Each field starts with a tag: its number times 8, plus its wire type. `10` is field 2 with a varint (wire type 0), `09`
 * field 1 with eight bytes (wire type 1), and `0a` field 1 with bytes behind their length (wire type 2).
 */
test.each<[JsonObject, string]>([
  [{ text: 'ab' }, `0a02${text('ab')}`],
  [{ flag: true }, '1001'],
  [{ list: ['a', 'b'] }, `1a01${text('a')}1a01${text('b')}`],
  [{ map: { k: { in: 'v' } } }, `2208` + `0a01${text('k')}` + `1203` + `0a01${text('v')}`],
  [{ wrapped: 'a' }, `2a03` + `3a01${text('a')}`],
  [{ either: [{ $ref: 'r' }, { in: 'v' }] }, `3205` + `1203` + `0a01${text('r')}` + `3205` + `0a03` + `0a01${text('v')}`],
  [{ value: 'a' }, `4203` + `1a01${text('a')}`],
  [{ value: true }, '42021001'],
  [{ value: 1 }, '4209' + '09000000000000f03f'],
  [{ value: {} }, '4200'],
  [{ placed: { in: 'path' } }, `4a06` + `0a04${text('path')}`],
  [{ placed: { in: 'elsewhere' } }, ''],
  [{ again: [SHARED, SHARED] }, `5203` + `0a01${text('v')}` + `5203` + `0a01${text('v')}`],
  [{ 'x-e': { b: 1, a: ['y'] } }, `7a17` + `0a03${text('x-e')}` + `1210` + `120e${text('a:\n- "y"\nb: 1\n')}`],
  [{ unknown: 1, text: null }, ''],
])('encodeMessage encodes %j', (value, expected) => {
  expect(hex(value)).toBe(expected);
});

test('encodeMessage encodes an object of the shape `shared` once, and writes the same bytes for it later', () => {
  const shared = { in: 'v' };
  const encoded = hex({ again: [shared] });
  shared.in = 'changed';
  expect(hex({ again: [shared] })).toBe(encoded);
});

test.each([0, 1, 42, 43, 126, 127, 128, 5_000, 20_000])(
  'encodeMessage encodes a name of %p characters and a text of three times as many',
  (length) => {
    const tagOf = (field: number): number => field * 8 + 2;
    const message = Reader.create(encodeMessage(MESSAGES, 'All', { map: { ['ü'.repeat(length)]: { in: 'a€😀'.repeat(length) } } }));
    expect(message.uint32()).toBe(tagOf(4));
    const entry = Reader.create(message.bytes());
    expect(entry.uint32()).toBe(tagOf(1));
    expect(entry.string()).toBe('ü'.repeat(length));
    expect(entry.uint32()).toBe(tagOf(2));
    const inner = Reader.create(entry.bytes());
    expect(inner.uint32()).toBe(tagOf(1));
    expect(inner.string()).toBe('a€😀'.repeat(length));
    // Nothing follows in any of the messages.
    for (const reader of [message, entry, inner]) expect(reader.pos).toBe(reader.len);
  },
);

/**
 * The paths of what `encodeMessage` omits or cannot encode as it is: members without a row, and values that do not have the
 * shape of their row. Follows the shapes as `MessageWriter` does, which does not report such values.
 */
function unencodedPaths(messages: Messages, shape: MessageShape, value: JsonValue, path: string): string[] {
  if (typeof shape === 'string') return [];
  if ('within' in shape) return unencodedPaths(messages, shape.shape, value, path);
  if ('list' in shape) {
    if (!Array.isArray(value)) return [path];
    return value.flatMap((item, index) => unencodedPaths(messages, shape.list, item, `${path}[${index}]`));
  }
  if (!isObject(value)) return [path];
  if ('entries' in shape) {
    return Object.entries(value).flatMap(([name, item]) => unencodedPaths(messages, shape.entries, item, `${path}/${name}`));
  }
  if ('byParameterIn' in shape) {
    const selected = shape.byParameterIn[stringAt(value, 'in') ?? ''];
    return selected === undefined ? [path] : unencodedPaths(messages, selected, value, path);
  }
  if ('orReference' in shape && value['$ref'] !== undefined) {
    return Object.keys(value).flatMap((member) => (member === '$ref' ? [] : [`${path}/${member}`]));
  }
  const table = messages[messageOf(shape)];
  return Object.entries(value).flatMap(([member, item]) => {
    const row = table?.fields.find(([name]) => name === member);
    if (row !== undefined) return unencodedPaths(messages, row[2], item, `${path}/${member}`);
    return member.startsWith('x-') && table?.extensions !== undefined ? [] : [`${path}/${member}`];
  });
}

/** The name of the message that encodes a value of the shape. */
function messageOf(shape: Extract<MessageShape, { message: string } | { shared: string } | { orReference: string }>): string {
  if ('orReference' in shape) return shape.orReference;
  return 'shared' in shape ? shape.shared : shape.message;
}

test('the message tables have a row for every field of the published documents', () => {
  const document: MessageShape = { message: 'Document' };
  expect(unencodedPaths(PUBLISHED.v2, document, buildDocumentV2(SERVED_KINDS, 'platform'), '')).toEqual([]);
  expect(unencodedPaths(PUBLISHED.v3, document, buildDocumentV3(SERVED_KINDS, { group: '', version: 'v1' }, 'platform'), '')).toEqual([]);
});
