import { hostUrl, hostWithoutBrackets, parseHost, parsePort } from './host-url';

function urlOf(host: string, port?: number): string | undefined {
  const parsed = parseHost(host);
  return parsed === undefined ? undefined : hostUrl('https', parsed, port).href;
}

it.each([
  ['10.0.0.1', 'https://10.0.0.1/'],
  ['010.0.0.010', 'https://10.0.0.10/'],
  ['::ffff:10.0.0.1', 'https://10.0.0.1/'],
  ['2001:DB8:0::1', 'https://[2001:db8::1]/'],
  ['node-1.example', 'https://node-1.example/'],
  ['node_1', 'https://node_1/'],
  ['node.example.', 'https://node.example./'],
])('hostUrl writes the host %s as %s', (host, url) => expect(urlOf(host)).toBe(url));

it.each([
  '',
  '.',
  'a..b',
  'user@host',
  '10.0.0.1:80',
  '10.0.0.1:80@127.0.0.1',
  'host/path',
  'host\\path',
  'host?q',
  'host#f',
  'host%2f',
  'host name',
  'host\r\n',
  '[::1]',
  'fe80::1%eth0',
  '127.1',
  '2130706433',
  '0x7f000001',
  '127.0.0.0x1',
  '1.2.3.4.5',
  '256.0.0.1',
  'loc\u00adalhost',
  '\uff4c\uff4f\uff43\uff41\uff4c\uff48\uff4f\uff53\uff54',
  'ⓛocalhost',
  'xn--',
  'xn--a',
  'a'.repeat(64),
  `${'a.'.repeat(127)}a`,
])('parseHost rejects %j', (host) => expect(urlOf(host)).toBeUndefined());

it('hostUrl returns a URL with no other host than the parsed text, whatever delimiters the text contains', () => {
  const characters = ['a', '1', '.', ':', '@', '/', '\\', '?', '#', '%', '[', ']', '-', '\t', 'x', '0'];
  const texts = characters.flatMap((a) => characters.flatMap((b) => characters.map((c) => `h${a}${b}${c}h`)));
  for (const text of texts) {
    const url = urlOf(text);
    if (url !== undefined) expect(url).toBe(`https://${text}/`);
  }
});

it.each([
  ['1', 1],
  ['0443', 443],
  ['65535', 65_535],
])('parsePort reads %s as %i', (text, port) => expect(parsePort(text)).toBe(port));

it.each(['', '0', '65536', '-1', '+80', '80.0', '8e1', '0x50', ' 80', '80 ', '80@127.0.0.1', '80/..', '99999999999999999999', '٨٠'])(
  'parsePort rejects %j',
  (text) => expect(parsePort(text)).toBeUndefined(),
);

it('hostUrl omits the default port of the scheme', () => {
  expect(urlOf('a', 443)).toBe('https://a/');
  expect(urlOf('a', 8443)).toBe('https://a:8443/');
  expect(urlOf('fd00::1', 1)).toBe('https://[fd00::1]:1/');
});

it.each([0, 65_536, 70_000, -1, 1.5, NaN])('hostUrl rejects the port %d, which a URL would silently omit', (port) =>
  expect(() => urlOf('a', port)).toThrow(RangeError),
);

it.each([
  ['https://[::1]:6443/a', '::1'],
  ['https://10.0.0.1:6443', '10.0.0.1'],
  ['https://api.example.com', 'api.example.com'],
])('hostWithoutBrackets returns the host of %s', (url, host) => expect(hostWithoutBrackets(new URL(url))).toBe(host));
