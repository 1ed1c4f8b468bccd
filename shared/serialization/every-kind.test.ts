/**
 * Encodes every kind with every field set to protobuf and JSON, compares them with recordings of upstream's encoder
 * (see test/replay/tools/print-full-objects.ts), and decodes them again. Malformed bytes must be decoded or rejected, quickly.
 */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { readCases } from '../../test/replay/recording';
import { text as written, tupleOf } from '../../test/replay/shape';
import { fullObjectOf } from '../../test/support/objects/full-object';
import { apiVersionOf } from '../api/identity/identity';
import type { JsonObject } from '../values/json';
import { STORED_KINDS, type KindRow } from '../api/kinds';
import { decodeObject, encodeBody } from '../api/types';
import { apiVersionInDialect } from '../names/dialect';
import { decodeProtobuf, encodeProtobuf, ProtobufError } from './protobuf/protobuf';

/** The digests of the protobuf message and of the JSON text, by API version and kind. */
const RECORDED = new Map(
  readCases('objects/messages', tupleOf(written, written, written, written)).map(([apiVersion, kind, ...digests]) => [
    `${apiVersion} ${kind}`,
    digests,
  ]),
);

const digest = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex').slice(0, 16);
const versionOf = (row: KindRow): string => apiVersionInDialect('kubernetes', apiVersionOf(row));
const fullObject = (row: KindRow): JsonObject => decodeObject(row.type, fullObjectOf(row.type)).object;

const ROWS = STORED_KINDS.map((row) => [`${versionOf(row)} ${row.kind}`, row] as const);

test.each(ROWS)('%s with every field set encodes to the recorded protobuf and JSON', (name, row) => {
  const object = fullObject(row);
  const bytes = encodeProtobuf(row.type, object, versionOf(row), row.kind);
  const text = encodeBody(row.type, object);
  const json = `{"kind":"${row.kind}","apiVersion":"${versionOf(row)}",${text.slice(1)}`;
  expect([digest(bytes), digest(json)]).toEqual(RECORDED.get(name));
  const decoded = decodeProtobuf(row.type, bytes);
  expect(decoded).toMatchObject({ apiVersion: versionOf(row), kind: row.kind });
  expect(encodeBody(row.type, decoded.object)).toBe(text);
  expect(encodeProtobuf(row.type, decoded.object, versionOf(row), row.kind).equals(bytes)).toBe(true);
});

/** Decodes the bytes or rejects them with a ProtobufError; throws any other error. */
function decodeOrReject(row: KindRow, bytes: Buffer): void {
  try {
    decodeProtobuf(row.type, bytes);
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error;
  }
}

test.each(ROWS)('decodeProtobuf decodes or rejects truncated, altered and random bytes of %s', (_, row) => {
  const bytes = encodeProtobuf(row.type, fullObject(row), versionOf(row), row.kind);
  const at = fc.nat(bytes.length - 1);
  fc.assert(
    fc.property(at, at, fc.nat(255), fc.uint8Array({ maxLength: 40 }), (cut, offset, byte, noise) => {
      decodeOrReject(row, bytes.subarray(0, cut));
      const altered = Buffer.from(bytes);
      altered[offset] = byte;
      decodeOrReject(row, altered);
      decodeOrReject(row, Buffer.concat([bytes.subarray(0, 4), noise]));
    }),
    { numRuns: 8 },
  );
});

const MAGIC = Buffer.from('k8s\0', 'latin1');
/** The message of an object in its envelope, of which it is the field 2. */
const inEnvelope = (message: Buffer): Buffer => Buffer.concat([MAGIC, field(2, message)]);

/** A field with the wire type 2: its tag, its length as a varint, and its content. */
function field(number: number, content: Buffer): Buffer {
  const size: number[] = [];
  for (let rest = content.length; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) {
      size.push(rest);
      break;
    }
    size.push((rest % 128) + 128);
  }
  return Buffer.concat([Buffer.from([number * 8 + 2, ...size]), content]);
}

describe('decodeProtobuf, for a malformed message,', () => {
  const configMap = STORED_KINDS.find(({ kind }) => kind === 'ConfigMap');
  if (configMap === undefined) throw new Error('no ConfigMap');

  test.each<readonly [string, Buffer]>([
    ['a length beyond the end', inEnvelope(Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x07]))],
    ['a length of more than 64 bits', inEnvelope(Buffer.from([0x0a, ...Array<number>(11).fill(0xff), 1]))],
    ['a wrong wire type', inEnvelope(Buffer.from([0x08, 0x01]))],
    ['field number 0', inEnvelope(Buffer.from([0x02, 0x00]))],
    ['the end of a group that was not started', inEnvelope(Buffer.from([0xfc, 0x01]))],
    ['a truncated envelope', Buffer.concat([MAGIC, Buffer.from([0x12])])],
  ])('rejects %s', (_, bytes) => {
    expect(() => decodeProtobuf(configMap.type, bytes)).toThrow(ProtobufError);
  });

  test('skips or rejects deeply nested groups', () => {
    decodeOrReject(configMap, inEnvelope(Buffer.alloc(3_000_000, 0xfb)));
    decodeOrReject(configMap, inEnvelope(Buffer.alloc(3_000_000, Buffer.from([0xfb, 0x01]))));
  });

  test('decodes or rejects deeply nested messages of a singular field', () => {
    let nested: Buffer = Buffer.alloc(0);
    for (let depth = 0; depth < 2000; depth += 1) nested = field(1, nested);
    decodeOrReject(configMap, inEnvelope(nested));
  });

  test('drops unknown fields of every wire type', () => {
    const known = field(1, field(1, Buffer.from('a')));
    /** The field 127 with each wire type. */
    const unknown = [
      [0xf8, 0x07, 0x01], // varint
      [0xf9, 0x07, 1, 2, 3, 4, 5, 6, 7, 8], // fixed64
      [0xfa, 0x07, 2, 0x61, 0x62], // length-prefixed
      [0xfb, 0x07, 0x08, 0x01, 0xfc, 0x07], // a group with one field
      [0xfd, 0x07, 1, 2, 3, 4], // fixed32
    ];
    const bytes = inEnvelope(Buffer.concat([known, ...unknown.map((bytes) => Buffer.from(bytes))]));
    expect(decodeProtobuf(configMap.type, bytes).object).toEqual(decodeProtobuf(configMap.type, inEnvelope(known)).object);
  });
});
