import { DER_TAGS, parseObjectIdentifier, requireDerTag, parseDerContainer, parseDer, DerError } from './der';

const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex');

test('parseDerContainer returns the values of a sequence in order', () => {
  const value = parseDer(bytes('30 0a 0403 010203 3000 0601 2a'));
  expect(parseDerContainer(value, DER_TAGS.sequence).map(({ tag, content }) => [tag, content.toString('hex')])).toEqual([
    [0x04, '010203'],
    [0x30, ''],
    [0x06, '2a'],
  ]);
  expect(requireDerTag(value, DER_TAGS.sequence).whole).toHaveLength(12);
});

test('parseDer reads lengths of several bytes', () => {
  expect(parseDer(Buffer.concat([bytes('04 8180'), Buffer.alloc(128)])).content).toHaveLength(128);
  expect(parseDer(Buffer.concat([bytes('04 820100'), Buffer.alloc(256)])).content).toHaveLength(256);
});

test.each([
  ['0603 550403', '2.5.4.3'],
  ['0609 2a864886f70d01090e', '1.2.840.113549.1.9.14'],
  ['0603 883703', '2.999.3'],
  ['0601 27', '0.39'],
])('parseObjectIdentifier decodes %s as the object identifier %s', (hex, id) =>
  expect(parseObjectIdentifier(parseDer(bytes(hex)))).toBe(id),
);

test.each([
  ['', 'asn1: syntax error: sequence truncated'],
  ['30', 'asn1: syntax error: data truncated'],
  ['3001', 'asn1: syntax error: data truncated'],
  ['3082 01', 'asn1: syntax error: data truncated'],
  ['3000 00', 'asn1: syntax error: trailing data'],
  ['3080 0000', 'asn1: syntax error: indefinite length found (not DER)'],
  ['3081 01 00', 'asn1: structure error: non-minimal length'],
  ['3082 0001 00', 'asn1: structure error: superfluous leading zeros in length'],
  ['3085 0100000000', 'asn1: structure error: length too large'],
  ['1f01 00', 'asn1: structure error: invalid tag number'],
  ['0400', "asn1: structure error: tags don't match"],
  ['3002 3001', 'asn1: syntax error: data truncated'],
])('parseDerContainer rejects %j', (hex, message) => {
  expect(() => parseDerContainer(parseDer(bytes(hex)), DER_TAGS.sequence)).toThrow(new DerError(message));
});

test.each(['0600', '0601 88', '0606 2a 8fffffff7f'])('parseObjectIdentifier rejects %s', (hex) => {
  expect(() => parseObjectIdentifier(parseDer(bytes(hex)))).toThrow(DerError);
});
