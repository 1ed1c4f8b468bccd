/**
 * Protobuf encoding of objects: bytes recorded from release 1.31.1, round trips of every kind by properties, and
 * malformed bytes.
 */
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../values/json';
import { STORED_KINDS } from '../../api/kinds';
import { decodeObject } from '../../api/types/decode';
import { encodeBody } from '../../api/types/encode';
import { schemaOf } from '../../api/types/tables';
import type { FieldType, Scalar } from '../../api/types/types';
import { decodeProtobuf, encodeProtobuf, ProtobufError } from './protobuf';

/** Protobuf responses of release 1.31.1 for a ConfigMap, a Lease, a Service and a Pod. */
const RECORDED: readonly [string, string][] = [
  [
    'core.v1.ConfigMap',
    [
      'azhzAAoPCgJ2MRIJQ29uZmlnTWFwEo0CCvcBCgNyZWMSABoCaDIiACokMzRhMDQzOTMtZTI3ZC00NWIxLWE0YjYtYzZjMzRlZTM1ZDBjMgQxNjkyOABCCAiD',
      '24jYBhAAWgYKAWESAWKKAaYBCgRjdXJsEgZVcGRhdGUaAnYxIggIg9uI2AYQADIIRmllbGRzVjE6fAp6eyJmOmJpbmFyeURhdGEiOnsiLiI6e30sImY6YiI6',
      'e319LCJmOmRhdGEiOnsiLiI6e30sImY6ayI6e319LCJmOmltbXV0YWJsZSI6e30sImY6bWV0YWRhdGEiOnsiZjpsYWJlbHMiOnsiLiI6e30sImY6YSI6e319',
      'fX1CABIGCgFrEgF2GgcKAWISAgABIAAaACIA',
    ].join(''),
  ],
  [
    'coordination.v1.Lease',
    [
      'azhzAAofChZjb29yZGluYXRpb24uazhzLmlvL3YxEgVMZWFzZRLvAQrYAQoDcmVjEgAaAmgyIgAqJGZkNzkyODk4LTExMDUtNDI4Ny04ZjFkLTBmMzM5NjUw',
      'YjNhMzIEMTY5MzgAQggIg9uI2AYQAIoBjwEKBGN1cmwSBlVwZGF0ZRoWY29vcmRpbmF0aW9uLms4cy5pby92MSIICIPbiNgGEAAyCEZpZWxkc1YxOlEKT3si',
      'ZjpzcGVjIjp7ImY6aG9sZGVySWRlbnRpdHkiOnt9LCJmOmxlYXNlRHVyYXRpb25TZWNvbmRzIjp7fSwiZjpyZW5ld1RpbWUiOnt9fX1CABISCgFhEA8iCwiA',
      'gcisBhCAlO86GgAiAA==',
    ].join(''),
  ],
  [
    'core.v1.Service',
    [
      'azhzAAoNCgJ2MRIHU2VydmljZRL5BArXAwoDcmVjEgAaAmgyIgAqJDI3ODE0OTc0LTEzY2MtNDFhNS04NGQwLWMwNDRmOTczOWI3MzIEMTY5NzgAQggIg9uI',
      '2AYQAIoBjgMKBGN1cmwSBlVwZGF0ZRoCdjEiCAiD24jYBhAAMghGaWVsZHNWMTrjAgrgAnsiZjpzcGVjIjp7ImY6ZXh0ZXJuYWxUcmFmZmljUG9saWN5Ijp7',
      'fSwiZjppbnRlcm5hbFRyYWZmaWNQb2xpY3kiOnt9LCJmOnBvcnRzIjp7Ii4iOnt9LCJrOntcInBvcnRcIjo4MCxcInByb3RvY29sXCI6XCJUQ1BcIn0iOnsi',
      'LiI6e30sImY6bmFtZSI6e30sImY6cG9ydCI6e30sImY6cHJvdG9jb2wiOnt9LCJmOnRhcmdldFBvcnQiOnt9fSwiazp7XCJwb3J0XCI6ODEsXCJwcm90b2Nv',
      'bFwiOlwiVENQXCJ9Ijp7Ii4iOnt9LCJmOm5hbWUiOnt9LCJmOnBvcnQiOnt9LCJmOnByb3RvY29sIjp7fSwiZjp0YXJnZXRQb3J0Ijp7fX19LCJmOnNlbGVj',
      'dG9yIjp7fSwiZjpzZXNzaW9uQWZmaW5pdHkiOnt9LCJmOnR5cGUiOnt9fX1CABKYAQoZCgFhEgNUQ1AYUCIJCAEQABoDd2ViKKT7AQoWCgFiEgNUQ1AYUSIG',
      'CAAQURoAKN7/ARIGCgFhEgFiGgwxMC45Ni4xODEuNzAiCE5vZGVQb3J0OgROb25lQgBSAFoHQ2x1c3RlcmAAaACKAQtTaW5nbGVTdGFja5IBDDEwLjk2LjE4',
      'MS43MJoBBElQdjSyAQdDbHVzdGVyGgIKABoAIgA=',
    ].join(''),
  ],
  [
    'core.v1.Pod',
    [
      'azhzAAoJCgJ2MRIDUG9kEuUICt0FCgNyZWMSABoCaDIiACokODE4MTUxM2YtNmZkMS00ZmQzLTkyMTAtYjJlMTc4NWIxZTE2MgQxNjk4OABCCAiD24jYBhAA',
      'igGUBQoEY3VybBIGVXBkYXRlGgJ2MSIICIPbiNgGEAAyCEZpZWxkc1YxOukECuYEeyJmOnNwZWMiOnsiZjphdXRvbW91bnRTZXJ2aWNlQWNjb3VudFRva2Vu',
      'Ijp7fSwiZjpjb250YWluZXJzIjp7Ims6e1wibmFtZVwiOlwiYVwifSI6eyIuIjp7fSwiZjppbWFnZSI6e30sImY6aW1hZ2VQdWxsUG9saWN5Ijp7fSwiZjps',
      'aXZlbmVzc1Byb2JlIjp7Ii4iOnt9LCJmOmZhaWx1cmVUaHJlc2hvbGQiOnt9LCJmOmh0dHBHZXQiOnsiLiI6e30sImY6cGF0aCI6e30sImY6cG9ydCI6e30s',
      'ImY6c2NoZW1lIjp7fX0sImY6cGVyaW9kU2Vjb25kcyI6e30sImY6c3VjY2Vzc1RocmVzaG9sZCI6e30sImY6dGltZW91dFNlY29uZHMiOnt9fSwiZjpuYW1l',
      'Ijp7fSwiZjpyZXNvdXJjZXMiOnsiLiI6e30sImY6bGltaXRzIjp7Ii4iOnt9LCJmOmNwdSI6e319LCJmOnJlcXVlc3RzIjp7Ii4iOnt9LCJmOmNwdSI6e319',
      'fSwiZjp0ZXJtaW5hdGlvbk1lc3NhZ2VQYXRoIjp7fSwiZjp0ZXJtaW5hdGlvbk1lc3NhZ2VQb2xpY3kiOnt9fX0sImY6ZG5zUG9saWN5Ijp7fSwiZjplbmFi',
      'bGVTZXJ2aWNlTGlua3MiOnt9LCJmOnJlc3RhcnRQb2xpY3kiOnt9LCJmOnNjaGVkdWxlck5hbWUiOnt9LCJmOnNlY3VyaXR5Q29udGV4dCI6e30sImY6dGVy',
      'bWluYXRpb25HcmFjZVBlcmlvZFNlY29uZHMiOnt9fX1CABLgAhJ5CgFhEgFiKgBCHgoNCgNjcHUSBgoENTAwbRINCgNjcHUSBgoENTAwbVIhChUSEwoBLxIG',
      'CAAQUBoAGgAiBEhUVFAQABgBIAooATADahQvZGV2L3Rlcm1pbmF0aW9uLWxvZ3IGQWx3YXlzgAEAiAEAkAEAogEERmlsZRoGQWx3YXlzIB4yDENsdXN0ZXJG',
      'aXJzdEIHZGVmYXVsdEoHZGVmYXVsdFIAWABgAGgAcgCCAQCKAQCaARFkZWZhdWx0LXNjaGVkdWxlcqgBALIBNgocbm9kZS5rdWJlcm5ldGVzLmlvL25vdC1y',
      'ZWFkeRIGRXhpc3RzGgAiCU5vRXhlY3V0ZSisArIBOAoebm9kZS5rdWJlcm5ldGVzLmlvL3VucmVhY2hhYmxlEgZFeGlzdHMaACIJTm9FeGVjdXRlKKwCwgEA',
      'yAEA8AEB+gEUUHJlZW1wdExvd2VyUHJpb3JpdHkaIAoHUGVuZGluZxoAIgAqADIASglCdXJzdGFibGVaAHIAGgAiAA==',
    ].join(''),
  ],
];

