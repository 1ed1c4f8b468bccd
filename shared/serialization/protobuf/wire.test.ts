/** The protobuf wire format: 64-bit integers, texts, and malformed bytes. */
import fc from 'fast-check';
import { withProtobufErrors, ProtobufError, WIRE_TYPES, WireReader, WireWriter } from './wire';

function written(write: (out: WireWriter) => void): Buffer {
  const out = new WireWriter();
  write(out);
  return out.finish();
}

test('WireReader reads every 64-bit integer exactly, as a bigint only when a double cannot hold it', () => {
  // Here a varint gets longer (7, 28 and 35 bits), and a half of 32 bits, the safe integers and all integers end.
  const powers = [7n, 28n, 32n, 35n, 53n, 63n].map((power) => 1n << power);
  const edges = powers.flatMap((power) => [power - 1n, -power + 1n, -power]);
  fc.assert(
    fc.property(fc.oneof(fc.constantFrom(...edges), fc.bigInt(-(1n << 63n), (1n << 63n) - 1n)), (value) => {
      const number = Number(value);
      const expected = Number.isSafeInteger(number) ? number : value;
      expect(new WireReader(written((out) => out.integer(value))).integer()).toBe(expected);
      expect(new WireReader(written((out) => out.integer(expected))).integer()).toBe(expected);
    }),
  );
});

/** Each takes another path: a text of up to 42 units; a longer one with a length of one byte, and one with a length of two. */
const TEXT_LENGTHS = [5, 60, 200];

test.each(TEXT_LENGTHS)('WireWriter writes a string of %d units with a lone surrogate as UTF-8', (length) => {
  const text = `${'a'.repeat(length - 1)}\ud800`;
  const bytes = new WireReader(written((out) => out.text(text))).bytes();
  expect(bytes.equals(Buffer.from(text))).toBe(true);
});

function writeNested(out: WireWriter, depth: number): void {
  if (depth > 0) out.field(1, WIRE_TYPES.bytes).message(() => writeNested(out, depth - 1));
}

/** `depth` messages, each the field 1 of the one around it. */
function nested(depth: number): Buffer {
  return written((out) => writeNested(out, depth));
}

function depthOf(reader: WireReader): number {
  return reader.next() ? 1 + depthOf(reader.message()) : 0;
}

test('WireReader accepts nested messages up to a depth of 100', () => {
  expect(depthOf(new WireReader(nested(100)))).toBe(100);
  expect(() => depthOf(new WireReader(nested(101)))).toThrow(new ProtobufError('proto: exceeded max depth'));
});

test('WireReader rejects a field that reaches beyond its nested message', () => {
  const input = new WireReader(Buffer.from([0x0a, 2, 0x0a, 3, 0x61, 0x62, 0x63]));
  input.next();
  const inner = input.message();
  inner.next();
  expect(() => withProtobufErrors(() => inner.string())).toThrow(new ProtobufError('unexpected EOF'));
});

test.each([
  ['an unterminated varint', [0x08, 0x80], 'unexpected EOF'],
  ['a varint of eleven bytes', [0x08, ...Array<number>(10).fill(0x80), 0], 'proto: integer overflow'],
  ['a length beyond the end', [0x0a, 5, 0x61], 'unexpected EOF'],
  ['a length beyond 31 bits', [0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 1], 'unexpected EOF'],
  ['a truncated fixed64', [0x09, 1, 2, 3], 'unexpected EOF'],
  ['field 0', [0x02, 0], 'proto: illegal tag 0 (wire type 2)'],
  ['an unknown wire type', [0x0e], 'proto: illegal wireType 6'],
  ['the end of a group that did not start', [0x0c], 'proto: illegal wireType 4'],
  ['an unterminated group', [0x0b], 'unexpected EOF'],
  ['a group that ends with another field number', [0x0b, 0x14], 'proto: malformed group'],
  ['5,000 nested groups', Array<number>(5000).fill(0x0b), 'proto: malformed group'],
])('WireReader rejects %s', (_, bytes, message) => {
  const input = new WireReader(Buffer.from(bytes));
  const walk = (): void => {
    while (input.next()) {
      if (input.wire === WIRE_TYPES.varint) input.integer();
      else input.skipField();
    }
  };
  expect(() => withProtobufErrors(walk)).toThrow(new ProtobufError(message));
});

test('withProtobufErrors rethrows errors that do not concern the bytes', () => {
  const error = new TypeError('x is not a function');
  expect(() =>
    withProtobufErrors(() => {
      throw error;
    }),
  ).toThrow(error);
});
