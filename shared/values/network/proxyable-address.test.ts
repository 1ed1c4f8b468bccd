import { parseIpAddress } from './ip-address';
import { isProxyable } from './proxyable-address';

/** `undefined` for a text that is no address. */
const isProxyableText = (text: string): boolean | undefined => {
  const address = parseIpAddress(text);
  return address === undefined ? undefined : isProxyable(address);
};

const REFUSED_IPV4 = [
  '0.0.0.0',
  '0.1.2.3',
  '127.0.0.1',
  '127.255.0.9',
  '169.254.169.254',
  '224.0.0.1',
  '239.1.1.1',
  '240.0.0.1',
  '255.255.255.255',
];
const ALLOWED_IPV4 = [
  '1.1.1.1',
  '10.0.0.1',
  '100.64.0.1',
  '126.255.255.255',
  '128.0.0.1',
  '169.253.1.1',
  '172.16.0.1',
  '192.168.0.1',
  '223.255.255.255',
];

/** `7f00:1` for `127.0.0.1`: two groups of an IPv6 address. */
const hexGroups = (text: string): string => {
  const [a = 0, b = 0, c = 0, d = 0] = text.split('.').map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
};
/** Notations of an IPv4 address, among them IPv6 addresses that embed it, such as 127.0.0.1. */
const FORMS: readonly (readonly [title: string, form: (text: string) => string])[] = [
  ['127.0.0.1', (text) => text],
  [
    '00127.000.000.001 (leading zeros)',
    (text) =>
      text
        .split('.')
        .map((octet) => `00${octet}`)
        .join('.'),
  ],
  ['::ffff:127.0.0.1 (IPv4-mapped)', (text) => `::ffff:${text}`],
  ['0:0:0:0:0:FFFF:127.0.0.1 (IPv4-mapped, all groups)', (text) => `0:0:0:0:0:FFFF:${text}`],
  ['::ffff:7f00:1 (IPv4-mapped, hexadecimal)', (text) => `::ffff:${hexGroups(text)}`],
  ['::127.0.0.1 (IPv4-compatible)', (text) => `::${text}`],
  ['::ffff:0:127.0.0.1 (IPv4-translated)', (text) => `::ffff:0:${text}`],
  ['64:ff9b::127.0.0.1 (NAT64)', (text) => `64:ff9b::${text}`],
  ['64:ff9b:1::127.0.0.1 (local NAT64)', (text) => `64:ff9b:1::${text}`],
  ['64:ff9b:1:ffff::127.0.0.1 (local NAT64, another prefix)', (text) => `64:ff9b:1:ffff::${text}`],
  ['2002:7f00:1::1 (6to4)', (text) => `2002:${hexGroups(text)}::1`],
];

describe.each(FORMS)('isProxyable for addresses in the form of %s', (_title, form) => {
  it.each(REFUSED_IPV4)('refuses %s', (text) => expect(isProxyableText(form(text))).toBe(false));
  it.each(ALLOWED_IPV4)('allows %s', (text) => expect(isProxyableText(form(text))).toBe(true));
});

it.each(['::', '::1', '0:0:0:0:0:0:0:1', 'fe80::1', 'febf::1', 'ff02::1', 'ff05::2', 'ff0e::1'])('isProxyable refuses %s', (text) =>
  expect(isProxyableText(text)).toBe(false),
);

it.each(['2001:db8::1', 'fd00::1', 'fec0::1', '2606:4700::1111', '64:ff9c::7f00:1', '2003:7f00:1::'])('isProxyable allows %s', (text) =>
  expect(isProxyableText(text)).toBe(true),
);
