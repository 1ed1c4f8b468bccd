/** Compares the parsing of IP addresses and ranges with release 1.31.1. */
import { readRecording } from '../../../test/replay/recording';
import { body, text, boolean, tupleOf } from '../../../test/replay/shape';
import { addressClass, formatIpAddress, formatIpRange, parseIpAddress, parseIpRange, rangeContains, isStrictSubrange } from './ip-address';

it.each(readRecording('values/addresses', body, tupleOf(text, text)).cases)(
  'parseIpAddress and addressClass classify %j as %s',
  (written, verdict) => {
    const address = parseIpAddress(written);
    if (address === undefined) return expect('-').toBe(verdict);
    const kind = addressClass(address);
    expect(kind === undefined ? String(address.family) : `${address.family} ${kind}`).toBe(verdict);
  },
);

it.each(readRecording('values/ranges', body, tupleOf(text, boolean)).cases)('parseIpRange accepts %j: %s', (written, good) => {
  expect(parseIpRange(written) !== undefined).toBe(good);
});

it.each(
  readRecording('values/within', body, tupleOf(text, text, boolean)).cases.map(([outer, inner, within]) => [inner, outer, within] as const),
)('isStrictSubrange of %s in %s is %s', (inner, outer, within) => {
  const small = parseIpRange(inner);
  const large = parseIpRange(outer);
  expect(small !== undefined && large !== undefined && isStrictSubrange(small, large)).toBe(within);
});

it.each([
  ['10.1.0.0/16', '10.1.255.255', true],
  ['10.1.0.0/16', '10.2.0.0', false],
  ['10.1.2.3/16', '10.1.0.0', true],
  ['2001:db8::/32', '2001:db8:ffff::', true],
  ['2001:db8::/32', '10.1.2.3', false],
  ['::ffff:10.1.0.0/112', '10.1.2.3', true],
  ['::ffff:10.1.0.0/64', '10.1.2.3', false],
])('rangeContains of the range %s and the address %s is %s', (range, address, contained) => {
  const outer = parseIpRange(range);
  const inner = parseIpAddress(address);
  expect(outer !== undefined && inner !== undefined && rangeContains(outer, inner)).toBe(contained);
});

it.each([
  ['010.0.0.001', '10.0.0.1'],
  ['255.255.255.255', '255.255.255.255'],
  ['::ffff:10.0.0.1', '10.0.0.1'],
  ['0:0:0:0:0:0:0:0', '::'],
  ['::0001', '::1'],
  ['2001:DB8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
  ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
  ['fd00::1.2.3.4', 'fd00::102:304'],
  ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
  ['1:0:0:4::', '1:0:0:4::'],
])('formatIpAddress formats %s as %s', (text, canonical) => {
  const address = parseIpAddress(text);
  expect(address === undefined ? undefined : formatIpAddress(address)).toBe(canonical);
});

it.each([
  ['10.1.2.3/16', '10.1.0.0/16'],
  ['fd00:0:0:1::5/64', 'fd00:0:0:1::/64'],
])('formatIpRange formats %s as %s', (text, canonical) => {
  const range = parseIpRange(text);
  expect(range === undefined ? undefined : formatIpRange(range)).toBe(canonical);
});