test.each(RECORDED)('encodeProtobuf restores the recorded bytes of a decoded %s', (type, base64) => {
  const bytes = Buffer.from(base64, 'base64');
  const { object, apiVersion, kind } = decodeProtobuf(type, bytes);
  expect(encodeProtobuf(type, object, apiVersion, kind).equals(bytes)).toBe(true);
});

const SCALARS: Record<Scalar, fc.Arbitrary<JsonValue>> = {
  bool: fc.boolean(),
  int32: fc.integer(),
  int64: fc.bigInt(-(1n << 63n), (1n << 63n) - 1n).map((value) => (Number.isSafeInteger(Number(value)) ? Number(value) : value)),
  uint32: fc.nat(),
  float64: fc.double({ noNaN: true, noDefaultInfinity: true }),
  string: fc.string({ unit: 'grapheme' }),
  bytes: fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('base64')),
  time: fc.constantFrom('2024-01-01T00:00:00Z', '1969-12-31T23:59:59Z', '9999-12-31T23:59:59Z'),
  microTime: fc.constantFrom('2024-01-01T00:00:00.123456Z', '1969-12-31T23:59:59.000001Z'),
  duration: fc.constant('1s'),
  quantity: fc.constantFrom('0', '1', '100m', '1Gi', '1e3', '-5'),
  intOrString: fc.oneof(fc.integer(), fc.string()),
  raw: fc.constant({ a: [1, 'x'] }),
  json: fc.jsonValue({ maxDepth: 2 }).map((value): JsonValue => JSON.parse(JSON.stringify(value))),
  fields: fc.constant({ 'f:a': {} }),
  strings: fc.array(fc.string()),
};

