import { formatIp, isInRange, parseIp, parseIpRange } from './ip-address';

const canonical = (text: string): string | undefined => {
  const ip = parseIp(text);
  return ip === undefined ? undefined : `${ip.family} ${formatIp(ip)}`;
};

it.each([
  ['10.9.8.7', 'IPv4 10.9.8.7'],
  ['010.0.0.001', 'IPv4 10.0.0.1'],
  ['255.255.255.255', 'IPv4 255.255.255.255'],
  ['::ffff:10.0.0.1', 'IPv4 10.0.0.1'],
  ['::', 'IPv6 ::'],
  ['::1', 'IPv6 ::1'],
  ['2001:DB8:0:0:1:0:0:1', 'IPv6 2001:db8::1:0:0:1'],
  ['2001:db8:0:1:1:1:1:1', 'IPv6 2001:db8:0:1:1:1:1:1'],
  ['fd00::1.2.3.4', 'IPv6 fd00::102:304'],
  ['fe80::', 'IPv6 fe80::'],
  ['1:2:3:4:5:6:7::', 'IPv6 1:2:3:4:5:6:7:0'],
  ['', undefined],
  ['10.0.0', undefined],
  ['10.0.0.256', undefined],
  ['0x7f.1', undefined],
  ['fe80::1%eth0', undefined],
  ['1::2::3', undefined],
  [' 10.0.0.1', undefined],
])('reads %j as %j', (text, expected) => expect(canonical(text)).toBe(expected));

it.each([
  ['10.0.0.5/24', '10.0.0.0/24', 256n],
  ['010.0.0.0/8', '10.0.0.0/8', 1n << 24n],
  ['10.0.0.1/32', '10.0.0.1/32', 1n],
  ['fd00::5/108', 'fd00::/108', 1n << 20n],
  ['::/0', '::/0', 1n << 128n],
])('reads the range %s as %s', (text, expected, size) => expect(parseIpRange(text)).toMatchObject({ text: expected, size }));

it.each(['', '10.0.0.0', '10.0.0.0/33', 'fd00::/129', '10.0.0.0/24/8', '10.0.0.0/-1', '::ffff:10.0.0.0/120', 'a/b'])(
  'knows that %j is no range',
  (text) => expect(parseIpRange(text)).toBeUndefined(),
);

it('tells what lies in a range', () => {
  const range = parseIpRange('10.0.1.0/24');
  if (range === undefined) throw new Error('no range');
  const lies = (text: string): boolean => {
    const ip = parseIp(text);
    return ip !== undefined && isInRange(range, ip);
  };
  expect(['10.0.1.0', '10.0.1.255', '10.0.0.255', '10.0.2.0', '::a00:100'].map(lies)).toEqual([true, true, false, false, false]);
});
