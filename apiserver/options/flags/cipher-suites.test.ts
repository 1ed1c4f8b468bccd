import { getCiphers } from 'node:tls';
import { cipherSuitesFlag, opensslSuites, cipherSuitesError } from './cipher-suites';

const flag = cipherSuitesFlag('Serving');
const ECDSA = 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256';

/** The part of the help that lists the suites: `Cipher suites of TLS 1.2: A, B. Empty …`. */
const SUITES_IN_HELP = /Cipher suites of TLS 1.2: (.*)\. Empty/;

it('the help of the cipher suites flag lists only suites that OpenSSL supports', () => {
  const listed = SUITES_IN_HELP.exec(flag.help)?.[1]?.split(', ') ?? [];
  expect(listed).toHaveLength(12);
  const suites = opensslSuites(flag.parse(listed.join(','), undefined))?.split(':') ?? [''];
  const supported = getCiphers().map((name) => name.toUpperCase());
  expect(supported).toEqual(expect.arrayContaining(suites));
});

it.each(['TLS_RSA_WITH_RC4_128_SHA', 'TLS_RSA_WITH_AES_128_GCM_SHA256', 'ECDHE-RSA-AES128-SHA', 'constructor'])(
  'the cipher suites flag rejects %s',
  (name) => {
    expect(() => flag.parse(`${ECDSA},${name}`, undefined)).toThrow(`cipher suite ${name} not supported or doesn't exist`);
  },
);

it('opensslSuites returns nothing without given suites, so that Node keeps its own', () => {
  expect(opensslSuites([])).toBeUndefined();
});

it('opensslSuites adds the suites of TLS 1.3 to the given ones', () => {
  expect(opensslSuites([ECDSA])).toBe(
    'TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256:ECDHE-ECDSA-AES128-GCM-SHA256',
  );
});

it.each([
  ['no suites, which means the default ones', []],
  ['one that HTTP/2 needs beside another', ['TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384', ECDSA]],
])('cipherSuitesError accepts %s', (_title, suites) => expect(cipherSuitesError(suites)).toBeUndefined());

it('cipherSuitesError rejects suites without one that HTTP/2 needs', () => {
  expect(cipherSuitesError(['TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384'])).toMatch(/needs one of TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256/);
});
