import fc from 'fast-check';
import { guarded, ProtobufFault, WIRE, WireReader, WireWriter } from './wire';

function written(write: (out: WireWriter) => void): Buffer {
  const out = new WireWriter();
  write(out);
  return out.finish();
}

test('every 64-bit integer survives, and is a bigint only when a double cannot hold it', () => {
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

test.each([5, 60, 200])('text of %d units with a lone surrogate is written as UTF-8', (length) => {
  const text = `${'a'.repeat(length - 1)}\ud800`;
  const bytes = new WireReader(written((out) => out.text(text))).bytes();
  expect(bytes.equals(Buffer.from(text))).toBe(true);
});

/** `depth` messages, each the field 1 of the one around it. */
function nested(depth: number): Buffer {
  return written((out) => {
    for (let level = 0; level < depth; level += 1) out.field(1, WIRE.bytes).fork();
    for (let level = 0; level < depth; level += 1) out.ldelim();
  });
}

function depthOf(reader: WireReader): number {
  return reader.next() ? 1 + depthOf(reader.message()) : 0;
}

test('messages nest to a depth of 100', () => {
  expect(depthOf(new WireReader(nested(100)))).toBe(100);
  expect(() => depthOf(new WireReader(nested(101)))).toThrow(new ProtobufFault('proto: exceeded max depth'));
});

test('what stands in a nested message cannot reach beyond it', () => {
  const input = new WireReader(Buffer.from([0x0a, 2, 0x0a, 3, 0x61, 0x62, 0x63]));
  input.next();
  const inner = input.message();
  inner.next();
  expect(() => guarded(() => inner.string())).toThrow(new ProtobufFault('unexpected EOF'));
});

test.each([
  ['a number without an end', [0x08, 0x80], 'unexpected EOF'],
  ['a number of eleven bytes', [0x08, ...Array<number>(11).fill(0x80), 0], 'proto: integer overflow'],
  ['a length beyond the end', [0x0a, 5, 0x61], 'unexpected EOF'],
  ['a length beyond 31 bits', [0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 1], 'unexpected EOF'],
  ['a fixed number cut short', [0x09, 1, 2, 3], 'unexpected EOF'],
  ['field 0', [0x02, 0], 'proto: illegal tag 0 (wire type 2)'],
  ['an unknown wire type', [0x0e], 'proto: illegal wireType 6'],
  ['the end of a group that did not begin', [0x0c], 'proto: illegal wireType 4'],
  ['a group without an end', [0x0b], 'unexpected EOF'],
  ['a group that another ends', [0x0b, 0x14], 'proto: malformed group'],
  ['groups without bounds', Array<number>(5000).fill(0x0b), 'proto: malformed group'],
])('%s is refused', (_, bytes, message) => {
  const input = new WireReader(Buffer.from(bytes));
  const walk = (): void => {
    while (input.next()) {
      if (input.wire === WIRE.varint) input.integer();
      else input.skipField();
    }
  };
  expect(() => guarded(walk)).toThrow(new ProtobufFault(message));
});

test('a fault that is not about the bytes stays what it is', () => {
  const fault = new TypeError('x is not a function');
  expect(() =>
    guarded(() => {
      throw fault;
    }),
  ).toThrow(fault);
});