function arbitraryOf(type: FieldType, depth: number): fc.Arbitrary<JsonValue> {
  switch (type.kind) {
    case 'scalar':
      return SCALARS[type.scalar];
    case 'either': {
      const other = { bool: fc.boolean(), list: fc.array(objectOf(type.object, 0)), strings: fc.array(fc.string()) }[type.or];
      return fc.oneof(other, objectOf(type.object, depth - 1));
    }
    case 'object':
      return objectOf(type.type, depth - 1);
    case 'list':
      return fc.array(arbitraryOf(type.element, depth), { maxLength: 2 });
    case 'map':
      return fc.dictionary(fc.string(), arbitraryOf(type.element, depth), { maxKeys: 2, noNullPrototype: true });
  }
}

function objectOf(type: string, depth: number): fc.Arbitrary<JsonObject> {
  if (depth < 0) return fc.constant({});
  const members = Object.fromEntries(schemaOf(type).fields.map((field) => [field.name, arbitraryOf(field.type, depth)]));
  return fc.record(members, { requiredKeys: [], noNullPrototype: true }).map((record) => {
    const object: JsonObject = {};
    for (const [name, value] of Object.entries(record)) if (value !== undefined) object[name] = value;
    return object;
  });
}

test.each([...new Set(STORED_KINDS.map(({ type }) => type)), 'meta.v1.DeleteOptions', 'meta.v1.Status'])(
  'decodeProtobuf reads what encodeProtobuf writes for any %s',
  (type) => {
    fc.assert(
      fc.property(objectOf(type, 2), (value) => {
        const { object } = decodeObject(type, value);
        const bytes = encodeProtobuf(type, object, 'v1', 'X');
        const decoded = decodeProtobuf(type, bytes);
        expect(encodeBody(type, decoded.object)).toBe(encodeBody(type, object));
        expect(encodeProtobuf(type, decoded.object, 'v1', 'X').equals(bytes)).toBe(true);
      }),
      { numRuns: 6 },
    );
  },
);

const sample = encodeProtobuf(
  'core.v1.Pod',
  decodeObject('core.v1.Pod', { metadata: { name: 'a', labels: { a: 'b' } }, spec: { containers: [{ name: 'c' }] } }).object,
  'v1',
  'Pod',
);

test('decodeProtobuf decodes truncated or altered bytes or throws a ProtobufError', () => {
  for (let length = 0; length < sample.length; length += 1) {
    try {
      decodeProtobuf('core.v1.Pod', sample.subarray(0, length));
    } catch (error) {
      expect(error).toBeInstanceOf(ProtobufError);
    }
  }
  fc.assert(
    fc.property(fc.nat(sample.length - 1), fc.nat(255), (at, byte) => {
      const altered = Buffer.from(sample);
      altered[at] = byte;
      try {
        decodeProtobuf('core.v1.Pod', altered);
      } catch (error) {
        expect(error).toBeInstanceOf(ProtobufError);
      }
    }),
    { numRuns: 500 },
  );
});

test('decodeProtobuf rejects bytes without the magic prefix with the error of upstream', () => {
  expect(() => decodeProtobuf('core.v1.Pod', Buffer.from('{}'))).toThrow(
    'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]',
  );
});

test('decodeProtobuf skips unknown fields', () => {
  /** Field 31 of the envelope, with the two bytes `ab`. */
  const unknownField = Buffer.from([0xfa, 0x01, 0x02, 0x61, 0x62]);
  expect(decodeProtobuf('core.v1.Pod', Buffer.concat([sample, unknownField]))).toEqual(decodeProtobuf('core.v1.Pod', sample));
});

test('decodeProtobuf rejects an invalid quantity', () => {
  const wrong = { spec: { containers: [{ name: 'c', resources: { limits: { cpu: 'much' } } }] } };
  expect(() => decodeProtobuf('core.v1.Pod', encodeProtobuf('core.v1.Pod', wrong, 'v1', 'Pod'))).toThrow(ProtobufError);
});
