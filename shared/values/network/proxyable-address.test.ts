import { parseIpAddress } from './ip-address';
import { isProxyable } from './proxyable-address';

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

/** An IPv4 address as the last two groups of an IPv6 address. */
const hex = (text: string): string => {
  const [a = 0, b = 0, c = 0, d = 0] = text.split('.').map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
};
/** Notations of an IPv4 address, among them IPv6 addresses that embed it. */
const FORMS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) =>
    text
      .split('.')
      .map((octet) => `00${octet}`)
      .join('.'),
  (text) => `::ffff:${text}`,
  (text) => `0:0:0:0:0:FFFF:${text}`,
  (text) => `::ffff:${hex(text)}`,
  (text) => `::${text}`,
  (text) => `::ffff:0:${text}`,
  (text) => `64:ff9b::${text}`,
  (text) => `64:ff9b:1::${text}`,
  (text) => `64:ff9b:1:ffff::${text}`,
  (text) => `2002:${hex(text)}::1`,
];

describe.each(FORMS.map((form) => [form('127.0.0.1'), form] as const))('isProxyable for addresses in the form of %s', (_, form) => {
  it.each(REFUSED_IPV4)('refuses %s', (text) => expect(isProxyableText(form(text))).toBe(false));
  it.each(ALLOWED_IPV4)('allows %s', (text) => expect(isProxyableText(form(text))).toBe(true));
});

it.each(['::', '::1', '0:0:0:0:0:0:0:1', 'fe80::1', 'febf::1', 'ff02::1', 'ff05::2', 'ff0e::1'])('isProxyable refuses %s', (text) =>
  expect(isProxyableText(text)).toBe(false),
);

it.each(['2001:db8::1', 'fd00::1', 'fec0::1', '2606:4700::1111', '64:ff9c::7f00:1', '2003:7f00:1::'])('isProxyable allows %s', (text) =>
  expect(isProxyableText(text)).toBe(true),
);
