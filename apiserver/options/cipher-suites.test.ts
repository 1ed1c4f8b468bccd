import { getCiphers } from 'node:tls';
import { cipherSuites, opensslSuites, suitesFault } from './cipher-suites';

const flag = cipherSuites('Serving');
const ECDSA = 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256';

it('knows every suite that it names, as OpenSSL does', () => {
  const named = /Cipher suites of TLS 1.2: (.*)\. Empty/.exec(flag.help)?.[1]?.split(', ') ?? [];
  expect(named).toHaveLength(12);
  const offered = getCiphers().map((name) => name.toUpperCase());
  expect(offered).toEqual(expect.arrayContaining(opensslSuites(flag.parse(named.join(), undefined))?.split(':') ?? ['']));
});

it.each(['TLS_RSA_WITH_RC4_128_SHA', 'TLS_RSA_WITH_AES_128_GCM_SHA256', 'ECDHE-RSA-AES128-SHA', 'constructor'])('refuses %s', (name) => {
  expect(() => flag.parse(`${ECDSA},${name}`, undefined)).toThrow(`cipher suite ${name} not supported or doesn't exist`);
});

it('leaves those of Node where nothing is said, and offers those of TLS 1.3 beside what is', () => {
  expect(opensslSuites([])).toBeUndefined();
  expect(opensslSuites([ECDSA])).toBe(
    'TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256:ECDHE-ECDSA-AES128-GCM-SHA256',
  );
});

it('wants one that HTTP/2 needs among them', () => {
  expect(suitesFault([])).toBeUndefined();
  expect(suitesFault(['TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384', ECDSA])).toBeUndefined();
  expect(suitesFault(['TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384'])).toMatch(/needs one of TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256/);
});
