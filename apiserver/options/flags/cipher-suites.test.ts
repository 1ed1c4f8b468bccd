import { getCiphers } from 'node:tls';
import { cipherSuitesFlag, opensslSuites, cipherSuitesError } from './cipher-suites';

const flag = cipherSuitesFlag('Serving');
const ECDSA = 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256';

it('the help of the cipher suites flag lists only suites that OpenSSL supports', () => {
  const named = /Cipher suites of TLS 1.2: (.*)\. Empty/.exec(flag.help)?.[1]?.split(', ') ?? [];
  expect(named).toHaveLength(12);
  const offered = getCiphers().map((name) => name.toUpperCase());
  expect(offered).toEqual(expect.arrayContaining(opensslSuites(flag.parse(named.join(), undefined))?.split(':') ?? ['']));
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

it('cipherSuitesError requires a suite that HTTP/2 needs', () => {
  expect(cipherSuitesError([])).toBeUndefined();
  expect(cipherSuitesError(['TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384', ECDSA])).toBeUndefined();
  expect(cipherSuitesError(['TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384'])).toMatch(/needs one of TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256/);
});
